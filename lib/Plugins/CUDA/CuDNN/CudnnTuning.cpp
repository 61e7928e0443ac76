//===- CudnnTuning.cpp - Chooses cuDNN's plans by their times ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudnnTuning.h"

#include "../Tuning.h"

#include <utility>
#include <vector>

using namespace weir;

/// The most plans that are timed. cuDNN offers up to 40, and may compile each
/// for a second.
static constexpr size_t mostPlans = 16;

namespace {

class PlanCandidate final : public LaunchCandidate {
public:
  PlanCandidate(std::unique_ptr<CudnnPlan> plan, cudnnHandle_t handle)
      : plan(std::move(plan)), handle(handle) {}

  std::string name() const override { return plan->engine(); }
  size_t workspaceBytes() const override { return plan->workspaceBytes(); }
  Status enqueue(void *const *buffers, void *workspace, CUstream) override {
    return plan->execute(handle, buffers, workspace);
  }
  StatusOr<std::string> serialise() const override { return plan->serialise(); }
  std::unique_ptr<CudnnPlan> take() { return std::move(plan); }

private:
  std::unique_ptr<CudnnPlan> plan;
  cudnnHandle_t handle;
};

class TunableGraph final : public TunableLaunch {
public:
  TunableGraph(const CudnnGraph &graph, size_t numBuffers,
               const CudnnTarget &target, const CudnnLibrary &library,
               std::string identity)
      : graph(graph), numBuffers(numBuffers), target(target), library(library),
        identity(std::move(identity)) {}

  std::string key() const override { return identity; }
  std::vector<TensorDesc> buffers() const override {
    std::vector<TensorDesc> all(numBuffers);
    for (const CudnnTensor &tensor : graph.tensors)
      if (tensor.buffer)
        all[*tensor.buffer] = tensor.desc;
    return all;
  }
  StatusOr<Candidates> list(std::vector<std::string> &leftOut) override {
    WEIR_ASSIGN_OR_RETURN(
        auto plans, CudnnPlan::buildFirst(graph, target, mostPlans, leftOut));
    if (plans.empty())
      return unimplemented("cuDNN has no plan");
    Candidates all;
    for (std::unique_ptr<CudnnPlan> &plan : plans)
      all.push_back(
          std::make_unique<PlanCandidate>(std::move(plan), target.handle));
    return all;
  }
  StatusOr<std::unique_ptr<LaunchCandidate>>
  load(const std::string &text) override {
    WEIR_ASSIGN_OR_RETURN(std::unique_ptr<CudnnPlan> plan,
                          CudnnPlan::load(graph, target, text));
    return std::unique_ptr<LaunchCandidate>(
        std::make_unique<PlanCandidate>(std::move(plan), target.handle));
  }
  Status useStream(CUstream stream) override {
    return library.check(library.setStream(target.handle, stream),
                         "cudnnSetStream");
  }

private:
  const CudnnGraph &graph;
  size_t numBuffers;
  const CudnnTarget &target;
  const CudnnLibrary &library;
  std::string identity;
};

} // namespace

StatusOr<ChosenPlan> weir::choosePlan(const CudnnGraph &graph,
                                      size_t numBuffers,
                                      const CudnnTarget &target,
                                      const CudnnLibrary &library,
                                      const CudaPrepareContext &context) {
  ChosenPlan chosen;
  if (context.options.tunes) {
    WEIR_ASSIGN_OR_RETURN(std::string identity,
                          CudnnPlan::identify(graph, target));
    TunableGraph launch(graph, numBuffers, target, library,
                        std::move(identity));
    TunedLaunch tuned = tune(launch, context);
    chosen.tuning = std::move(tuned.report);
    if (tuned.candidate)
      chosen.plan = static_cast<PlanCandidate &>(*tuned.candidate).take();
  }
  if (!chosen.plan) {
    WEIR_ASSIGN_OR_RETURN(chosen.plan, CudnnPlan::build(graph, target));
  }
  return chosen;
}
