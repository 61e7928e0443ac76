//===- Shape.cpp - ONNX ops that move elements -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "Resize.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/Arithmetic.h"
#include "weir/Support/Counted.h"
#include "weir/Support/ShapeLimits.h"

#include <fmt/ranges.h>

using namespace weir;
using namespace weir::onnx;

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Replaces each 0 in `wanted`, the shape of a Reshape, by the dim of `x` at
/// the same place.
static Ints copyDims(NodeBuilder &node, Tensor x, Ints wanted) {
  for (auto [i, size] : llvm::enumerate(wanted)) {
    if (size != 0)
      continue;
    const auto place = static_cast<int64_t>(i);
    if (place >= x.rank())
      node.fail("its shape [{}] copies dim {} by a 0, but {} has {}; give a "
                "size, or -1",
                fmt::join(wanted, ", "), i, node.describeInput(0),
                counted(static_cast<uint64_t>(x.rank()), "dim"));
    size = x.dim(place);
  }
  return wanted;
}

/// The shape of the result if `x` is reshaped to `wanted`. A 0 stands for the
/// dim of `x`, unless `allowZero`. One -1 stands for the remaining elements.
static Ints resolveShape(NodeBuilder &node, Tensor x, const Ints &wanted,
                         bool allowZero) {
  const std::string asked = fmt::format("[{}]", fmt::join(wanted, ", "));
  Ints sizes = allowZero ? wanted : copyDims(node, x, wanted);
  int64_t known = 1, *open = nullptr;
  for (int64_t &size : sizes) {
    if (size < -1 || (size == -1 && open))
      node.fail("its shape is {}, expected sizes of 0 or more and at most one "
                "-1, for what is left over; give the sizes",
                asked);
    if (size == -1)
      open = &size;
    else if (__builtin_mul_overflow(known, size, &known))
      node.fail("its shape {} has more elements than 2^63; correct it", asked);
  }
  if (!node.isOk())
    return sizes;
  const int64_t count = x.numElements();
  if (open && known != 0 && count % known == 0)
    *open = count / known;
  else if (open || known != count)
    node.fail("its shape {} has {} elements, but {} has {}; correct {}", asked,
              open ? fmt::format("a multiple of {}", known)
                   : std::to_string(known),
              node.describeInput(0), count,
              open ? "the sizes" : "it, or put -1 where the rest belongs");
  return sizes;
}

static Results importReshape(NodeBuilder &node) {
  Tensor x = node.in(0);
  bool allowZero = node.intAttr("allowzero", 0) != 0;
  // The shape is an attribute in opsets 1 to 4.
  Ints wanted = node.opset() < 5 ? node.intsAttr("shape") : node.knownInts(1);
  if (!node.isOk())
    return {Tensor()};
  return {node.reshape(x, resolveShape(node, x, wanted, allowZero))};
}

static Results importFlatten(NodeBuilder &node) {
  Tensor x = node.in(0);
  int64_t axis = node.intAttr("axis", 1);
  axis = axis == x.rank() ? axis : node.axis(axis, x.rank());
  int64_t rows = 1, columns = 1;
  for (int64_t i = 0; i < x.rank(); ++i)
    (i < axis ? rows : columns) *= x.dim(i);
  return {node.reshape(x, {rows, columns})};
}

/// The axes. They are an attribute before opset 13, and the second input since
/// then.
static std::optional<Ints> readAxes(NodeBuilder &node) {
  if (node.opset() < 13)
    return node.hasAttr("axes") ? std::optional(node.intsAttr("axes"))
                                : std::nullopt;
  return node.has(1) ? std::optional(node.knownInts(1)) : std::nullopt;
}

static Results importSqueeze(NodeBuilder &node) {
  Tensor x = node.in(0);
  std::optional<Ints> given = readAxes(node);
  Ints axes = node.axes(given.value_or(Ints()), x.rank()), shape;
  for (int64_t i = 0; i < x.rank(); ++i) {
    bool goes = given ? llvm::is_contained(axes, i) : x.dim(i) == 1;
    if (!goes)
      shape.push_back(x.dim(i));
    else if (x.dim(i) != 1)
      node.fail("axis {} has size {}, expected 1", i, x.dim(i));
  }
  return {node.reshape(x, shape)};
}

static Results importUnsqueeze(NodeBuilder &node) {
  Tensor x = node.in(0);
  std::optional<Ints> given = readAxes(node);
  if (!given)
    node.fail("it lacks axes");
  int64_t rank = x.rank() + static_cast<int64_t>(given.value_or(Ints()).size());
  Ints axes = node.axes(given.value_or(Ints()), rank), shape;
  int64_t next = 0;
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(axes, i) ? 1 : x.dim(next++));
  return {node.reshape(x, shape)};
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

static Results importTranspose(NodeBuilder &node) {
  Tensor x = node.in(0);
  Ints perm = node.intsAttr("perm");
  if (perm.empty())
    for (int64_t i = x.rank(); i-- > 0;)
      perm.push_back(i);
  if (static_cast<int64_t>(perm.size()) != x.rank())
    node.fail("attribute 'perm' has {} entries, expected {}", perm.size(),
              x.rank());
  return {node.transpose(x, node.axes(perm, x.rank(), "perm"))};
}

/// Reads the attribute blocksize. Checks that it is positive and that `x` has
/// rank 4.
static int64_t readBlock(NodeBuilder &node, Tensor x) {
  int64_t block = node.intAttr("blocksize", 0);
  if (x.rank() != 4 || block < 1 || block > 1 << 15) {
    node.fail("expects images of rank 4 and a positive block size, found rank "
              "{} and {}",
              x.rank(), block);
    return 1;
  }
  return block;
}

/// Whether the depth comes first in the number of a channel (DCR). It comes
/// before the row and the column in the block.
static bool readDepthMode(NodeBuilder &node) {
  std::string_view mode = node.textAttr("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    node.fail("attribute 'mode' is '{}', expected DCR or CRD", mode);
  return mode == "DCR";
}

static Results importDepthToSpace(NodeBuilder &node) {
  Tensor x = node.in(0);
  int64_t b = readBlock(node, x);
  bool isDepthFirst = readDepthMode(node);
  int64_t n = x.dim(0), c = x.dim(1) / (b * b), h = x.dim(2), w = x.dim(3);
  if (c * b * b != x.dim(1))
    node.fail("expects a multiple of {} channels, found {}", b * b, x.dim(1));
  Tensor split = isDepthFirst ? node.reshape(x, {n, b, b, c, h, w})
                              : node.reshape(x, {n, c, b, b, h, w});
  Tensor moved = isDepthFirst ? node.transpose(split, {0, 3, 4, 1, 5, 2})
                              : node.transpose(split, {0, 1, 4, 2, 5, 3});
  return {node.reshape(moved, {n, c, h * b, w * b})};
}

static Results importSpaceToDepth(NodeBuilder &node) {
  Tensor x = node.in(0);
  int64_t b = readBlock(node, x);
  int64_t n = x.dim(0), c = x.dim(1), h = x.dim(2) / b, w = x.dim(3) / b;
  if (h * b != x.dim(2) || w * b != x.dim(3))
    node.fail("an image of {}x{} is not a multiple of {}", x.dim(2), x.dim(3),
              b);
  bool isDepthFirst = readDepthMode(node);
  Tensor split = node.reshape(x, {n, c, h, b, w, b});
  Tensor moved = isDepthFirst ? node.transpose(split, {0, 3, 5, 1, 2, 4})
                              : node.transpose(split, {0, 1, 3, 5, 2, 4});
  return {node.reshape(moved, {n, c * b * b, h, w})};
}

//===----------------------------------------------------------------------===//
// Parts and repetitions
//===----------------------------------------------------------------------===//

static Results importConcat(NodeBuilder &node) {
  llvm::SmallVector<Tensor> parts = node.allInputs();
  if (parts.empty())
    return {node.in(0)};
  if (node.opset() >= 4 && !node.hasAttr("axis"))
    node.fail("it lacks attribute 'axis'");
  return {node.concat(
      parts, node.axis(node.intAttr("axis", 1), parts.front().rank()))};
}

/// Checks that `sizes` add up to `size`, the size of a dim.
static Ints checkSplit(NodeBuilder &node, int64_t size, Ints sizes) {
  int64_t sum = 0;
  for (int64_t each : sizes) {
    if (each < 0)
      node.fail("'split' expects sizes of at least 0, found {}", each);
    sum = saturatingAdd(sum, std::max<int64_t>(each, 0));
  }
  if (node.isOk() && sum != size)
    node.fail("'split' adds up to {}, expected {}, the size of the dim that it "
              "splits",
              sum, size);
  return node.isOk() ? std::move(sizes) : Ints();
}

/// The sizes of the parts into which a dim of `size` is split.
static Ints readSplit(NodeBuilder &node, int64_t size) {
  if (node.opset() < 13 && node.hasAttr("split"))
    return checkSplit(node, size, node.intsAttr("split"));
  if ((node.opset() >= 13 || node.opset() < 2) && node.has(1))
    return checkSplit(node, size, node.knownInts(1));
  auto outputs = static_cast<int64_t>(node.numOutputs());
  int64_t count =
      node.opset() >= 18 ? node.intAttr("num_outputs", outputs) : outputs;
  if (count < 1 || count > outputs) {
    if (outputs == 1)
      node.fail("expects 1 part, found {}", count);
    else
      node.fail("expects from 1 to {} parts, found {}", outputs, count);
    return {};
  }
  // The last part is smaller if the dim is not a multiple of the part size.
  int64_t each = (size + count - 1) / count;
  Ints sizes(count, each);
  sizes.back() = size - each * (count - 1);
  if (sizes.back() < 0) {
    node.fail("a dim of {} cannot be split into {} parts: with {} in each, "
              "fewer are full; give the sizes in 'split'",
              size, count, each);
    return {};
  }
  if (node.opset() < 18 && sizes.back() != each)
    node.fail("a dim of {} cannot be split into {} equal parts", size, count);
  return sizes;
}

static Results importSplit(NodeBuilder &node) {
  Tensor x = node.in(0);
  int64_t axis = node.axis(node.intAttr("axis", 0), x.rank());
  Ints sizes = readSplit(node, x.dim(axis));
  if (!node.isOk())
    return {};
  if (sizes.size() == 1)
    return {x};
  llvm::SmallVector<Tensor> parts = node.makeMany<SplitOp>(
      {x}, {node.attr("axis", axis), node.attr("sizes", sizes)});
  return Results(parts.begin(), parts.end());
}

/// The first element that a Slice takes from a dim, and how many it takes.
struct Range {
  int64_t start, count;
};
static Range resolveRange(int64_t start, int64_t end, int64_t step,
                          int64_t size) {
  auto fromFront = [&](int64_t place) {
    return place < 0 ? place + size : place;
  };
  // A backward slice starts at the last element or before, and may end before
  // the first element.
  int64_t least = step < 0 ? -1 : 0, most = step < 0 ? size - 1 : size;
  start = std::clamp(fromFront(std::max(start, -size - 1)), least, most);
  end = std::clamp(fromFront(std::max(end, -size - 1)), least, most);
  if (step < 0)
    start = std::max<int64_t>(start, size ? 0 : -1);
  int64_t distance = step < 0 ? start - end : end - start;
  int64_t stride = step < 0 ? -step : step;
  int64_t count = distance <= 0 ? 0 : (distance - 1) / stride + 1;
  return {count == 0 ? 0 : start, count};
}

static Tensor sliceMany(NodeBuilder &node, Tensor x, Ints starts, Ints ends,
                        Ints axes, Ints steps) {
  if (axes.empty())
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(static_cast<int64_t>(i));
  if (steps.empty())
    steps.assign(starts.size(), 1);
  if (starts.size() != ends.size() || starts.size() != axes.size() ||
      starts.size() != steps.size())
    node.fail("it has {} starts, {} ends, {} axes, {} steps; give equally many",
              starts.size(), ends.size(), axes.size(), steps.size());
  axes = node.axes(axes, x.rank());
  Ints from(x.rank(), 0), sizes(x.shape()), strides(x.rank(), 1);
  bool isWhole = true;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
    if (steps[i] == 0 || steps[i] == lowest) {
      node.fail("a step is {}; steps must neither be 0 nor -2^63", steps[i]);
      return {};
    }
    Range range = resolveRange(starts[i], ends[i], steps[i], x.dim(axis));
    isWhole &= range.count == x.dim(axis) && steps[i] == 1;
    from[axis] = range.start;
    sizes[axis] = range.count;
    // If a slice has one element, its step has no effect, and may be huge.
    strides[axis] = range.count > 1 ? steps[i] : 1;
  }
  if (isWhole)
    return x;
  return node.make<SliceOp>({x}, {node.attr("starts", from),
                                  node.attr("sizes", sizes),
                                  node.attr("steps", strides)});
}

static Results importSlice1(NodeBuilder &node) {
  return {sliceMany(node, node.in(0), node.intsAttr("starts"),
                    node.intsAttr("ends"), node.intsAttr("axes"), {})};
}

static Results importSlice10(NodeBuilder &node) {
  Ints starts = node.knownInts(1), ends = node.knownInts(2), axes, steps;
  if (node.has(3))
    axes = node.knownInts(3);
  if (node.has(4))
    steps = node.knownInts(4);
  return {sliceMany(node, node.in(0), starts, ends, axes, steps)};
}

static Results importExpand(NodeBuilder &node) {
  Tensor x = node.in(0);
  Ints wanted = node.knownInts(1);
  // A 1 on either side becomes the size on the other side, as in numpy.
  Ints shape(std::max<size_t>(wanted.size(), x.rank()), 1);
  for (auto [i, size] : llvm::enumerate(llvm::reverse(wanted)))
    shape[shape.size() - 1 - i] = size;
  for (auto [i, size] : llvm::enumerate(llvm::reverse(x.shape()))) {
    int64_t &other = shape[shape.size() - 1 - i];
    other = other == 1 ? size : other;
  }
  return {node.expand(x, shape)};
}

/// The number of repetitions of each dim. In opsets 1 to 5, only one dim is
/// repeated.
static Ints readRepeats(NodeBuilder &node, Tensor x) {
  if (node.opset() >= 6)
    return node.knownInts(1);
  std::vector<double> count = node.knownFloats(1), axis = node.knownFloats(2);
  Ints repeats(x.rank(), 1);
  if (count.size() != 1 || axis.size() != 1)
    node.fail("expects one number of tiles and one axis, found {} and {}",
              count.size(), axis.size());
  if (node.isOk())
    repeats[node.axis(fromDouble<int64_t>(axis[0]), x.rank())] =
        fromDouble<int64_t>(count[0]);
  return repeats;
}

static Results importTile(NodeBuilder &node) {
  Tensor x = node.in(0);
  Ints repeats = readRepeats(node, x), between, wide, tiled;
  if (static_cast<int64_t>(repeats.size()) != x.rank())
    node.fail("expects {} repeats, found {}", x.rank(), repeats.size());
  if (!node.isOk())
    return {Tensor()};
  // A new dim is inserted before each dim, and broadcast to the number of
  // repetitions.
  for (auto [size, count] : llvm::zip(x.shape(), repeats)) {
    int64_t total = 0;
    if (count < 0)
      node.fail("expects repeats from 0 up, found {}", count);
    else if (__builtin_mul_overflow(size, count, &total))
      node.fail("cannot repeat a dim of {} {} times", size, count);
    if (!node.isOk())
      return {Tensor()};
    tiled.push_back(total);
    if (count != 1) {
      between.push_back(1);
      wide.push_back(count);
    }
    between.push_back(size);
    wide.push_back(size);
  }
  Tensor split = node.reshape(x, between);
  return {node.reshape(node.expand(split, wide), tiled)};
}

HandlerRows onnx::shapeRows() {
  static const HandlerRow rows[] = {
      {"Concat", 1, importConcat},
      {"DepthToSpace", 1, importDepthToSpace},
      {"Expand", 8, importExpand},
      {"Flatten", 1, importFlatten},
      {"Reshape", 1, importReshape},
      {"Resize", 10, importUpsample, 10},
      {"Resize", 11, importResize},
      {"Slice", 1, importSlice1, 9},
      {"Slice", 10, importSlice10},
      {"SpaceToDepth", 1, importSpaceToDepth},
      {"Split", 1, importSplit},
      {"Squeeze", 1, importSqueeze},
      {"Tile", 1, importTile},
      {"Transpose", 1, importTranspose},
      {"Unsqueeze", 1, importUnsqueeze},
      {"Upsample", 1, importUpsample, 9},
  };
  return rows;
}
