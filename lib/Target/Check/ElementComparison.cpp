//===- ElementComparison.cpp - Compares results with their ops --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ElementComparison.h"

#include "weir/Conversion/WeirToLinalg.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <set>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

static constexpr int64_t numDrawn = 4096;
/// The factor by which an error may exceed its bound. The order of rounding may
/// add to an error.
static constexpr double slack = 4;

/// Chooses the elements of a result that are compared. If there are at most
/// `most`, all are chosen.
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

/// Orders `list` so that its first elements are spread over the whole range.
static void spread(std::vector<int64_t> &list) {
  const size_t count = list.size();
  size_t step = count * 5 / 8 + 1;
  while (std::gcd(step, count) != 1)
    ++step;
  std::vector<int64_t> spreadOut;
  for (size_t i = 0, at = 0; i < count; ++i, at = (at + step) % count)
    spreadOut.push_back(list[at]);
  list = std::move(spreadOut);
}

Status ElementComparison::prepare() {
  ops = function.clone();
  expandComposites(*ops);
  WEIR_ASSIGN_OR_RETURN(evaluator, PointEvaluator::make(*ops));
  return Status::ok();
}

Operation *ElementComparison::getCulprit() const {
  if (!wrong)
    return function;
  Operation *end = func::FuncOp(function).getBody().front().getTerminator();
  Operation *op = end->getOperand(*wrong).getDefiningOp();
  return op ? op : end;
}

static std::string nameElement(const TensorDesc &desc, int64_t offset) {
  std::vector<int64_t> indices;
  ElementIndices(desc).find(offset, indices);
  std::string text = "[";
  for (size_t d = 0; d < indices.size(); ++d)
    text += (d ? ", " : "") + std::to_string(indices[d]);
  return text + "]";
}

Status ElementComparison::compareElement(unsigned number,
                                         const TensorDesc &desc, int64_t offset,
                                         const Bounded &expected,
                                         const Bounded &found) {
  const double bound = slack * expected.error;
  if (std::isinf(bound) || std::isnan(bound))
    return Status::ok();
  const bool isFound =
      isFloat(desc.type)
          ? std::isnan(expected.value)
                ? std::isnan(found.value)
                : expected.value == found.value ||
                      std::abs(found.value - expected.value) <= bound
          : std::abs(static_cast<double>(found.integer) -
                     static_cast<double>(expected.integer)) <= expected.error;
  if (isFound)
    return Status::ok();
  wrong = number;
  return internalError(fmt::format(
      "element {} of result {} should be {:.9g}, found {:.9g}, which is more "
      "than {:.2g} off",
      nameElement(desc, offset), number, expected.value, found.value, bound));
}

Status ElementComparison::compare(ArrayRef<Results> runs, const Sample &sample,
                                  int64_t &numCompared) {
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    const auto number = static_cast<unsigned>(i);
    const TensorDesc desc = toTensorDesc(cast<RankedTensorType>(type));
    std::vector<int64_t> chosen =
        chooseElements(desc.numElements(), sample.elements);
    spread(chosen);
    evaluator->allowPoints(sample.points);
    int64_t compared = 0;
    for (int64_t offset : chosen) {
      StatusOr<Bounded> expected = evaluator->at(number, offset);
      if (expected.status().code() == StatusCode::Cancelled)
        break;
      if (!expected.isOk())
        return expected.status();
      for (const Results &run : runs)
        WEIR_RETURN_IF_ERROR(
            compareElement(number, desc, offset, *expected,
                           loadElement(desc.type, run[number].data(), offset)));
      ++compared;
    }
    if (compared == 0 && !chosen.empty())
      return unimplemented(fmt::format(
          "an element of result {} takes more than {} points of its ops",
          number, sample.points));
    numCompared += compared * static_cast<int64_t>(runs.size());
  }
  return Status::ok();
}
