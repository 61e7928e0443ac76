//===- CheckedReference.cpp - Reference kernels on CPU devices --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Reference.h"

#include "IndexChecks.h"

#include <utility>

using namespace weir;
using weir::cpu::IndexChecks;

namespace {
/// Checks indices before a kernel reads them.
class CheckedKernel final : public Kernel {
public:
  CheckedKernel(IndexChecks checks, std::unique_ptr<Kernel> kernel)
      : checks(std::move(checks)), kernel(std::move(kernel)) {}

  size_t workspaceBytes() const override { return kernel->workspaceBytes(); }
  bool isSerial() const override { return kernel->isSerial(); }
  bool mayRunAlone() const override { return kernel->mayRunAlone(); }
  std::string implementation() const override {
    return kernel->implementation();
  }

  Status run(const KernelArgs &args) override {
    WEIR_RETURN_IF_ERROR(checks.run(args.buffers));
    return kernel->run(args);
  }

private:
  IndexChecks checks;
  std::unique_ptr<Kernel> kernel;
};
} // namespace

namespace weir::cpu {

Status checkReference(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(IndexChecks::read(spec).status());
  return weir::checkReference(spec);
}

StatusOr<std::unique_ptr<Kernel>> prepareReference(const KernelSpec &spec,
                                                   PrepareContext &context) {
  WEIR_ASSIGN_OR_RETURN(IndexChecks checks, IndexChecks::read(spec));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                        weir::prepareReference(spec, context));
  if (checks.isEmpty())
    return kernel;
  return std::unique_ptr<Kernel>(
      std::make_unique<CheckedKernel>(std::move(checks), std::move(kernel)));
}

} // namespace weir::cpu
