//===- Perturbation.cpp - Finds what results depend on --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Perturbation.h"

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"
#include "weir/Support/ElementWalk.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <limits>
#include <utility>

using namespace mlir;
using namespace weir;

static TensorDesc describe(Value value) {
  return toTensorDesc(getTensorType(value));
}

static int64_t placeOf(const TensorDesc &desc, int64_t element) {
  return stridedOffset(element, desc.dims, desc.strides);
}

static void store(Value value, std::vector<char> &bytes, int64_t element,
                  double number) {
  TensorDesc desc = describe(value);
  if (isFloat(desc.type))
    storeFloat(desc.type, bytes.data(), placeOf(desc, element), number);
  else
    storeInt(desc.type, bytes.data(), placeOf(desc, element),
             static_cast<int64_t>(number));
}

Perturbation::Perturbation(func::FuncOp function, unsigned seed)
    : function(function), random(seed) {
  for (BlockArgument argument : function.getArguments())
    arguments.emplace_back(describe(argument).spanBytes());
  indexSizes.resize(arguments.size());
  function.walk([&](WeirOpInterface op) {
    for (const IndexOperand &indices : op.getIndexOperands())
      if (auto argument =
              dyn_cast<BlockArgument>(op->getOperand(indices.number)))
        indexSizes[argument.getArgNumber()] = {indices.sizes.begin(),
                                               indices.sizes.end()};
  });
  for (Value result : function.front().getTerminator()->getOperands()) {
    auto &row = found.emplace_back();
    int64_t elements = getTensorType(result).getNumElements();
    for (BlockArgument argument : function.getArguments())
      row.push_back({elements, std::vector<bool>(static_cast<size_t>(
                                   elements *
                                   getTensorType(argument).getNumElements()))});
  }
}

/// Beyond the number of taps in a window of 3 by 3, which integers may count.
static constexpr int64_t mostInteger = 12;

/// Few different numbers, so that some elements are equal. Every second time,
/// integers may be large.
double Perturbation::drawNumber(Type element) {
  if (element.isInteger(1))
    return static_cast<double>(random() % 2);
  if (isa<IntegerType>(element))
    return static_cast<double>(random() %
                               (numDraws % 2 == 0 ? 6 : mostInteger));
  return (static_cast<double>(random() % 8) - 3.5) / 4;
}

/// Every third time, all indices are the same, so that each occurs soon.
void Perturbation::drawIndices(Value argument) {
  size_t number = cast<BlockArgument>(argument).getArgNumber();
  const std::vector<int64_t> &sizes = indexSizes[number];
  int64_t elements = getTensorType(argument).getNumElements();
  for (int64_t i = 0; i < elements; ++i) {
    int64_t any =
        numDraws % 3 != 2 ? static_cast<int64_t>(random()) : numDraws / 3;
    store(argument, arguments[number], i,
          static_cast<double>(any %
                              sizes[static_cast<size_t>(i) % sizes.size()]));
  }
}

void Perturbation::draw() {
  for (BlockArgument argument : function.getArguments()) {
    if (!indexSizes[argument.getArgNumber()].empty()) {
      drawIndices(argument);
      continue;
    }
    RankedTensorType type = getTensorType(argument);
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      store(argument, arguments[argument.getArgNumber()], i,
            drawNumber(type.getElementType()));
  }
}

/// The numbers that replace `element`.
std::vector<double> Perturbation::changesOf(size_t argument, int64_t element) {
  const std::vector<int64_t> &sizes = indexSizes[argument];
  std::vector<double> changes;
  Type type =
      getTensorType(function.getArgument(static_cast<unsigned>(argument)))
          .getElementType();
  if (isa<FloatType>(type))
    return {0.3125,
            -0.625,
            0.875,
            300,
            -300,
            std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::quiet_NaN()};
  int64_t count = type.isInteger(1) ? 2 : mostInteger;
  if (!sizes.empty())
    count = sizes[static_cast<size_t>(element) % sizes.size()];
  else if (!type.isInteger(1))
    changes.push_back(-1);
  for (int64_t number = 0; number < count; ++number)
    changes.push_back(static_cast<double>(number));
  return changes;
}

bool Perturbation::evaluateInto(Bytes &results) {
  auto getBytes = [&](Value value) -> FailureOr<TensorBytes> {
    return TensorBytes(arguments[cast<BlockArgument>(value).getArgNumber()]);
  };
  FailureOr<Bytes> made = evaluate(function.front(), getBytes);
  if (failed(made))
    return false;
  results = *std::move(made);
  return true;
}

void Perturbation::compare(size_t argument, int64_t element,
                           const Bytes &before, const Bytes &after) {
  for (auto [number, result] :
       llvm::enumerate(function.front().getTerminator()->getOperands())) {
    TensorDesc desc = describe(result);
    const size_t size = byteSize(desc.type);
    Dependence &dependence = found[number][argument];
    for (int64_t i = 0; i < dependence.resultElements; ++i) {
      const size_t place = static_cast<size_t>(placeOf(desc, i)) * size;
      if (std::memcmp(before[number].data() + place,
                      after[number].data() + place, size) != 0)
        dependence.seen[static_cast<size_t>(
            element * dependence.resultElements + i)] = true;
    }
  }
}

bool Perturbation::isAllSeen(
    const std::vector<std::vector<Dependence>> &expected, size_t argument,
    int64_t element) const {
  for (auto [rows, wanted] : llvm::zip_equal(found, expected)) {
    const Dependence &seen = rows[argument], &all = wanted[argument];
    for (int64_t i = 0; i < all.resultElements; ++i)
      if (all.at(element, i) && !seen.at(element, i))
        return false;
  }
  return true;
}

bool Perturbation::probe(const std::vector<std::vector<Dependence>> &expected) {
  constexpr int64_t completeDraws = 1;
  draw();
  const bool isComplete = numDraws++ < completeDraws;
  Bytes before, after;
  if (!evaluateInto(before))
    return false;
  for (BlockArgument argument : function.getArguments()) {
    const size_t number = argument.getArgNumber();
    const int64_t elements = getTensorType(argument).getNumElements();
    for (int64_t element = 0; element < elements; ++element) {
      const std::vector<char> kept = arguments[number];
      bool isNeeded = isComplete;
      for (double change : changesOf(number, element)) {
        if (!std::exchange(isNeeded, false) &&
            isAllSeen(expected, number, element))
          break;
        store(argument, arguments[number], element, change);
        if (!evaluateInto(after))
          return false;
        compare(number, element, before, after);
        arguments[number] = kept;
      }
    }
  }
  return true;
}
