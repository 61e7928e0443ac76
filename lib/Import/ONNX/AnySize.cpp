//===- AnySize.cpp - ONNX ops with results of any size ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The number of elements of the results depends on the values of the inputs. So
// the inputs must be known at compile time.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "Suppression.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "llvm/ADT/Sequence.h"

#include <cmath>
#include <limits>

using namespace weir;
using namespace weir::onnx;

/// NonZero: the coordinates of all elements that are not 0. Each of these
/// elements has one column of the result.
static Results importNonZero(NodeBuilder &node) {
  Tensor x = node.in(0);
  std::vector<double> values = node.knownFloats(0);
  if (!node.isOk())
    return {Tensor()};
  std::vector<int64_t> found;
  for (auto [i, value] : llvm::enumerate(values))
    if (value != 0)
      found.push_back(static_cast<int64_t>(i));
  const auto count = static_cast<int64_t>(found.size());
  Ints coordinates;
  int64_t stride = x.numElements();
  for (int64_t size : x.shape()) {
    stride /= std::max<int64_t>(size, 1);
    for (int64_t place : found)
      coordinates.push_back(place / std::max<int64_t>(stride, 1) % size);
  }
  // A scalar counts as a vector of one element, as in numpy.
  if (x.rank() == 0)
    coordinates.assign(found.begin(), found.end());
  return {node.reshape(node.ints(coordinates),
                       {std::max<int64_t>(x.rank(), 1), count})};
}

namespace {
/// Compares elements of an input that is known at compile time. NaN is equal to
/// itself and larger than all other numbers.
class Keys {
public:
  Keys(NodeBuilder &node, size_t input);

  /// Compares `count` elements from position `left` with those from position
  /// `right`. Returns -1, 0 or 1.
  int compare(int64_t left, int64_t right, int64_t count) const {
    for (int64_t i = 0; i < count; ++i)
      if (int order = compareOne(left + i, right + i))
        return order;
    return 0;
  }

private:
  int compareOne(int64_t left, int64_t right) const;

  std::vector<double> floats;
  Ints ints;
};
} // namespace

Keys::Keys(NodeBuilder &node, size_t input) {
  Tensor x = node.in(input);
  if (x.isFloat()) {
    floats = node.knownFloats(input);
    return;
  }
  ints = node.knownInts(input);
  if (node.isOk() && x.elementType().isUnsignedInteger(64))
    for (int64_t &key : ints)
      key ^= std::numeric_limits<int64_t>::min();
}

int Keys::compareOne(int64_t left, int64_t right) const {
  if (floats.empty())
    return ints[left] < ints[right] ? -1 : ints[left] > ints[right];
  const double a = floats[left], b = floats[right];
  if (std::isnan(a) || std::isnan(b))
    return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
  return a < b ? -1 : a > b;
}

namespace {
/// The distinct entries of a list. Each is represented by its first occurrence.
struct Distinct {
  Ints firsts, numbers, counts;
};
} // namespace

/// Finds the distinct entries among `size` entries. If `isSorted`, they are
/// returned in the order of `compare`, and otherwise in the order of their
/// first occurrence.
static Distinct
findDistinct(int64_t size, bool isSorted,
             llvm::function_ref<int(int64_t, int64_t)> compare) {
  Ints order = llvm::to_vector(llvm::seq<int64_t>(0, size));
  llvm::stable_sort(order, [&](int64_t left, int64_t right) {
    return compare(left, right) < 0;
  });
  // For each entry, the first one that is equal to it.
  Ints first(size);
  for (size_t i = 0; i < order.size(); ++i)
    first[order[i]] = i > 0 && compare(order[i - 1], order[i]) == 0
                          ? first[order[i - 1]]
                          : order[i];
  Distinct found;
  Ints numberOf(size);
  auto add = [&](int64_t place) {
    if (first[place] != place)
      return;
    numberOf[place] = static_cast<int64_t>(found.firsts.size());
    found.firsts.push_back(place);
  };
  if (isSorted)
    llvm::for_each(order, add);
  else
    llvm::for_each(llvm::seq<int64_t>(0, size), add);
  found.counts.assign(found.firsts.size(), 0);
  for (int64_t place : first) {
    found.numbers.push_back(numberOf[place]);
    ++found.counts[numberOf[place]];
  }
  return found;
}

/// Unique has four outputs. The first one has the distinct elements, or the
/// distinct slices along an axis. The second one says where each of them first
/// occurs. The third one says, for each element of the input, which distinct
/// element it is equal to. The fourth one says how often each distinct element
/// occurs.
static Results importUnique(NodeBuilder &node) {
  Tensor x = node.in(0);
  const bool isSorted = node.intAttr("sorted", 1) != 0;
  const Keys keys(node, 0);
  int64_t axis = 0;
  if (node.hasAttr("axis"))
    axis = node.axis(node.intAttr("axis", 0), x.rank());
  else
    x = node.reshape(x, {x.numElements()});
  if (!node.isOk())
    return {Tensor(), Tensor(), Tensor(), Tensor()};
  int64_t inner = 1, outer = 1;
  for (int64_t i = 0; i < x.rank(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : x.dim(i);
  const int64_t size = x.dim(axis);
  auto compare = [&](int64_t left, int64_t right) {
    for (int64_t i = 0; i < outer; ++i)
      if (int order = keys.compare((i * size + left) * inner,
                                   (i * size + right) * inner, inner))
        return order;
    return 0;
  };
  Distinct found = findDistinct(size, isSorted, compare);
  Tensor y = node.make<TakeOp>({x, node.ints(found.firsts)},
                               {node.attr("axis", axis)});
  return {y, node.ints(found.firsts), node.ints(found.numbers),
          node.ints(found.counts)};
}

HandlerRows onnx::knownValueRows() {
  static const HandlerRow rows[] = {
      {"NonMaxSuppression", 10, importNonMaxSuppression},
      {"NonZero", 9, importNonZero},
      {"Unique", 11, importUnique},
  };
  return rows;
}
