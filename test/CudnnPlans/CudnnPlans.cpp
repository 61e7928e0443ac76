//===- CudnnPlans.cpp - Lists the plans of a model's launches -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// usage: weir-cudnn-plans ARTIFACT...
//
// For each kernel of cuDNN in the artifacts, makes the plan for an H100, and
// writes which engine cuDNN chooses. One that cuDNN refuses is an error.
//
//===----------------------------------------------------------------------===//

#include "CudnnKernels.h"
#include "H100Plans.h"
#include "Loading/KernelCache.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Artifact/Schema.h"
#include "weir/Runtime/KernelTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace weir;
using namespace weir::test;

namespace {
struct Totals {
  size_t plans = 0;
  size_t compiled = 0;
  size_t workspace = 0;
};
} // namespace

static std::string describe(const KernelSpec &spec) {
  std::string text =
      fmt::format("{} {} by {}", spec.name, spec.operands[0].toString(),
                  fmt::join(spec.operands[1].dims, "x"));
  for (const PostOp &postOp : spec.postOps)
    text += " " + postOp.algorithm;
  if (spec.results[0].type != spec.operands[0].type)
    text += fmt::format(" to {}", toString(spec.results[0].type));
  return text;
}

static Status plan(const KernelSpec &spec, Totals &totals) {
  WEIR_ASSIGN_OR_RETURN(const CudnnGraph graph, describeForCudnn(spec));
  auto made = planForH100(graph);
  if (!made.isOk())
    return made.status();
  const CudnnPlan &plan = **made;
  fmt::print("{}: {}, {} bytes of workspace\n", describe(spec), plan.engine(),
             plan.workspaceBytes());
  ++totals.plans;
  totals.compiled += plan.isCompiled();
  totals.workspace = std::max(totals.workspace, plan.workspaceBytes());
  return Status::ok();
}

/// The numbers of the kernels of `variant` that GPUs launch.
static std::set<uint32_t> findGpuKernels(const artifact::Variant &variant) {
  std::set<uint32_t> found;
  for (const artifact::Entry *entry : *variant.entries())
    for (const artifact::Program *program : *entry->programs())
      for (const artifact::Command *command : *program->commands())
        if (command->opcode() == artifact::Opcode::Launch &&
            variant.devices()
                ->Get(program->device())
                ->name()
                ->string_view()
                .starts_with("cuda:"))
          found.insert(command->index());
  return found;
}

static Status planAll(const char *path, Totals &totals) {
  WEIR_ASSIGN_OR_RETURN(const artifact::Artifact model,
                        artifact::Artifact::open(path));
  std::vector<KernelSpec> known;
  for (const artifact::Variant *variant : *model.model().variants())
    for (uint32_t number : findGpuKernels(*variant)) {
      KernelSpec spec = toSpec(*variant->kernels()->Get(number));
      if (!findKernel(cudnnKernels(), spec.name) ||
          std::ranges::find(known, spec) != known.end())
        continue;
      WEIR_RETURN_IF_ERROR(plan(spec, totals).withContext(describe(spec)));
      known.push_back(std::move(spec));
    }
  return Status::ok();
}

int main(int argc, char **argv) {
  Status status = openForPlans();
  Totals totals;
  for (int i = 1; i < argc && status.isOk(); ++i)
    status = planAll(argv[i], totals).withContext(argv[i]);
  if (!status.isOk()) {
    fmt::print(stderr, "error: {}\n", status.message());
    return 1;
  }
  fmt::print("{} plans, {} of them compiled, at most {} bytes of workspace\n",
             totals.plans, totals.compiled, totals.workspace);
  return 0;
}
