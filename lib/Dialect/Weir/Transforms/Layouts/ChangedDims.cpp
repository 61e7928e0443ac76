//===- ChangedDims.cpp - Layouts of reshapes and transposes -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ChangedDims.h"

#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/DimRelations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <algorithm>

using namespace mlir;
using namespace weir;

static SmallVector<int64_t> getRowMajorOrder(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

SmallVector<int64_t> weir::getMemoryOrder(Value value) {
  RankedTensorType type = getTensorType(value);
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()))
    return SmallVector<int64_t>(layout.getOrder());
  return getRowMajorOrder(type.getRank());
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

namespace {
/// Corresponding dims of two shapes: the smallest sets of consecutive dims with
/// the same number of elements. Remaining dims of size 1 belong to the last
/// set.
struct DimSet {
  SmallVector<int64_t> from, to;
};
} // namespace

static SmallVector<DimSet> matchDims(ArrayRef<int64_t> from,
                                     ArrayRef<int64_t> to) {
  SmallVector<DimSet> sets;
  for (const analysis::ReshapedDims &each :
       analysis::matchReshapedDims(from, to)) {
    if (each.fromBegin != each.fromEnd || sets.empty())
      sets.emplace_back();
    llvm::append_range(sets.back().from,
                       llvm::seq<int64_t>(each.fromBegin, each.fromEnd));
    llvm::append_range(sets.back().to,
                       llvm::seq<int64_t>(each.toBegin, each.toEnd));
  }
  return sets;
}

/// The position of `set` among the dims `order`. Nothing if the dims of the set
/// are not adjacent and in order. Dims of size 1 may be anywhere.
static std::optional<size_t>
findPlace(const DimSet &set, ArrayRef<int64_t> from, ArrayRef<int64_t> order) {
  SmallVector<int64_t> members;
  for (int64_t dim : set.from)
    if (from[dim] != 1)
      members.push_back(dim);
  int64_t first = members.empty() ? set.from.front() : members.front();
  const auto *place = llvm::find(order, first);
  SmallVector<int64_t> behind;
  for (int64_t dim : llvm::make_range(place, order.end()))
    if (from[dim] != 1)
      behind.push_back(dim);
  if (!members.empty() && ArrayRef<int64_t>(behind).take_front(
                              members.size()) != ArrayRef<int64_t>(members))
    return std::nullopt;
  return place - order.begin();
}

std::optional<SmallVector<int64_t>>
weir::getReshapedOrder(ArrayRef<int64_t> from, ArrayRef<int64_t> order,
                       ArrayRef<int64_t> to) {
  if (llvm::is_contained(from, 0))
    return std::nullopt;
  SmallVector<std::pair<size_t, const DimSet *>> places;
  SmallVector<DimSet> sets = matchDims(from, to);
  for (const DimSet &set : sets) {
    std::optional<size_t> place = findPlace(set, from, order);
    if (!place)
      return std::nullopt;
    places.push_back({*place, &set});
  }
  llvm::stable_sort(places, llvm::less_first());
  SmallVector<int64_t> result;
  for (auto [place, set] : places)
    llvm::append_range(result, set->to);
  return result;
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// Whether `op` only changes the order of dims. Ops that keep the order
/// (slices, pads) can have any layout instead.
static bool permutesDims(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  if (!record.isLeaf() || !record.movesElements() || !record.getFill().empty())
    return false;
  ArrayRef<int64_t> dims = getTensorType(op->getOperand(0)).getShape();
  bool changes = false;
  for (const analysis::DimFactor &each : splitAtDims(op, 0)) {
    if (each.factor.kind != analysis::Factor::Kind::Same ||
        each.factor.operand.size != dims[each.operandDim])
      return false;
    changes |= each.operandDim != each.resultDim;
  }
  return changes;
}

/// Whether all readers of `value` are reshapes that keep its bytes if it has
/// `order`.
static bool isKeptByReshapes(Value value, ArrayRef<int64_t> order) {
  ArrayRef<int64_t> dims = getTensorType(value).getShape();
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           auto reshape = dyn_cast<WeirOpInterface>(user);
           return reshape && reshape.isReinterpretation() &&
                  getReshapedOrder(
                      dims, order,
                      getTensorType(reshape->getResult(0)).getShape());
         });
}

/// The order of a transpose's result. There are two orders that avoid moving
/// bytes later: the memory order of the operand, and the order with the second
/// dim last, in which channels stay the innermost dim. One of them is chosen if
/// all readers are reshapes that keep the bytes. Otherwise the result is
/// row-major.
static SmallVector<int64_t> chooseTransposedOrder(WeirOpInterface op) {
  Value result = op->getResult(0);
  SmallVector<int64_t> alike = getMemoryOrder(op->getOperand(0));
  SmallVector<int64_t> rowMajor =
      getRowMajorOrder(static_cast<int64_t>(alike.size()));
  SmallVector<int64_t> channelsLast = rowMajor;
  if (alike.size() > 2)
    std::rotate(channelsLast.begin() + 1, channelsLast.begin() + 2,
                channelsLast.end());
  for (const auto &order : {channelsLast, alike})
    if (isKeptByReshapes(result, order))
      return order;
  return rowMajor;
}

std::optional<SmallVector<int64_t>>
weir::getOrderBehindChange(WeirOpInterface op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      !getTensorType(op->getOperand(0)).getEncoding())
    return std::nullopt;
  if (op.isReinterpretation())
    return getReshapedOrder(getTensorType(op->getOperand(0)).getShape(),
                            getMemoryOrder(op->getOperand(0)),
                            getTensorType(op->getResult(0)).getShape());
  if (!permutesDims(op))
    return std::nullopt;
  return chooseTransposedOrder(op);
}
