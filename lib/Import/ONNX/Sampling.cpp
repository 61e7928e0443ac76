//===- Sampling.cpp - ONNX ops that read images at places -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace weir;
using namespace weir::onnx;

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

namespace {
/// The elements around each position along one dim: their positions and
/// weights.
struct Taps {
  std::vector<Tensor> positions, weights;
};

class GridSampler {
public:
  explicit GridSampler(NodeBuilder &node);
  Tensor sample();

private:
  bool check();
  Tensor clip(Tensor x, int64_t size);
  Tensor reflect(Tensor x, int64_t size);
  Tensor placesAlong(int64_t dim);
  std::vector<Tensor> weightsOf(Tensor fraction);
  Taps tapsAlong(int64_t dim);
  void addTaps(llvm::ArrayRef<Taps> taps, Tensor row, Tensor weight);

  NodeBuilder &node;
  Tensor x, grid;
  std::string_view mode, padding;
  bool alignsCorners;
  int64_t numPlaces = 1;
  /// The elements of the image, with dims [N * positions in the image,
  /// channels].
  Tensor rows;
  /// The sum so far, with dims [N * positions of the grid, channels].
  Tensor sum;
};
} // namespace

GridSampler::GridSampler(NodeBuilder &node)
    : node(node), x(node.widened(node.in(0))), grid(node.widened(node.in(1))),
      mode(node.textAttr("mode", node.opset() < 20 ? "bilinear" : "linear")),
      padding(node.textAttr("padding_mode", "zeros")),
      alignsCorners(node.intAttr("align_corners", 0) != 0) {
  if (mode == "bilinear")
    mode = "linear";
  if (mode == "bicubic")
    mode = "cubic";
}

bool GridSampler::check() {
  if (mode != "linear" && mode != "nearest" && mode != "cubic")
    node.fail("attribute 'mode' is '{}', expected linear, nearest or cubic",
              mode);
  if (padding != "zeros" && padding != "border" && padding != "reflection")
    node.fail("attribute 'padding_mode' is '{}', expected zeros, border or "
              "reflection",
              padding);
  if (x.rank() < 3 || grid.rank() != x.rank() || grid.dim(0) != x.dim(0) ||
      grid.dim(grid.rank() - 1) != x.rank() - 2)
    node.fail("expects images and a grid of as many dims, of which the last "
              "has an entry for each spatial dim; found {} and {}",
              node.describeInput(0), node.describeInput(1));
  if (!x.isFloat() || !grid.isFloat())
    node.fail("expects images and a grid of floats");
  return node.isOk();
}

Tensor GridSampler::clip(Tensor place, int64_t size) {
  return node.make<ClipOp>(
      {place},
      {node.attr("min", 0.0), node.attr("max", static_cast<double>(size - 1))});
}

/// Reflects positions outside of the image at its borders, as often as
/// necessary.
Tensor GridSampler::reflect(Tensor place, int64_t size) {
  double least = alignsCorners ? 0 : -0.5;
  double range = static_cast<double>(size) - (alignsCorners ? 1 : 0);
  if (range == 0)
    return place * 0.0;
  auto scalar = [&](double value) {
    return node.scalar(value, place.elementType());
  };
  Tensor distance = node.make<AbsOp>({place - least});
  Tensor rest = node.make<FmodOp>({distance, scalar(2 * range)});
  Tensor beyond = node.make<AbsOp>({rest - range});
  return scalar(range + least) - beyond;
}

/// The positions along spatial dim `dim` to which the grid points. The distance
/// of neighbouring elements is 1.
Tensor GridSampler::placesAlong(int64_t dim) {
  int64_t last = grid.rank() - 1, size = x.dim(dim + 2);
  Tensor place = node.slice(grid, last, x.rank() - 3 - dim, 1) + 1.0;
  place = node.reshape(place, {x.dim(0) * numPlaces, 1});
  auto extent = static_cast<double>(size);
  place =
      alignsCorners ? place * ((extent - 1) / 2) : (place * extent - 1.0) / 2.0;
  if (mode == "nearest")
    place = node.make<RoundOp>({place});
  // Cubic weights depend on where a position was before it is moved into the
  // image. So `tapsAlong` moves each tap instead.
  if (mode == "cubic" || padding == "zeros")
    return place;
  return padding == "border" ? clip(place, size) : reflect(place, size);
}

/// The weights of the elements around a position. The position is `fraction`
/// behind an element.
std::vector<Tensor> GridSampler::weightsOf(Tensor fraction) {
  if (mode == "nearest")
    return {fraction * 0.0 + 1.0};
  Tensor rest = node.scalar(1, fraction.elementType()) - fraction;
  if (mode == "linear")
    return {rest, fraction};
  // The formula is from R. G. Keys, Cubic convolution interpolation, with a =
  // -0.75.
  constexpr double a = -0.75;
  auto near = [&](Tensor t) { return (t * (a + 2) - (a + 3)) * t * t + 1.0; };
  auto far = [&](Tensor t) {
    return ((t * a - 5 * a) * t + 8 * a) * t - 4 * a;
  };
  return {far(fraction + 1.0), near(fraction), near(rest), far(rest + 1.0)};
}

Taps GridSampler::tapsAlong(int64_t dim) {
  Tensor place = placesAlong(dim);
  int64_t size = x.dim(dim + 2);
  Tensor first = node.make<FloorOp>({place});
  Taps taps;
  taps.weights = weightsOf(place - first);
  double offset = mode == "cubic" ? -1 : 0;
  for (Tensor &weight : taps.weights) {
    Tensor at = first + offset;
    offset += 1;
    if (padding == "zeros") {
      Tensor isInside = node.make<EqualOp>({at, clip(at, size)});
      weight = node.make<WhereOp>(
          {isInside, weight, node.scalar(0, weight.elementType())});
    }
    if (padding == "reflection")
      at = reflect(at, size);
    taps.positions.push_back(node.cast(clip(at, size), node.i64()));
  }
  return taps;
}

/// Adds the weighted elements of all combinations of `taps` to `sum`. `taps`
/// are those of the remaining dims. `row` and `weight` come from the dims
/// before.
void GridSampler::addTaps(llvm::ArrayRef<Taps> taps, Tensor row,
                          Tensor weight) {
  if (taps.empty()) {
    Tensor flat = node.reshape(row, {x.dim(0) * numPlaces});
    Tensor picked =
        node.make<GatherOp>({rows, flat}, {node.attr("axis", int64_t(0))});
    Tensor part = picked * node.cast(weight, x.elementType());
    sum = sum ? sum + part : part;
    return;
  }
  int64_t dim = x.rank() - static_cast<int64_t>(taps.size());
  row = row * static_cast<double>(x.dim(dim));
  const Taps &own = taps.front();
  for (size_t i = 0; i < own.weights.size() && node.isOk(); ++i)
    addTaps(taps.drop_front(), row + own.positions[i],
            weight ? weight * own.weights[i] : own.weights[i]);
}

Tensor GridSampler::sample() {
  if (!check())
    return {};
  int64_t rank = x.rank(), batch = x.dim(0), channels = x.dim(1);
  Ints shape = {batch};
  for (int64_t i = 1; i < grid.rank() - 1; ++i) {
    numPlaces *= grid.dim(i);
    shape.push_back(grid.dim(i));
  }
  int64_t image = x.numElements() / std::max<int64_t>(batch * channels, 1);
  Tensor flat = node.reshape(x, {batch, channels, image});
  rows =
      node.reshape(node.transpose(flat, {0, 2, 1}), {batch * image, channels});
  std::vector<Taps> taps;
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    taps.push_back(tapsAlong(dim));
  Tensor images = node.expand(node.iota(batch, 0, 2), {batch, numPlaces});
  addTaps(taps, node.reshape(images, {batch * numPlaces, 1}), {});
  Tensor y = node.reshape(sum, {batch, numPlaces, channels});
  shape.insert(shape.begin() + 1, channels);
  return node.reshape(node.transpose(y, {0, 2, 1}), shape);
}

static Results importGridSample(NodeBuilder &node) {
  Tensor sampled = GridSampler(node).sample();
  return {node.cast(sampled, node.in(0).elementType())};
}

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

/// The position of element `i` among `size` elements that cover the range from
/// -1 to 1. With `alignsCorners`, the centres of the first and last elements
/// are at -1 and 1.
static double normalPlace(int64_t i, int64_t size, bool alignsCorners) {
  auto at = static_cast<double>(i), count = static_cast<double>(size);
  if (!alignsCorners)
    return (2 * at + 1) / count - 1;
  return size == 1 ? 0 : 2 * at / (count - 1) - 1;
}

/// AffineGrid: the positions of all elements of an image, transformed by one
/// matrix for each image.
static Results importAffineGrid(NodeBuilder &node) {
  Tensor matrices = node.widened(node.in(0));
  Ints sizes = node.knownInts(1);
  bool alignsCorners = node.intAttr("align_corners", 0) != 0;
  auto dims = static_cast<int64_t>(sizes.size()) - 2;
  if (dims < 2 || matrices.rank() != 3 || matrices.dim(0) != sizes[0] ||
      matrices.dim(1) != dims || matrices.dim(2) != dims + 1)
    node.fail("expects a matrix of {} rows and {} columns for each image, "
              "found {}",
              dims, dims + 1, node.describeInput(0));
  if (!node.isOk())
    return {Tensor()};
  mlir::Type type = matrices.elementType();
  Tensor grid;
  Ints shape(sizes.begin() + 2, sizes.end());
  // Column i belongs to the dim with number i from the end.
  for (int64_t i = 0; i <= dims; ++i) {
    int64_t dim = dims - 1 - i;
    Tensor column = node.full(shape, 1, type);
    if (dim >= 0) {
      Tensor places = node.cast(node.iota(shape[dim], dim, dims), type);
      double first = normalPlace(0, shape[dim], alignsCorners);
      double step = normalPlace(1, shape[dim], alignsCorners) - first;
      column = column * (places * (shape[dim] > 1 ? step : 0) + first);
    }
    Ints lane(shape);
    lane.push_back(1);
    column = node.reshape(column, lane);
    grid = grid ? node.concat({grid, column}, dims) : column;
  }
  int64_t count = grid.numElements() / (dims + 1);
  Tensor moved = node.make<MatmulOp>({node.reshape(grid, {count, dims + 1}),
                                      node.transpose(matrices, {0, 2, 1})});
  shape.insert(shape.begin(), sizes[0]);
  shape.push_back(dims);
  return {node.cast(node.reshape(moved, shape), node.in(0).elementType())};
}

HandlerRows onnx::samplingRows() {
  static const HandlerRow rows[] = {
      {"AffineGrid", 20, importAffineGrid},
      {"GridSample", 16, importGridSample},
  };
  return rows;
}
