//===- ClusterCheck.cpp - Compares code with the ops it is for --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ClusterCheck.h"

#include "RandomOperands.h"

#include "weir/Conversion/WeirToLinalg.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <cmath>
#include <fmt/format.h>
#include <random>
#include <set>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

/// The most elements of a result that are all compared, with plain operands and
/// with special ones.
static constexpr int64_t mostCompared = int64_t{1} << 16;
static constexpr int64_t mostSpecial = int64_t{1} << 13;
static constexpr int64_t numDrawn = 4096;
/// How many times the bound of an error. The order in which rounding happens
/// may add some.
static constexpr double slack = 4;

static TensorDesc describe(Type type) {
  return toTensorDesc(cast<RankedTensorType>(type));
}

/// Which elements of a result are compared: all if there are at most `most`.
static std::vector<int64_t> chooseElements(int64_t count, int64_t most) {
  std::vector<int64_t> chosen;
  if (count <= most) {
    for (int64_t i = 0; i < count; ++i)
      chosen.push_back(i);
    return chosen;
  }
  std::set<int64_t> some;
  auto addAround = [&](int64_t middle) {
    for (int64_t i = middle - 17; i <= middle + 17; ++i)
      if (i >= 0 && i < count)
        some.insert(i);
  };
  // Tasks and threads divide results into equal parts.
  constexpr int64_t numParts = 16;
  for (int64_t part = 0; part <= numParts; ++part)
    addAround(count / numParts * part);
  addAround(count);
  std::mt19937_64 random(7);
  for (int64_t i = 0; i < numDrawn; ++i)
    some.insert(static_cast<int64_t>(random() % static_cast<uint64_t>(count)));
  chosen.assign(some.begin(), some.end());
  return chosen;
}

Operation *ClusterCheck::getCulprit() const {
  if (!wrong)
    return cluster;
  Operation *end = func::FuncOp(cluster).getBody().front().getTerminator();
  Operation *op = end->getOperand(*wrong).getDefiningOp();
  return op ? op : end;
}

static std::string nameElement(const TensorDesc &desc, int64_t offset) {
  std::vector<int64_t> indices;
  findIndices(desc, offset, indices);
  std::string text = "[";
  for (size_t d = 0; d < indices.size(); ++d)
    text += (d ? ", " : "") + std::to_string(indices[d]);
  return text + "]";
}

Status ClusterCheck::compareElement(unsigned number, const TensorDesc &desc,
                                    const GuardedBytes &found, int64_t offset) {
  WEIR_ASSIGN_OR_RETURN(Bounded expected, evaluator->at(number, offset));
  const Bounded result = loadElement(desc.type, found.data(), offset);
  const double bound = slack * expected.error;
  if (std::isinf(bound) || std::isnan(bound))
    return Status::ok();
  const bool isFound =
      isFloat(desc.type)
          ? std::isnan(expected.value)
                ? std::isnan(result.value)
                : expected.value == result.value ||
                      std::abs(result.value - expected.value) <= bound
          : std::abs(static_cast<double>(result.integer) -
                     static_cast<double>(expected.integer)) <= expected.error;
  if (isFound)
    return Status::ok();
  wrong = number;
  return internalError(fmt::format(
      "element {} of result {} should be {:.9g}, found {:.9g}, which is more "
      "than {:.2g} off",
      nameElement(desc, offset), number, expected.value, result.value, bound));
}

Status ClusterCheck::compare(const Results &results, int64_t most,
                             int64_t &numCompared) {
  for (auto [number, type] : llvm::enumerate(cluster.getResultTypes())) {
    const TensorDesc desc = describe(type);
    for (int64_t offset : chooseElements(desc.numElements(), most)) {
      WEIR_RETURN_IF_ERROR(compareElement(static_cast<unsigned>(number), desc,
                                          results[number], offset));
      ++numCompared;
    }
  }
  return Status::ok();
}

StatusOr<std::vector<GuardedBytes>>
ClusterCheck::runCode(ArrayRef<HostTensor> operands, BufferPlaces places,
                      unsigned numRanges) const {
  places.alignment = code.alignment;
  auto runKernel = [&](const CompiledKernel &kernel, void *const *buffers) {
    return code.run(kernel, buffers, numRanges);
  };
  const auto lowered = code.clusters.find(func::FuncOp(cluster).getSymName());
  return runCluster(cluster, lowered->second, code.kernels, operands, places,
                    runKernel);
}

/// However tasks are divided and buffers lie, the bits are the same.
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
        wrong = static_cast<unsigned>(i);
        return internalError(fmt::format(
            "result {} has other bits when {}, on unaligned buffers", i,
            isInPlace ? "it overwrites an operand"
                      : "tasks run in several ranges"));
      }
  }
  return Status::ok();
}

Status ClusterCheck::runWith(bool hasSpecials, int64_t &numCompared) {
  WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> operands,
                        drawOperands(cluster, hasSpecials, hasSpecials));
  WEIR_ASSIGN_OR_RETURN(Results whole, runCode(operands, BufferPlaces(), 1));
  if (!hasSpecials)
    WEIR_RETURN_IF_ERROR(compareRuns(operands, whole));
  evaluator->setArguments(operands);
  return compare(whole, hasSpecials ? mostSpecial : mostCompared, numCompared);
}

Status ClusterCheck::run(int64_t &numCompared) {
  ops = func::FuncOp(cluster).clone();
  expandComposites(*ops);
  WEIR_ASSIGN_OR_RETURN(evaluator, PointEvaluator::make(*ops));
  for (bool hasSpecials : {false, true})
    WEIR_RETURN_IF_ERROR(runWith(hasSpecials, numCompared));
  return Status::ok();
}
