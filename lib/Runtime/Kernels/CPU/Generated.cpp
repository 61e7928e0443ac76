//===- Generated.cpp - The kernel generated -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../../OpenMP/Team.h"
#include "IndexChecks.h"

#include "weir/Runtime/Kernel.h"
#include "weir/Support/Alignment.h"

#include <algorithm>
#include <utility>

using namespace weir;
using weir::cpu::IndexChecks;

namespace {

constexpr uint64_t scratchAlignment = 64;

class GeneratedKernel final : public Kernel {
public:
  GeneratedKernel(WeirKernelFunction function, const GeneratedCode &code,
                  IndexChecks checks, uint64_t threads)
      : function(function), tasks(code.tasks),
        numRanges(std::clamp<uint64_t>(code.tasks / code.grain, 1, threads)),
        scratchBytes(alignTo(code.scratchBytes, scratchAlignment)),
        checks(std::move(checks)) {}

  size_t workspaceBytes() const override { return numRanges * scratchBytes; }

  Status run(const KernelArgs &args) override {
    WEIR_RETURN_IF_ERROR(checks.run(args.buffers));
    parallelFor(static_cast<int64_t>(numRanges), [&](int64_t range) {
      call(args, static_cast<uint64_t>(range));
    });
    return Status::ok();
  }

  bool isSerial() const override { return numRanges == 1; }
  bool mayRunAlone() const override { return true; }
  std::string implementation() const override { return "generated"; }

private:
  void call(const KernelArgs &args, uint64_t range) const {
    const WeirKernelArgs own = {
        args.buffers, nullptr, static_cast<int64_t>(tasks * range / numRanges),
        static_cast<int64_t>(tasks * (range + 1) / numRanges),
        static_cast<std::byte *>(args.workspace) + range * scratchBytes};
    function(&own);
  }

  WeirKernelFunction function;
  uint64_t tasks;
  uint64_t numRanges;
  uint64_t scratchBytes;
  IndexChecks checks;
};

} // namespace

namespace weir::cpu {

Status checkGenerated(const KernelSpec &spec) {
  return IndexChecks::read(spec).status();
}

StatusOr<std::unique_ptr<Kernel>> prepareGenerated(const KernelSpec &spec,
                                                   PrepareContext &context) {
  WEIR_ASSIGN_OR_RETURN(IndexChecks checks, IndexChecks::read(spec));
  WEIR_ASSIGN_OR_RETURN(WeirKernelFunction function,
                        context.generatedFunction(spec.code));
  const int threads = std::max(context.numThreads(), 1);
  return std::unique_ptr<Kernel>(std::make_unique<GeneratedKernel>(
      function, spec.code, std::move(checks), static_cast<uint64_t>(threads)));
}

} // namespace weir::cpu
