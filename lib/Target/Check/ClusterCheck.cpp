//===- ClusterCheck.cpp - Compares code with the ops it is for --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ClusterCheck.h"

#include "RandomOperands.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

/// How many elements are compared. There is a limit for plain operands and one
/// for special operands.
static constexpr Sample plainSample = {int64_t{1} << 16, int64_t{1} << 24};
static constexpr Sample specialSample = {int64_t{1} << 13, int64_t{1} << 24};

StatusOr<Results> ClusterCheck::runCode(ArrayRef<HostTensor> operands,
                                        BufferPlaces places,
                                        unsigned numRanges) const {
  places.alignment = code.alignment;
  auto runKernel = [&](const CompiledKernel &kernel, void *const *buffers) {
    return code.run(kernel, buffers, numRanges);
  };
  const auto lowered = code.clusters.find(func::FuncOp(cluster).getSymName());
  return runCluster(cluster, lowered->second, code.kernels, operands, places,
                    runKernel);
}

/// Checks that results always have the same bits, for all ranges of tasks and
/// for all places of buffers.
Status ClusterCheck::compareRuns(ArrayRef<HostTensor> operands,
                                 const Results &whole) {
  constexpr unsigned manyRanges = 5;
  for (bool isInPlace : {false, true}) {
    BufferPlaces places;
    places.place = isInPlace ? Place::Middle : Place::Back;
    places.isInPlace = isInPlace;
    WEIR_ASSIGN_OR_RETURN(
        Results results, runCode(operands, places, isInPlace ? 1 : manyRanges));
    for (size_t i = 0; i < whole.size(); ++i)
      if (!std::equal(whole[i].data(), whole[i].data() + whole[i].size(),
                      results[i].data())) {
        comparison.setWrong(static_cast<unsigned>(i));
        return internalError(fmt::format(
            "result {} has other bits when {}, on unaligned buffers", i,
            isInPlace ? "it overwrites an operand"
                      : "tasks run in several ranges"));
      }
  }
  return Status::ok();
}

Status ClusterCheck::runWith(bool hasSpecials, int64_t &numCompared) {
  WEIR_ASSIGN_OR_RETURN(
      std::vector<HostTensor> operands,
      drawOperands(cluster, hasSpecials,
                   hasSpecials ? Specials::All : Specials::None));
  WEIR_ASSIGN_OR_RETURN(Results whole, runCode(operands, BufferPlaces(), 1));
  if (!hasSpecials)
    WEIR_RETURN_IF_ERROR(compareRuns(operands, whole));
  comparison.setOperands(operands);
  return comparison.compare(whole, hasSpecials ? specialSample : plainSample,
                            numCompared);
}

Status ClusterCheck::run(int64_t &numCompared) {
  WEIR_RETURN_IF_ERROR(comparison.prepare());
  for (bool hasSpecials : {false, true})
    WEIR_RETURN_IF_ERROR(runWith(hasSpecials, numCompared));
  return Status::ok();
}
