//===- Resize.cpp - ONNX's Resize and Upsample ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Resizing is separable: one axis at a time, each element of the result is a
// weighted sum of a few elements of the input.
//
//===----------------------------------------------------------------------===//

#include "Resize.h"

#include "weir/Analysis/ResizeTaps.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/Counted.h"

#include <cmath>

using namespace weir;
using namespace weir::onnx;
using analysis::ResizeAxis;
using analysis::ResizeCoordinates;
using analysis::ResizeMode;
using analysis::ResizeTaps;

namespace {
/// An axis of a tensor and how it is resized.
struct Axis {
  int64_t dim;
  ResizeAxis resize;
};
} // namespace

/// Reads an attribute with the function `parse`.
template <typename T>
static T parseAttr(NodeBuilder &node, StatusOr<T> (*parse)(std::string_view),
                   std::string_view name, std::string_view otherwise) {
  std::string_view text = node.textAttr(name, otherwise);
  StatusOr<T> value = parse(text);
  if (value.isOk())
    return *value;
  node.failWith(std::move(value).status().withContext(
      fmt::format("attribute '{}'", name)));
  return T();
}

/// Reads the mode. Upsample, and Resize before opset 11, accept the name
/// `bilinear` for the mode `linear`, and have no mode `cubic`.
static ResizeMode readMode(NodeBuilder &node) {
  std::string_view text = node.textAttr("mode", "nearest");
  if (node.opset() >= 11)
    return parseAttr(node, analysis::parseResizeMode, "mode", "nearest");
  if (text != "nearest" && text != "linear" && text != "bilinear")
    node.fail("attribute 'mode' is '{}', expected nearest, linear or bilinear "
              "before opset 11",
              text);
  return text == "nearest" ? ResizeMode::Nearest : ResizeMode::Linear;
}

/// Reads the attributes that apply to all axes. Upsample, and Resize before
/// opset 11, have only a mode.
static ResizeAxis readModes(NodeBuilder &node) {
  ResizeAxis axis;
  axis.mode = readMode(node);
  axis.coordinates = ResizeCoordinates::Asymmetric;
  axis.nearest = analysis::NearestMode::Floor;
  if (node.opset() < 11)
    return axis;
  axis.coordinates = parseAttr(node, analysis::parseResizeCoordinates,
                               "coordinate_transformation_mode", "half_pixel");
  axis.nearest = parseAttr(node, analysis::parseNearestMode, "nearest_mode",
                           "round_prefer_floor");
  axis.cubicCoefficient = node.floatAttr("cubic_coeff_a", -0.75);
  axis.excludesOutside = node.intAttr("exclude_outside", 0) != 0;
  axis.hasAntialias = node.opset() >= 18 && node.intAttr("antialias", 0) != 0;
  return axis;
}

/// For each element of the result, the index of the element of the input that
/// it copies. `taps` must only select elements.
static Ints getPicked(const ResizeTaps &taps) {
  auto size = static_cast<int64_t>(taps.isOutside.size());
  Ints picked;
  for (int64_t i = 0; i < size; ++i) {
    int64_t first = i * taps.tapsPerElement, tap = first;
    while (tap + 1 < first + taps.tapsPerElement && taps.weights[tap] == 0)
      ++tap;
    picked.push_back(taps.indices[tap]);
  }
  return picked;
}

/// The number of times that resizing along `axis` repeats each element; nothing
/// if the resize does more than repeat elements.
static std::optional<int64_t> countRepeats(const ResizeAxis &axis) {
  StatusOr<ResizeTaps> taps = analysis::computeResizeTaps(axis);
  if (!taps.isOk() || axis.outputSize % axis.inputSize != 0 ||
      !taps->isSelection() || llvm::is_contained(taps->isOutside, true))
    return std::nullopt;
  int64_t times = axis.outputSize / axis.inputSize;
  for (auto [i, index] : llvm::enumerate(getPicked(*taps)))
    if (index != static_cast<int64_t>(i) / times)
      return std::nullopt;
  return times;
}

/// Selects or weights elements along dim `dim`, as `taps` says.
static Tensor applyTaps(NodeBuilder &node, Tensor x, int64_t dim,
                        const ResizeTaps &taps) {
  auto size = static_cast<int64_t>(taps.isOutside.size());
  if (taps.isSelection())
    return node.make<TakeOp>({x, node.ints(getPicked(taps))},
                             {node.attr("axis", dim)});
  auto weights = HostTensor::zeros(DType::F32, {size, taps.tapsPerElement});
  if (!weights.isOk())
    node.failWith(weights.status());
  if (!node.isOk())
    return {};
  for (auto [i, weight] : llvm::enumerate(taps.weights))
    storeFloat(DType::F32, weights->data(), static_cast<int64_t>(i), weight);
  Tensor indices =
      node.reshape(node.ints(taps.indices), {size, taps.tapsPerElement});
  return node.make<ResampleOp>({x, indices, node.constant(*weights)},
                               {node.attr("axis", dim)});
}

static Tensor resizeAxis(NodeBuilder &node, Tensor x, const Axis &axis,
                         double outsideValue) {
  StatusOr<ResizeTaps> taps = analysis::computeResizeTaps(axis.resize);
  if (!taps.isOk()) {
    node.failWith(std::move(taps).status());
    return {};
  }
  x = applyTaps(node, x, axis.dim, *taps);
  if (llvm::none_of(taps->isOutside, [](bool is) { return is; }))
    return x;
  Ints flags(taps->isOutside.begin(), taps->isOutside.end());
  Ints shape(std::max<int64_t>(x.rank(), 1), 1);
  shape[axis.dim] = axis.resize.outputSize;
  Tensor isOutside =
      node.cast(node.reshape(node.ints(flags), shape), node.i1());
  return node.make<WhereOp>(
      {isOutside, node.scalar(outsideValue, x.elementType()), x});
}

/// Repeats each element of `x` along `axes`. The result is missing if the
/// resize does anything else. A new dim after each axis is broadcast, so no
/// indices are looked up.
static Tensor repeatElements(NodeBuilder &node, Tensor x,
                             llvm::ArrayRef<Axis> axes) {
  Ints split, repeated, result;
  size_t found = 0;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (x.dim(d) < 1)
      return {};
    split.push_back(x.dim(d));
    repeated.push_back(x.dim(d));
    result.push_back(x.dim(d));
    const Axis *axis =
        llvm::find_if(axes, [&](const Axis &axis) { return axis.dim == d; });
    if (axis == axes.end())
      continue;
    std::optional<int64_t> times = countRepeats(axis->resize);
    if (!times)
      return {};
    ++found;
    split.push_back(1);
    repeated.push_back(*times);
    result.back() *= *times;
  }
  if (found != axes.size())
    return {};
  return node.reshape(node.expand(node.reshape(x, split), repeated), result);
}

//===----------------------------------------------------------------------===//
// Linear resizes of integers
//===----------------------------------------------------------------------===//

namespace {
/// The two elements around each position along a dim, and their weights.
struct Neighbours {
  int64_t dim;
  Ints indices[2];
  std::vector<float> weights[2];
};
} // namespace

/// The position in the input from which element `i` of the result is computed,
/// in f32.
static float findPlace(const ResizeAxis &axis, int64_t i) {
  const auto at = static_cast<float>(i);
  const auto scale = static_cast<float>(axis.scale);
  const auto input = static_cast<float>(axis.inputSize);
  const auto output = static_cast<float>(axis.outputSize);
  const float middle = (at + 0.5F) / scale - 0.5F;
  switch (axis.coordinates) {
  case ResizeCoordinates::PytorchHalfPixel:
    return output > 1 ? middle : 0;
  case ResizeCoordinates::AlignCorners:
    return output > 1 ? at * (input - 1) / (output - 1) : 0;
  case ResizeCoordinates::Asymmetric:
    return at / scale;
  case ResizeCoordinates::HalfPixelSymmetric:
    return input / 2 * (1 - output / (scale * input)) + middle;
  default:
    return middle;
  }
}

static Neighbours findNeighbours(const Axis &axis) {
  const ResizeAxis &resize = axis.resize;
  const int64_t last = resize.inputSize - 1;
  Neighbours found{axis.dim, {}, {}};
  for (int64_t i = 0; i < resize.outputSize; ++i) {
    const bool isSame = resize.inputSize == resize.outputSize;
    const float place =
        std::clamp(isSame ? static_cast<float>(i) : findPlace(resize, i), 0.0F,
                   static_cast<float>(last));
    const auto first = std::min(static_cast<int64_t>(place), last);
    const int64_t second = std::min(first + 1, last);
    found.indices[0].push_back(first);
    found.indices[1].push_back(second);
    const bool isLast = first == second;
    found.weights[0].push_back(
        isLast ? 0.5F : std::abs(place - static_cast<float>(second)));
    found.weights[1].push_back(
        isLast ? 0.5F : std::abs(place - static_cast<float>(first)));
  }
  return found;
}

/// The weights of neighbour `tap`, as a tensor that varies only along the dim
/// of `along`.
static Tensor makeWeights(NodeBuilder &node, const Neighbours &along,
                          unsigned tap, int64_t rank) {
  const std::vector<float> &weights = along.weights[tap];
  std::vector<int64_t> shape(rank, 1);
  shape[along.dim] = static_cast<int64_t>(weights.size());
  auto tensor = HostTensor::zeros(DType::F32, shape);
  if (!tensor.isOk()) {
    node.failWith(tensor.status());
    return {};
  }
  for (auto [i, weight] : llvm::enumerate(weights))
    storeFloat(DType::F32, tensor->data(), static_cast<int64_t>(i),
               static_cast<double>(weight));
  return node.constant(*tensor);
}

/// Resizes integers with the same results as ONNX Runtime. Positions and
/// weights are rounded to f32. The products of all axes are added in the order
/// of ONNX Runtime, and the result is truncated.
static Tensor resizeIntegers(NodeBuilder &node, Tensor x,
                             std::vector<Axis> axes) {
  const int64_t rank = x.rank();
  // Both dims of an image are resized, even if one keeps its size.
  const bool isImage = rank > 1 && llvm::all_of(axes, [&](const Axis &axis) {
                         return axis.dim >= rank - 2;
                       });
  if (isImage && axes.size() == 1) {
    Axis other = axes.front();
    other.dim = other.dim == rank - 1 ? rank - 2 : rank - 1;
    other.resize.inputSize = other.resize.outputSize = x.dim(other.dim);
    axes.push_back(other);
  }
  // The neighbours along the last dim are visited first, and the weight of this
  // dim is the first factor.
  llvm::sort(axes, [](const Axis &left, const Axis &right) {
    return left.dim > right.dim;
  });
  std::vector<Neighbours> all;
  for (const Axis &axis : axes)
    all.push_back(findNeighbours(axis));
  mlir::Type type = x.elementType();
  Tensor wide = node.cast(x, node.f32()), sum;
  for (unsigned taps = 0; taps < 1U << all.size(); ++taps) {
    Tensor part = wide, weight;
    for (auto [i, along] : llvm::enumerate(all)) {
      const unsigned tap = taps >> i & 1;
      part = node.make<TakeOp>({part, node.ints(along.indices[tap])},
                               {node.attr("axis", along.dim)});
      Tensor own = makeWeights(node, along, tap, rank);
      weight = weight ? weight * own : own;
    }
    part = weight * part;
    sum = sum ? sum + part : part;
  }
  return node.cast(sum, type);
}

/// Whether resizing along `axes` only selects elements.
static bool areSelections(llvm::ArrayRef<Axis> axes) {
  return llvm::all_of(axes, [](const Axis &axis) {
    auto taps = analysis::computeResizeTaps(axis.resize);
    return taps.isOk() && taps->isSelection();
  });
}

//===----------------------------------------------------------------------===//
// All axes
//===----------------------------------------------------------------------===//

static Tensor resizeAxes(NodeBuilder &node, Tensor x,
                         llvm::ArrayRef<Axis> axes) {
  constexpr int64_t maxSize = 1 << 24;
  double outsideValue =
      node.opset() >= 11 ? node.floatAttr("extrapolation_value", 0) : 0;
  llvm::SmallVector<Axis> changed;
  for (const Axis &axis : axes) {
    const ResizeAxis &resize = axis.resize;
    if (resize.outputSize < 1 || resize.outputSize > maxSize ||
        resize.inputSize < 1 || !(resize.scale >= 0x1p-20))
      node.fail("it resizes dim {} of {} to {} elements by a scale of {:.6g}, "
                "expected a positive scale and 1 to {} elements; correct the "
                "scales or sizes",
                axis.dim, node.describeInput(0), resize.outputSize,
                resize.scale, maxSize);
    bool isWhole = resize.inputSize == resize.outputSize && resize.scale == 1 &&
                   resize.coordinates != ResizeCoordinates::TfCropAndResize;
    if (!isWhole)
      changed.push_back(axis);
  }
  if (!node.isOk() || changed.empty())
    return x;
  if (Tensor repeated = repeatElements(node, x, changed))
    return repeated;
  mlir::Type type = x.elementType();
  const bool isRounded = !x.isFloat() && !areSelections(changed);
  const ResizeAxis &modes = changed.front().resize;
  if (isRounded && modes.mode == ResizeMode::Linear && !modes.hasAntialias &&
      modes.coordinates != ResizeCoordinates::TfCropAndResize &&
      changed.size() <= 3)
    return resizeIntegers(node, x, {changed.begin(), changed.end()});
  if (isRounded)
    x = node.cast(x, node.getBuilder().getF64Type());
  for (const Axis &axis : changed)
    if (node.isOk())
      x = resizeAxis(node, x, axis, outsideValue);
  return isRounded ? node.cast(node.make<RoundOp>({x}), type) : x;
}

//===----------------------------------------------------------------------===//
// Sizes and scales
//===----------------------------------------------------------------------===//

/// The axes `dims`, resized by `scales`.
static std::vector<Axis> scaleAxes(NodeBuilder &node, Tensor x,
                                   llvm::ArrayRef<int64_t> dims,
                                   llvm::ArrayRef<double> scales) {
  std::vector<Axis> axes;
  ResizeAxis modes = readModes(node);
  if (dims.size() != scales.size())
    node.fail("it has {}, expected {}, one for each resized dim of {}; give "
              "that many, or name the dims in 'axes' (since opset 18)",
              counted(scales.size(), "scale"), dims.size(),
              node.describeInput(0));
  for (size_t i = 0; i < dims.size() && node.isOk(); ++i) {
    double size = std::floor(static_cast<double>(x.dim(dims[i])) * scales[i]);
    axes.push_back({dims[i], modes});
    axes.back().resize.inputSize = x.dim(dims[i]);
    axes.back().resize.outputSize =
        size >= 0 ? static_cast<int64_t>(std::min(size, 0x1p40)) : -1;
    axes.back().resize.scale = scales[i];
  }
  return axes;
}

/// Reads the attribute that says whether sizes keep the aspect ratio. It has no
/// effect on scales.
static std::string_view readPolicy(NodeBuilder &node) {
  if (node.opset() < 18)
    return "stretch";
  std::string_view policy =
      node.textAttr("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    node.fail("attribute 'keep_aspect_ratio_policy' is '{}', expected stretch, "
              "not_larger or not_smaller",
              policy);
  return policy;
}

/// The axes `dims`, resized to `sizes`. All axes have one scale, unless the
/// policy is "stretch".
static std::vector<Axis> sizeAxes(NodeBuilder &node, Tensor x,
                                  llvm::ArrayRef<int64_t> dims,
                                  llvm::ArrayRef<int64_t> sizes,
                                  std::string_view policy) {
  std::vector<Axis> axes;
  ResizeAxis modes = readModes(node);
  if (dims.size() != sizes.size())
    node.fail("it has {}, expected {}, one for each resized dim of {}; give "
              "that many, or name the dims in 'axes' (since opset 18)",
              counted(sizes.size(), "size"), dims.size(),
              node.describeInput(0));
  double common = 0;
  for (size_t i = 0; i < dims.size() && node.isOk(); ++i) {
    axes.push_back({dims[i], modes});
    ResizeAxis &axis = axes.back().resize;
    axis.inputSize = x.dim(dims[i]);
    axis.outputSize = sizes[i];
    axis.scale = static_cast<double>(sizes[i]) /
                 static_cast<double>(std::max<int64_t>(axis.inputSize, 1));
    if (i == 0 || (policy == "not_larger") == (axis.scale < common))
      common = axis.scale;
  }
  if (policy != "stretch")
    for (auto &[dim, axis] : axes) {
      axis.scale = common;
      axis.outputSize = static_cast<int64_t>(
          std::floor(common * static_cast<double>(axis.inputSize) + 0.5));
    }
  return axes;
}

/// The dims in the attribute `axes`, or all dims if there is none.
static Ints readDims(NodeBuilder &node, Tensor x) {
  Ints dims = node.opset() >= 18 ? node.intsAttr("axes") : Ints();
  if (dims.empty())
    for (int64_t i = 0; i < x.rank(); ++i)
      dims.push_back(i);
  return node.axes(dims, x.rank());
}

/// Imports Upsample. Scales are the second input since opset 9, and an
/// attribute before. In opsets 1 to 6 there are two scales, for images.
Results onnx::importUpsample(NodeBuilder &node) {
  Tensor x = node.in(0);
  std::vector<double> scales;
  if (node.opset() >= 9)
    scales = node.knownFloats(1);
  else if (node.opset() < 7)
    scales = {1, 1, node.floatAttr("height_scale", 1),
              node.floatAttr("width_scale", 1)};
  else
    for (float scale : node.floatsAttr("scales"))
      scales.push_back(static_cast<double>(scale));
  Ints dims = readDims(node, x);
  return {resizeAxes(node, x, scaleAxes(node, x, dims, scales))};
}

/// Reads the part of the input that is resized: where it begins along each
/// axis, and then where it ends along each axis.
static void readCrop(NodeBuilder &node, std::vector<Axis> &axes) {
  std::vector<double> roi = node.knownFloats(1);
  if (roi.size() != 2 * axes.size())
    node.fail("expects {} numbers for the cropped part, found {}",
              2 * axes.size(), roi.size());
  for (size_t i = 0; i < axes.size() && node.isOk(); ++i) {
    axes[i].resize.cropBegin = roi[i];
    axes[i].resize.cropEnd = roi[i + axes.size()];
  }
}

Results onnx::importResize(NodeBuilder &node) {
  const std::string_view policy = readPolicy(node);
  Tensor x = node.in(0);
  node.optional(1);
  Ints dims = readDims(node, x);
  std::vector<double> scales;
  // In opset 11, a node with sizes has an empty list of scales.
  if (node.has(2))
    scales = node.knownFloats(2);
  if (scales.empty() && !node.has(3))
    node.fail("it has neither scales (input 2) nor sizes (input 3), expected "
              "one of them; give one");
  else if (!scales.empty() && node.has(3))
    node.fail("it has both scales ({}) and sizes ({}), expected one of them; "
              "leave one out",
              node.describeInput(2), node.describeInput(3));
  if (!node.isOk())
    return {Tensor()};
  std::vector<Axis> axes =
      scales.empty() ? sizeAxes(node, x, dims, node.knownInts(3), policy)
                     : scaleAxes(node, x, dims, scales);
  bool isCropped = !axes.empty() && axes.front().resize.coordinates ==
                                        ResizeCoordinates::TfCropAndResize;
  if (isCropped)
    readCrop(node, axes);
  return {resizeAxes(node, x, axes)};
}
