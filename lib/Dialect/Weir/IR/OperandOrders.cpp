//===- OperandOrders.cpp - Orders of dims in other frameworks ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "OperandOrders.h"

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

namespace {
/// An operand whose dims may be in another order.
struct OtherOrder {
  size_t operand;
  /// What Weir takes.
  std::string_view expected;
  /// The transposition that leads there.
  std::vector<int64_t> perm;
};
} // namespace

static std::vector<int64_t> countUp(int64_t rank) {
  std::vector<int64_t> numbers(static_cast<size_t>(rank));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

static OtherOrder swapLast(size_t operand, std::string_view expected,
                           int64_t rank) {
  std::vector<int64_t> perm = countUp(rank);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return {operand, expected, std::move(perm)};
}

/// [0, 3, 1, 2]: what is last becomes the second.
static std::vector<int64_t> lastToSecond(int64_t rank) {
  std::vector<int64_t> perm = countUp(rank);
  std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return perm;
}

/// [3, 2, 0, 1]: the last two become the first, in reverse.
static std::vector<int64_t> lastTwoToFirst(int64_t rank) {
  std::vector<int64_t> perm = {rank - 1, rank - 2};
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    perm.push_back(dim);
  return perm;
}

/// Images with the channels last, and weights with the kernel first or in the
/// middle. Kernels are seen by their equal sizes.
static void addConvolution(std::vector<OtherOrder> &orders,
                           ArrayRef<int64_t> weight, bool isTransposed) {
  const auto rank = static_cast<int64_t>(weight.size());
  const std::string_view expected = isTransposed
                                        ? "[channels, out / groups, kernel...]"
                                        : "[out, channels / groups, kernel...]";
  orders.push_back({0, "[batch, channels, spatial...]", lastToSecond(rank)});
  if (llvm::all_equal(weight.drop_back(2)))
    orders.push_back({1, expected, lastTwoToFirst(rank)});
  if (llvm::all_equal(weight.drop_front().drop_back()))
    orders.push_back({1, expected, lastToSecond(rank)});
}

/// The orders in which other frameworks have the operands of the op.
static std::vector<OtherOrder> listOtherOrders(StringRef mnemonic,
                                               TypeRange operands) {
  if (operands.size() < 2)
    return {};
  auto left = dyn_cast<RankedTensorType>(operands[0]);
  auto right = dyn_cast<RankedTensorType>(operands[1]);
  if (!left || !right)
    return {};
  std::vector<OtherOrder> orders;
  if (mnemonic == "linear" && right.getRank() == 2)
    orders.push_back(swapLast(1, "[out, in]", 2));
  if (mnemonic == "matmul" && left.getRank() >= 2 && right.getRank() >= 2) {
    orders.push_back(swapLast(1, "[..., k, n]", right.getRank()));
    orders.push_back(swapLast(0, "[..., m, k]", left.getRank()));
  }
  const bool isTransposed = mnemonic == "conv_transpose";
  if ((mnemonic == "conv" || isTransposed) && left.getRank() >= 3 &&
      left.getRank() == right.getRank())
    addConvolution(orders, right.getShape(), isTransposed);
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
  return fmt::format("operand {} transposed by [{}], since {} is expected",
                     order.operand, fmt::join(order.perm, ", "),
                     order.expected);
}

std::string weir::describeOtherOrder(StringRef mnemonic, TypeRange operands,
                                     llvm::function_ref<bool(TypeRange)> fits) {
  const std::vector<OtherOrder> orders = listOtherOrders(mnemonic, operands);
  for (const OtherOrder &order : orders)
    if (fits(transpose(operands, order)))
      return "; it fits with " + describe(order);
  for (const OtherOrder &first : orders)
    for (const OtherOrder &second : orders)
      if (first.operand < second.operand &&
          fits(transpose(transpose(operands, first), second)))
        return "; it fits with " + describe(first) + ", and " +
               describe(second);
  return {};
}
