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

/// Refuses windows that reach beyond the padding where padding counts: some
/// runtimes, and the tests of ONNX, count what is beyond as well, others do
/// not.
static void checkReach(NodeBuilder &node, const Window &window, Tensor x) {
  for (size_t i = 0; i < window.rank(); ++i) {
    int64_t size = x.dim(static_cast<int64_t>(i) + 2) + window.pads[i] +
                   window.pads[i + window.rank()];
    if (size >= window.extent(i) &&
        (size - window.extent(i)) % window.strides[i] != 0)
      node.failWith(unimplemented(
          "with 'ceil_mode' and 'count_include_pad' a window reaches beyond "
          "the padding, where runtimes disagree on what counts; pad so that "
          "the windows fit"));
  }
}

using Attributes = llvm::SmallVector<mlir::NamedAttribute>;

/// The attributes of a pooling over `x`, whose pads become those of the window,
/// which is given back in `window`.
static Attributes readPool(NodeBuilder &node, Tensor x, Window &window,
                           bool countsPadding = false) {
  bool isCeiled = node.intAttr("ceil_mode", 0) != 0;
  window = readWindow(node, x);
  padForInput(window, x);
  if (countsPadding && isCeiled)
    checkReach(node, window, x);
  for (int64_t pad : window.pads)
    if (pad < 0)
      node.fail("attribute 'pads' has an entry of {}, expected 0 or more", pad);
  return {node.attr("kernel_shape", window.kernel),
          node.attr("strides", window.strides), node.attr("pads", window.pads),
          node.attr("dilations", window.dilations),
          node.attr("ceil_mode", isCeiled)};
}

/// `positions` in the channels of `x`, counted in the whole tensor. With
/// `isColumnMajor`, the first spatial dim counts fastest.
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

/// Puts elements to where a MaxPool found them, zeros elsewhere. The indices
/// are those into the shape that the window gives; a larger one is padded.
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

/// Where in an image of dims `image` the elements of columns belong, in the
/// order of the window's elements and then of its `counts` positions; -1
/// outside.
static Ints placeColumns(const Window &window, llvm::ArrayRef<int64_t> image,
                         llvm::ArrayRef<int64_t> counts) {
  int64_t numTaps = 1, numPositions = 1;
  for (size_t d = 0; d < image.size(); ++d) {
    numTaps *= window.kernel[d];
    numPositions *= counts[d];
  }
  Ints places;
  for (int64_t number = 0; number < numTaps * numPositions; ++number) {
    int64_t tap = number / numPositions, position = number % numPositions;
    int64_t place = 0, stride = 1;
    bool isInside = true;
    for (size_t d = image.size(); d-- > 0; stride *= image[d]) {
      int64_t at = position % counts[d] * window.strides[d] +
                   tap % window.kernel[d] * window.dilations[d] -
                   window.pads[d];
      isInside &= at >= 0 && at < image[d];
      place += at * stride;
      tap /= window.kernel[d];
      position /= counts[d];
    }
    places.push_back(isInside ? place : -1);
  }
  return places;
}

/// The number of positions of the window along each dim of `image`, checked
/// against the columns `x`.
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
    numTaps *= window.kernel[d];
    numPositions *= counts.back();
  }
  if (x.rank() != 3 || x.dim(1) % numTaps != 0 || x.dim(2) != numPositions)
    node.fail("expects columns of a multiple of {} elements for {} positions, "
              "found {}",
              numTaps, numPositions, node.describeInput(0));
  return counts;
}

/// The sums of the columns' elements at their places in the image.
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
  Ints places = placeColumns(window, image, counts);
  int64_t size = 1, numPlaces = static_cast<int64_t>(places.size());
  for (int64_t dim : image)
    size *= dim;
  int64_t channels = x.dim(1) * x.dim(2) / numPlaces;
  mlir::Type type = x.elementType();
  Tensor columns =
      node.widened(node.reshape(x, {x.dim(0) * channels, numPlaces, 1}));
  Tensor zeros =
      node.full({x.dim(0) * channels, size, 1}, 0, columns.elementType());
  Tensor y = node.make<ScatterSumOp>({columns, node.ints(places), zeros});
  Ints shape{x.dim(0), channels};
  shape.append(image);
  return {node.cast(node.reshape(y, shape), type)};
}

static Results importAveragePool(NodeBuilder &node) {
  Tensor x = node.in(0);
  bool countsPadding = node.intAttr("count_include_pad", 0) != 0;
  Window window;
  Attributes attrs = readPool(node, x, window, countsPadding);
  attrs.push_back(node.attr("count_include_pad", countsPadding));
  return {node.make<AveragePoolOp>({x}, attrs)};
}

/// The p-norm from the sum that `sum` makes of the p-th powers.
template <typename Sum>
static Tensor makeNorm(NodeBuilder &node, Tensor x, Sum sum) {
  // A float in opset 1.
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
