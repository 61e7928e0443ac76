//===- ChangedDims.cpp - Layouts of reshapes and transposes -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ChangedDims.h"

#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/DenseSet.h"
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
struct DimGroup {
  SmallVector<int64_t> from, to;
};
} // namespace

static SmallVector<DimGroup> matchDims(ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> to) {
  SmallVector<DimGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size()) {
    DimGroup &group = groups.emplace_back();
    int64_t left = 1, right = 1;
    auto take = [](ArrayRef<int64_t> dims, size_t &next, int64_t &product,
                   SmallVectorImpl<int64_t> &members) {
      if (next == dims.size())
        return false;
      product *= dims[next];
      members.push_back(static_cast<int64_t>(next++));
      return true;
    };
    bool grows = take(from, i, left, group.from) | take(to, j, right, group.to);
    while (grows && left != right)
      grows = left < right ? take(from, i, left, group.from)
                           : take(to, j, right, group.to);
  }
  for (; j < to.size() && !groups.empty(); ++j)
    groups.back().to.push_back(static_cast<int64_t>(j));
  return groups;
}

/// The position of `group` among the dims `order`. Nothing if its dims are not
/// adjacent and in order. Dims of size 1 may be anywhere.
static std::optional<size_t> findPlace(const DimGroup &group,
                                       ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> order) {
  SmallVector<int64_t> members;
  for (int64_t dim : group.from)
    if (from[dim] != 1)
      members.push_back(dim);
  int64_t first = members.empty() ? group.from.front() : members.front();
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
  SmallVector<std::pair<size_t, const DimGroup *>> places;
  SmallVector<DimGroup> groups = matchDims(from, to);
  for (const DimGroup &group : groups) {
    std::optional<size_t> place = findPlace(group, from, order);
    if (!place)
      return std::nullopt;
    places.push_back({*place, &group});
  }
  llvm::stable_sort(places, llvm::less_first());
  SmallVector<int64_t> result;
  for (auto [place, group] : places)
    llvm::append_range(result, group->to);
  return result;
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// The only loop that determines `index`; nothing if there are several or none.
static std::optional<int> getOnlyLoop(const AffineIndex &index) {
  if (index.offset != 0 || index.indirect >= 0 || index.terms.size() != 1 ||
      index.terms[0].coefficient != 1)
    return std::nullopt;
  return index.terms[0].loop;
}

/// Whether `op` only changes the order of dims. Ops that keep the order
/// (slices, pads) can have any layout instead.
static bool permutesDims(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  if (!record.isLeaf() || !record.movesElements() || !record.getFill().empty())
    return false;
  BoundSpec bound = bindSpec(op);
  ArrayRef<int64_t> dims = getTensorType(op->getOperand(0)).getShape();
  SmallVector<int> from, to;
  for (auto [index, dim] : llvm::zip_equal(bound.operands[0], dims)) {
    std::optional<int> loop = getOnlyLoop(index);
    if (!loop || bound.loops[*loop].size != dim)
      return false;
    from.push_back(*loop);
  }
  for (const AffineIndex &index : bound.result) {
    std::optional<int> loop = getOnlyLoop(index);
    if (!loop)
      return false;
    to.push_back(*loop);
  }
  bool usesEachOnce =
      llvm::SmallDenseSet<int>(from.begin(), from.end()).size() == from.size();
  return usesEachOnce && from != to &&
         std::is_permutation(from.begin(), from.end(), to.begin(), to.end());
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

/// The order of a transpose's result. The result keeps the layout of its
/// operand, or has the second dim last, if reshapes behind it keep that:
/// channels then stay the innermost dim. Otherwise it is row-major.
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
