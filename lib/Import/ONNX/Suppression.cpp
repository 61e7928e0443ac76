//===- Suppression.cpp - ONNX's NonMaxSuppression ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace weir;
using namespace weir::onnx;

/// The most boxes. Comparing each pair would take too long if there were more.
static constexpr int64_t maxBoxes = 1 << 13;

namespace {
/// A rectangle by its smallest and largest coordinates.
struct Box {
  double top, left, bottom, right;

  double area() const { return (bottom - top) * (right - left); }
};
} // namespace

/// Reads a box from `numbers`. They are the centre and the sizes if
/// `isCentred`, and otherwise two opposite corners.
static Box readBox(const double *numbers, bool isCentred) {
  const auto [a, b, c, d] =
      std::tuple{numbers[0], numbers[1], numbers[2], numbers[3]};
  if (isCentred)
    return {b - d / 2, a - c / 2, b + d / 2, a + c / 2};
  return {std::min(a, c), std::min(b, d), std::max(a, c), std::max(b, d)};
}

/// Whether the intersection of two boxes is more than `threshold` times their
/// union.
static bool overlap(const Box &one, const Box &other, double threshold) {
  const double height =
      std::min(one.bottom, other.bottom) - std::max(one.top, other.top);
  const double width =
      std::min(one.right, other.right) - std::max(one.left, other.left);
  if (height <= 0 || width <= 0)
    return false;
  const double shared = height * width;
  const double both = one.area() + other.area() - shared;
  return both > 0 && shared / both > threshold;
}

/// The boxes of one class that are kept. The best boxes come first.
static Ints selectBoxes(llvm::ArrayRef<Box> boxes,
                        llvm::ArrayRef<double> scores, int64_t most,
                        double threshold, std::optional<double> least) {
  Ints order;
  for (auto [i, score] : llvm::enumerate(scores))
    if (!least || score > *least)
      order.push_back(static_cast<int64_t>(i));
  llvm::stable_sort(order, [&](int64_t left, int64_t right) {
    return scores[left] > scores[right];
  });
  Ints kept;
  for (int64_t candidate : order) {
    if (static_cast<int64_t>(kept.size()) >= most)
      break;
    if (llvm::none_of(kept, [&](int64_t other) {
          return overlap(boxes[candidate], boxes[other], threshold);
        }))
      kept.push_back(candidate);
  }
  return kept;
}

/// The number in input `i`, or `otherwise` if it is left out.
static double readNumber(NodeBuilder &node, size_t i, double otherwise) {
  if (!node.has(i))
    return otherwise;
  std::vector<double> numbers = node.knownFloats(i);
  if (numbers.size() != 1)
    node.fail("expects one number in {}, found {}", node.inputName(i),
              numbers.size());
  return numbers.empty() ? otherwise : numbers.front();
}

Results onnx::importNonMaxSuppression(NodeBuilder &node) {
  Tensor boxes = node.in(0), scores = node.in(1);
  const bool isCentred = node.intAttr("center_point_box", 0) != 0;
  const double most = readNumber(node, 2, 0);
  const double threshold = readNumber(node, 3, 0);
  std::optional<double> least;
  if (node.has(4))
    least = readNumber(node, 4, 0);
  if (boxes.rank() != 3 || scores.rank() != 3 || boxes.dim(2) != 4 ||
      boxes.dim(0) != scores.dim(0) || boxes.dim(1) != scores.dim(2) ||
      boxes.dim(1) > maxBoxes)
    node.fail("expects four numbers for each of up to {} boxes, and a score "
              "for each class and box, found {} and {}",
              maxBoxes, node.describeInput(0), node.describeInput(1));
  const std::vector<double> places = node.knownFloats(0);
  const std::vector<double> allScores = node.knownFloats(1);
  if (!node.isOk())
    return {Tensor()};
  const int64_t count = boxes.dim(1), numClasses = scores.dim(1);
  Ints selected;
  for (int64_t image = 0; image < boxes.dim(0); ++image) {
    std::vector<Box> own;
    for (int64_t i = 0; i < count; ++i)
      own.push_back(readBox(&places[(image * count + i) * 4], isCentred));
    for (int64_t ofClass = 0; ofClass < numClasses; ++ofClass)
      for (int64_t box :
           selectBoxes(own,
                       llvm::ArrayRef(allScores).slice(
                           (image * numClasses + ofClass) * count, count),
                       static_cast<int64_t>(std::clamp(most, 0.0, 0x1p40)),
                       threshold, least))
        selected.append({image, ofClass, box});
  }
  const auto rows = static_cast<int64_t>(selected.size()) / 3;
  return {node.reshape(node.ints(selected), {rows, 3})};
}
