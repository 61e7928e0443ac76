//===- MeantOperands.cpp - What operands that do not fit mean ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MeantOperands.h"

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Orders of dims in other frameworks
//===----------------------------------------------------------------------===//

namespace {
/// An operand and the transpose that may bring its dims into the right order.
struct OtherOrder {
  size_t operand;
  std::vector<int64_t> perm;
};
} // namespace

/// Whether the op sums products, as matrix products and convolutions do.
static bool isContraction(const OpRecord &record) {
  return record.isLeaf() && record.getExpressionText() == "a * b" &&
         record.getCombiner() == Combiner::Sum;
}

static std::vector<int64_t> countUp(size_t rank) {
  std::vector<int64_t> numbers(rank);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Swaps the last two dims: [0, 2, 1].
static std::vector<int64_t> swapLast(size_t rank) {
  std::vector<int64_t> perm = countUp(rank);
  std::swap(perm[rank - 1], perm[rank - 2]);
  return perm;
}

/// Moves the last dim to the second place: [0, 3, 1, 2].
static std::vector<int64_t> lastToSecond(size_t rank) {
  std::vector<int64_t> perm = countUp(rank);
  std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return perm;
}

/// Moves the last two dims to the front, in reverse order: [3, 2, 0, 1].
static std::vector<int64_t> lastTwoToFirst(size_t rank) {
  std::vector<int64_t> perm = countUp(rank);
  std::rotate(perm.begin(), perm.end() - 2, perm.end());
  std::swap(perm[0], perm[1]);
  return perm;
}

/// The orders of dims that other frameworks use in contractions: transposed
/// matrices, images with the channels last, and weights with the kernel dims
/// first or in the middle. Kernel dims are recognised by their equal sizes.
static std::vector<OtherOrder> listOtherOrders(TypeRange operands) {
  std::vector<OtherOrder> orders;
  for (size_t number : {size_t{1}, size_t{0}}) {
    auto type = number < operands.size()
                    ? dyn_cast<RankedTensorType>(operands[number])
                    : RankedTensorType();
    if (!type || type.getRank() < 2)
      continue;
    const ArrayRef<int64_t> shape = type.getShape();
    orders.push_back({number, swapLast(shape.size())});
    if (shape.size() < 3)
      continue;
    if (number == 0 || llvm::all_equal(shape.drop_front().drop_back()))
      orders.push_back({number, lastToSecond(shape.size())});
    if (number == 1 && llvm::all_equal(shape.drop_back(2)))
      orders.push_back({number, lastTwoToFirst(shape.size())});
  }
  return orders;
}

/// The types `operands` with one of them transposed.
static SmallVector<Type> transpose(TypeRange operands,
                                   const OtherOrder &order) {
  SmallVector<Type> changed = llvm::to_vector(operands);
  auto type = cast<RankedTensorType>(changed[order.operand]);
  SmallVector<int64_t> shape;
  for (int64_t dim : order.perm)
    shape.push_back(type.getDimSize(static_cast<unsigned>(dim)));
  changed[order.operand] = RankedTensorType::get(shape, type.getElementType());
  return changed;
}

static std::string describe(const OtherOrder &order) {
  return fmt::format("operand {} transposed by [{}]", order.operand,
                     fmt::join(order.perm, ", "));
}

/// Says which operand of a contraction to transpose so that the op accepts it.
static std::string describeOtherOrder(const OpRecord &record,
                                      TypeRange operands, TakesFn takes) {
  if (!isContraction(record))
    return {};
  auto fits = [&](TypeRange changed) { return takes(record, changed); };
  const std::vector<OtherOrder> orders = listOtherOrders(operands);
  for (const OtherOrder &order : orders)
    if (fits(transpose(operands, order)))
      return "; it fits with " + describe(order);
  for (const OtherOrder &second : orders)
    for (const OtherOrder &first : orders)
      if (first.operand < second.operand &&
          fits(transpose(transpose(operands, first), second)))
        return "; it fits with " + describe(first) + ", and " +
               describe(second);
  return {};
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// Says whether two operands were exchanged. Ops with windows are left out,
/// because a small image would fit as a kernel.
static std::string describeExchange(const OpRecord &record, TypeRange operands,
                                    TakesFn takes) {
  if (operands.size() != 2 ||
      (record.hasIndexSpec() && record.getIndexSpec().hasWindows()) ||
      !takes(record, {operands[1], operands[0]}))
    return {};
  return "; exchange the operands";
}

/// Says which other loss accepts these operands, among the losses that apply
/// the same op to operand 0.
static std::string describeOtherLoss(const OpRecord &record, TypeRange operands,
                                     TakesFn takes) {
  if (record.getAppliedOp().empty() || operands.size() != 2 ||
      !llvm::all_of(operands, llvm::IsaPred<RankedTensorType>))
    return {};
  const Type element = cast<RankedTensorType>(operands[0]).getElementType();
  const Type converted = cast<RankedTensorType>(operands[1]).clone(element);
  const Type alike[] = {operands[0], converted};
  // The shapes are checked because the index specs of losses broadcast targets.
  const ArrayRef<int64_t> scores =
      cast<RankedTensorType>(operands[0]).getShape();
  const ArrayRef<int64_t> targets =
      cast<RankedTensorType>(operands[1]).getShape();
  const bool areTargets =
      scores == targets || (!scores.empty() && scores.drop_back() == targets);
  if (!areTargets || takes(record, alike))
    return {};
  for (RegisteredOperationName op :
       element.getContext()->getRegisteredOperations()) {
    auto *interface = op.getInterface<WeirOpInterface>();
    if (!interface ||
        interface->getRecord().getAppliedOp() != record.getAppliedOp())
      continue;
    const std::string name = op.getStringRef().str();
    if (takes(interface->getRecord(), operands))
      return fmt::format("; {} takes these operands", name);
    if (takes(interface->getRecord(), alike))
      return fmt::format("; {} takes them if operand 1 is converted to the "
                         "element type of operand 0",
                         name);
  }
  return {};
}

std::string weir::describeMeant(const OpRecord &record, TypeRange operands,
                                TakesFn takes) {
  for (auto *describe :
       {describeOtherOrder, describeExchange, describeOtherLoss})
    if (std::string text = describe(record, operands, takes); !text.empty())
      return text;
  return {};
}
