//===- Pooling.cpp - ONNX's poolings -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "llvm/ADT/Sequence.h"

using namespace weir;
using namespace weir::onnx;

using Attributes = llvm::SmallVector<mlir::NamedAttribute>;

/// Reads the attributes of a pooling over `x`. Sets `window`, whose pads
/// include automatic padding.
static Attributes readPool(NodeBuilder &node, Tensor x, Window &window) {
  bool isCeiled = node.intAttr("ceil_mode", 0) != 0;
  window = readWindow(node, x);
  padForInput(window, x);
  for (int64_t pad : window.pads)
    if (pad < 0)
      node.fail("attribute 'pads' has an entry of {}, expected 0 or more", pad);
  return {node.attr("kernel_shape", window.kernel),
          node.attr("strides", window.strides), node.attr("pads", window.pads),
          node.attr("dilations", window.dilations),
          node.attr("ceil_mode", isCeiled)};
}

/// Converts `positions` within a channel of `x` to positions in the whole
/// tensor. If `isColumnMajor`, neighbours along the first spatial dim have
/// consecutive numbers.
static Tensor numberInAll(NodeBuilder &node, Tensor positions, Tensor x,
                          bool isColumnMajor) {
  if (!node.isOk())
    return {};
  llvm::ArrayRef<int64_t> sizes = x.shape().drop_front(2);
  auto product = [](llvm::ArrayRef<int64_t> dims) {
    double all = 1;
    for (int64_t dim : dims)
      all *= static_cast<double>(dim);
    return all;
  };
  Tensor inChannel = positions;
  if (isColumnMajor) {
    inChannel = positions * 0.0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      Tensor at = positions / product(sizes.drop_front(d + 1));
      at = node.make<ModOp>(
          {at, node.scalar(static_cast<double>(sizes[d]), node.i64())});
      inChannel = inChannel + at * product(sizes.take_front(d));
    }
  }
  Tensor channel =
      node.iota(x.dim(0), 0, x.rank()) * static_cast<double>(x.dim(1)) +
      node.iota(x.dim(1), 1, x.rank());
  return channel * product(sizes) + inChannel;
}

static Results importMaxPool(NodeBuilder &node) {
  bool isColumnMajor = node.intAttr("storage_order", 0) != 0;
  Tensor x = node.in(0);
  Window window;
  Attributes attrs = readPool(node, x, window);
  Tensor y = node.make<MaxPoolOp>({x}, attrs);
  if (!node.wants(1))
    return {y};
  Tensor positions = node.make<MaxPoolTapsOp>({x}, attrs);
  return {y, numberInAll(node, positions, x, isColumnMajor)};
}

/// MaxUnpool: puts elements where a MaxPool found them, and zeros elsewhere.
/// Indices refer to the shape that follows from the window. If the output is
/// larger than this shape, it is padded.
static Results importMaxUnpool(NodeBuilder &node) {
  Tensor x = node.in(0), indices = node.in(1);
  Window window = readWindow(node, x);
  Ints shape(x.shape());
  for (size_t i = 0; i < window.rank() && node.isOk(); ++i) {
    int64_t &size = shape[i + 2];
    size = (size - 1) * window.strides[i] + window.kernel[i] - window.pads[i] -
           window.pads[i + window.rank()];
    if (size < 0)
      node.fail("attribute 'pads' leaves nothing of spatial dim {}", i);
  }
  if (x.shape() != indices.shape())
    node.fail("expects an index for each element, found {} and {}",
              node.describeInput(0), node.describeInput(1));
  if (!node.isOk())
    return {Tensor()};
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Tensor flat = node.full({count}, 0, x.elementType());
  flat = node.make<ScatterElementsOp>({flat,
                                       node.reshape(indices, {x.numElements()}),
                                       node.reshape(x, {x.numElements()})});
  Tensor y = node.reshape(flat, shape);
  if (!node.has(2))
    return {y};
  Ints wanted = node.knownInts(2), pads(2 * shape.size(), 0);
  if (wanted.size() != shape.size())
    node.fail("expects an output shape of {} dims, found {}", shape.size(),
              wanted.size());
  for (size_t i = 0; i < shape.size() && node.isOk(); ++i) {
    pads[i + shape.size()] = wanted[i] - shape[i];
    if (wanted[i] < shape[i] || (i < 2 && wanted[i] != shape[i]))
      node.fail("dim {} of the output shape is {}, expected {}{}", i, wanted[i],
                shape[i], i < 2 ? "" : " or more");
  }
  return {node.make<PadOp>({y}, {node.attr("pads", pads)})};
}

/// The number of positions of the window along each dim of `image`. Checks that
/// `x` has one column for each position.
static Ints countColumns(NodeBuilder &node, const Window &window,
                         llvm::ArrayRef<int64_t> image, Tensor x) {
  Ints counts;
  int64_t numTaps = 1, numPositions = 1;
  for (size_t d = 0; d < image.size() && node.isOk(); ++d) {
    int64_t room = image[d] + window.pads[d] + window.pads[d + image.size()] -
                   window.extent(d);
    if (image[d] < 1 || window.kernel[d] < 1 || room < 0)
      node.fail("a block of {} does not fit into dim {} of the image, which is "
                "{}",
                window.kernel[d], d, image[d]);
    counts.push_back(room / window.strides[d] + 1);
    if (__builtin_mul_overflow(numTaps, window.kernel[d], &numTaps) ||
        __builtin_mul_overflow(numPositions, counts.back(), &numPositions))
      node.fail("its blocks have more than 2^63 elements or positions");
  }
  if (x.rank() != 3 || x.dim(1) % numTaps != 0 || x.dim(2) != numPositions)
    node.fail("expects columns of a multiple of {} elements for {} positions, "
              "found {}",
              numTaps, numPositions, node.describeInput(0));
  return counts;
}

/// Adds up the values of blocks that overlap along spatial dim `d`. The image
/// has `size` elements along this dim. The dims of `x` are [channels, block
/// dims 0 to d, positions along dims 0 to d, rest]. The result lacks the block
/// dim `d` and the positions along it. Its last dim is `size` * rest.
static Tensor addColumns(NodeBuilder &node, Tensor x, const Window &window,
                         size_t d, int64_t size) {
  const auto dim = static_cast<int64_t>(d);
  Ints perm = {0};
  for (int64_t first : {int64_t(1), dim + 2})
    for (int64_t i = 0; i < dim; ++i)
      perm.push_back(first + i);
  perm.append({dim + 1, 2 * dim + 2, 2 * dim + 3});
  Tensor moved = node.transpose(x, perm);
  Ints shape(moved.shape().take_front(2 * d + 1));
  const int64_t taps = x.dim(dim + 1), positions = x.dim(2 * dim + 2);
  const int64_t rest = x.dim(2 * dim + 3);
  int64_t rows = 1;
  for (int64_t one : shape)
    rows *= one;
  // Values outside of the image are ignored.
  auto step = [&](int64_t width) { return static_cast<double>(width); };
  Tensor places = node.iota(taps, 0, 2) * step(window.dilations[d]) +
                  node.iota(positions, 1, 2) * step(window.strides[d]) -
                  step(window.pads[d]);
  Tensor sums = node.make<ScatterSumOp>(
      {node.reshape(moved, {rows, taps * positions, rest}),
       node.reshape(places, {taps * positions}),
       node.full({rows, size, rest}, 0, x.elementType())});
  shape.push_back(size * rest);
  return node.reshape(sums, shape);
}

/// Col2Im: adds the elements of columns to their places in the image. Each
/// spatial dim is one step.
static Results importCol2Im(NodeBuilder &node) {
  Tensor x = node.in(0);
  Ints image = node.knownInts(1);
  Window window;
  window.kernel = node.knownInts(2);
  size_t rank = image.size();
  if (rank < 1 || window.kernel.size() != rank)
    node.fail("expects a block size for each dim of the image, found {} and {}",
              window.kernel.size(), rank);
  window.strides = readSizes(node, "strides", rank, 1, 1);
  window.dilations = readSizes(node, "dilations", rank, 1, 1);
  window.pads = readSizes(node, "pads", 2 * rank, 0, 0);
  if (!node.isOk())
    return {Tensor()};
  Ints counts = countColumns(node, window, image, x);
  if (!node.isOk())
    return {Tensor()};
  int64_t numTaps = 1;
  for (int64_t size : window.kernel)
    numTaps *= size;
  const int64_t channels = x.dim(1) / numTaps;
  mlir::Type type = x.elementType();
  Ints split = {x.dim(0) * channels};
  split.append(window.kernel);
  split.append(counts);
  split.push_back(1);
  Tensor y = node.reshape(node.widened(x), split);
  for (size_t d = rank; d-- > 0 && node.isOk();)
    y = addColumns(node, y, window, d, image[d]);
  Ints shape{x.dim(0), channels};
  shape.append(image);
  return {node.cast(node.reshape(y, shape), type)};
}

static Results importAveragePool(NodeBuilder &node) {
  Tensor x = node.in(0);
  bool countsPadding = node.intAttr("count_include_pad", 0) != 0;
  Window window;
  Attributes attrs = readPool(node, x, window);
  attrs.push_back(node.attr("count_include_pad", countsPadding));
  return {node.make<AveragePoolOp>({x}, attrs)};
}

/// The p-norm. `sum` computes the sum of the p-th powers.
template <typename Sum>
static Tensor makeNorm(NodeBuilder &node, Tensor x, Sum sum) {
  // The attribute is a float in opset 1, and an integer since then.
  double p = node.opset() < 2 ? node.floatAttr("p", 2)
                              : static_cast<double>(node.intAttr("p", 2));
  if (!(p >= 1))
    node.fail("attribute 'p' is {}, expected 1 or more", p);
  const mlir::Type given = x.elementType();
  x = node.make<AbsOp>({node.widened(x)});
  Tensor powers = x;
  if (p == 2)
    powers = x * x;
  else if (p != 1)
    powers = node.make<PowOp>({x, node.scalar(p, x.elementType())});
  return node.cast(node.normRoot(sum(powers), p), given);
}

static Results importLpPool(NodeBuilder &node) {
  Tensor x = node.in(0);
  Window window;
  Attributes attrs = readPool(node, x, window);
  return {makeNorm(node, x, [&](Tensor powers) {
    return node.make<SumPoolOp>({powers}, attrs);
  })};
}

static Results importGlobalLpPool(NodeBuilder &node) {
  Tensor x = node.in(0);
  Ints axes =
      llvm::to_vector(llvm::seq<int64_t>(2, std::max<int64_t>(x.rank(), 2)));
  return {makeNorm(node, x, [&](Tensor powers) {
    return node.reduce<ReduceSumOp>(powers, axes);
  })};
}

HandlerRows onnx::poolingRows() {
  static const HandlerRow rows[] = {
      {"AveragePool", 1, importAveragePool},
      {"Col2Im", 18, importCol2Im},
      {"GlobalAveragePool", 1, importAs<GlobalAveragePoolOp>},
      {"GlobalLpPool", 1, importGlobalLpPool},
      {"GlobalMaxPool", 1, importAs<GlobalMaxPoolOp>},
      {"LpPool", 1, importLpPool},
      {"MaxPool", 1, importMaxPool},
      {"MaxUnpool", 9, importMaxUnpool},
  };
  return rows;
}
