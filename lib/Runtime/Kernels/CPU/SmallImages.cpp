//===- SmallImages.cpp - Convolutions of small images -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SmallImages.h"

#include "Pointwise.h"

#include <algorithm>
#include <cstdint>

using namespace weir;
using namespace weir::cpu;

namespace {

/// The sizes of a convolution as a product.
struct Sizes {
  explicit Sizes(const WindowSums &sums);

  /// The number of cells in an image `covered`, the number of cells in an image
  /// `places`, and the number of elements of a window.
  int64_t covered, places, elements;
  int64_t images, channels, outputs;

  int64_t rows() const { return images * places; }
  int64_t width() const { return channels * elements; }
};

} // namespace

static int64_t countCells(const Dims &dims, size_t first) {
  int64_t cells = 1;
  for (size_t i = first; i < dims.size(); ++i)
    cells *= dims[i];
  return cells;
}

Sizes::Sizes(const WindowSums &sums)
    : covered(countCells(sums.covered.desc.dims, 2)),
      places(countCells(sums.places.desc.dims, 2)),
      elements(countCells(sums.windows.kernel, 0)),
      images(sums.covered.desc.dims[0]), channels(sums.covered.desc.dims[1]),
      outputs(sums.places.desc.dims[1]) {}

/// Whether each window covers only the cell at its own place.
static bool areSingleCells(const WindowSums &sums) {
  const Windows &windows = sums.windows;
  const Dims &covered = sums.covered.desc.dims, &places = sums.places.desc.dims;
  return areAll(windows.kernel, 1) && areAll(windows.strides, 1) &&
         areAll(windows.padsBegin, 0) &&
         std::equal(covered.begin() + 2, covered.end(), places.begin() + 2,
                    places.end());
}

bool cpu::suitsProduct(const WindowSums &sums) {
  const TensorDesc &covered = sums.covered.desc, &places = sums.places.desc;
  const TensorDesc &weights = sums.weights.desc;
  auto isReadable = [](const TensorDesc &image) {
    return image.type == DType::F32 && image.numElements() != 0 &&
           sameLayout(image, channelsLast(image.type, image.dims));
  };
  if (weights.type != DType::F32 || weights.dims.size() != places.dims.size() ||
      weights.dims[1] != covered.dims[1] || !isReadable(covered) ||
      !isReadable(places) ||
      !sameLayout(weights, TensorDesc::rowMajor(weights.type, weights.dims)))
    return false;
  // The sizes at which a product and the library's convolution take equally
  // long (docs/performance/convolutions.md). Smaller weights are reordered in
  // less time than another step takes.
  constexpr int64_t leastWeights = 8192, mostRows = 512, mostWindows = 256;
  const Sizes sizes(sums);
  // `listCells` lists the numbers of cells, which have 32 bits.
  constexpr int64_t mostListed = int64_t(1) << 24;
  if (weights.numElements() < leastWeights || sizes.covered > mostListed ||
      sizes.places > mostListed || sizes.elements > mostListed ||
      sizes.places * sizes.elements > mostListed ||
      sizes.places * sizes.width() > INT32_MAX)
    return false;
  if (areSingleCells(sums))
    return sizes.rows() <= mostRows;
  // With no more rows than outputs, the windows have no more elements than the
  // weights.
  return sizes.rows() <= std::min(sizes.outputs, mostWindows);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// For each window of an image, and for each element of the window: the number
/// of the cell that the element covers, or -1 in the padding.
static std::vector<int32_t> listCells(const WindowSums &sums) {
  const Windows &windows = sums.windows;
  const Dims &covered = sums.covered.desc.dims, &places = sums.places.desc.dims;
  const Sizes sizes(sums);
  std::vector<int32_t> cells;
  for (int64_t place = 0; place < sizes.places; ++place)
    for (int64_t element = 0; element < sizes.elements; ++element) {
      int64_t cell = 0, step = 1, placeLeft = place, elementLeft = element;
      for (size_t i = windows.rank(); i-- > 0;) {
        const int64_t at =
            placeLeft % places[i + 2] * windows.strides[i] +
            elementLeft % windows.kernel[i] * windows.dilations[i] -
            windows.padsBegin[i];
        placeLeft /= places[i + 2];
        elementLeft /= windows.kernel[i];
        if (at < 0 || at >= covered[i + 2])
          cell = -1;
        else if (cell >= 0)
          cell += at * step;
        step *= covered[i + 2];
      }
      cells.push_back(static_cast<int32_t>(cell));
    }
  return cells;
}

/// The description of a row-major matrix in f32.
static TensorDesc matrix(int64_t rows, int64_t columns) {
  return TensorDesc::rowMajor(DType::F32, {rows, columns});
}

/// The windows as rows of a matrix. The elements of a row have the order of the
/// weights of an output.
static Value addWindows(KernelBuilder &builder, const WindowSums &sums) {
  const Sizes sizes(sums);
  const TensorDesc desc = matrix(sizes.rows(), sizes.width());
  if (areSingleCells(sums))
    return sums.covered.as(desc);
  const Value windows = builder.temporary(desc);
  auto copy = [sizes, cells = listCells(sums)](int thread, int numThreads,
                                               std::byte *const *bytes) {
    const auto *covered = reinterpret_cast<const float *>(bytes[0]);
    auto *rows = reinterpret_cast<float *>(bytes[1]);
    const int64_t end = sizes.rows() * (thread + 1) / numThreads;
    for (int64_t row = sizes.rows() * thread / numThreads; row < end; ++row) {
      const float *image =
          covered + row / sizes.places * sizes.covered * sizes.channels;
      const int32_t *cell = cells.data() + row % sizes.places * sizes.elements;
      float *to = rows + row * sizes.width();
      for (int64_t element = 0; element < sizes.elements; ++element) {
        const int64_t at = cell[element];
        for (int64_t i = 0; i < sizes.channels; ++i)
          to[i * sizes.elements + element] =
              at < 0 ? 0 : image[at * sizes.channels + i];
      }
    }
    return dnnl_success;
  };
  builder.add("windows", copy, {sums.covered, windows});
  return windows;
}

namespace {

/// Adds the elements of windows to the cells that they cover.
class WindowAdder {
public:
  explicit WindowAdder(const WindowSums &sums);

  dnnl_status_t run(int thread, int numThreads, std::byte *const *bytes) const;

private:
  Sizes sizes;
  /// For each cell of an image, the offsets of the window elements that cover
  /// it, from the first row of the image on. The offsets for `cell` are in
  /// `elements`, from `starts[cell]` up to `starts[cell + 1]`.
  std::vector<int32_t> starts, elements;
};

} // namespace

WindowAdder::WindowAdder(const WindowSums &sums)
    : sizes(sums), starts(static_cast<size_t>(sizes.covered) + 1) {
  const std::vector<int32_t> cells = listCells(sums);
  for (int32_t cell : cells)
    if (cell >= 0)
      ++starts[static_cast<size_t>(cell) + 1];
  for (size_t i = 1; i < starts.size(); ++i)
    starts[i] += starts[i - 1];
  elements.resize(static_cast<size_t>(starts.back()));
  std::vector<int32_t> next = starts;
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto place = static_cast<int64_t>(i) / sizes.elements;
    const auto element = static_cast<int64_t>(i) % sizes.elements;
    if (cells[i] >= 0)
      elements[static_cast<size_t>(next[static_cast<size_t>(cells[i])]++)] =
          static_cast<int32_t>(place * sizes.width() + element);
  }
}

dnnl_status_t WindowAdder::run(int thread, int numThreads,
                               std::byte *const *bytes) const {
  const auto *rows = reinterpret_cast<const float *>(bytes[0]);
  auto *covered = reinterpret_cast<float *>(bytes[1]);
  const int64_t all = sizes.images * sizes.covered;
  const int64_t end = all * (thread + 1) / numThreads;
  for (int64_t cell = all * thread / numThreads; cell < end; ++cell) {
    const float *image =
        rows + cell / sizes.covered * sizes.places * sizes.width();
    float *to = covered + cell * sizes.channels;
    std::fill_n(to, sizes.channels, 0.0F);
    const auto own = static_cast<size_t>(cell % sizes.covered);
    for (int64_t i = starts[own]; i < starts[own + 1]; ++i) {
      const float *from = image + elements[static_cast<size_t>(i)];
      for (int64_t channel = 0; channel < sizes.channels; ++channel)
        to[channel] += from[channel * sizes.elements];
    }
  }
  return dnnl_success;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Adds the product of `lhs` and `rhs`, and `epilogues`. `result` is the image
/// `image` as a matrix.
static Status addFusedProduct(KernelBuilder &builder, const Value &lhs,
                              const Value &rhs,
                              const std::optional<Value> &bias,
                              const Value &result, const Value &image,
                              std::span<const Epilogue> epilogues) {
  const int64_t columns = result.desc.dims[1];
  const std::optional<Value> row =
      bias ? std::optional(bias->as(matrix(1, columns))) : std::nullopt;
  auto make = [&](const dnnl::primitive_attr &attr) {
    return dnnl::matmul::primitive_desc(
        cpuEngine(), memoryDesc(lhs.desc), memoryDesc(rhs.desc),
        row ? memoryDesc(row->desc) : dnnl::memory::desc(),
        memoryDesc(result.desc), attr);
  };
  auto bind =
      [&](const dnnl::primitive_desc &) -> StatusOr<std::vector<Argument>> {
    std::vector<Argument> arguments{
        {DNNL_ARG_SRC, lhs}, {DNNL_ARG_WEIGHTS, rhs}, {DNNL_ARG_DST, result}};
    if (row)
      arguments.emplace_back(DNNL_ARG_BIAS, *row);
    return arguments;
  };
  auto view = [&](const Value &value) -> std::optional<Value> {
    std::optional<Value> seen = viewForImage(value, image.desc);
    if (!seen)
      return std::nullopt;
    const int64_t size = seen->desc.numElements();
    TensorDesc desc = size == 1         ? matrix(1, 1)
                      : size == columns ? matrix(1, columns)
                                        : result.desc;
    desc.type = seen->desc.type;
    return seen->as(desc);
  };
  return addFused(builder, make, bind, image, epilogues, view);
}

/// The weights as a matrix with a row for each output.
static Value weightRows(const WindowSums &sums) {
  const Sizes sizes(sums);
  return sums.weights.as(matrix(sizes.outputs, sizes.width()));
}

Status cpu::addProduct(KernelBuilder &builder, const WindowSums &sums,
                       const std::optional<Value> &bias,
                       std::span<const Epilogue> epilogues) {
  const Sizes sizes(sums);
  const Value windows = addWindows(builder, sums);
  Value weights = weightRows(sums);
  weights.desc = permuted(weights.desc, {1, 0});
  return addFusedProduct(builder, windows, weights, bias,
                         sums.places.as(matrix(sizes.rows(), sizes.outputs)),
                         sums.places, epilogues);
}

Status cpu::addTransposedProduct(KernelBuilder &builder, const WindowSums &sums,
                                 std::span<const Epilogue> epilogues) {
  const Sizes sizes(sums);
  const Value places = sums.places.as(matrix(sizes.rows(), sizes.outputs));
  const TensorDesc desc = matrix(sizes.rows(), sizes.width());
  if (areSingleCells(sums))
    return addFusedProduct(builder, places, weightRows(sums), std::nullopt,
                           sums.covered.as(desc), sums.covered, epilogues);
  const Value windows = builder.temporary(desc);
  WEIR_RETURN_IF_ERROR(addFusedProduct(builder, places, weightRows(sums),
                                       std::nullopt, windows, windows, {}));
  auto add = [adder = WindowAdder(sums)](int thread, int numThreads,
                                         std::byte *const *bytes) {
    return adder.run(thread, numThreads, bytes);
  };
  builder.add("window_sums", add, {windows, sums.covered});
  addEpilogues(builder, sums.covered, epilogues);
  return Status::ok();
}

void cpu::addWeightProduct(KernelBuilder &builder, const WindowSums &sums) {
  const Sizes sizes(sums);
  const Value windows = addWindows(builder, sums);
  Value places = sums.places.as(matrix(sizes.rows(), sizes.outputs));
  places.desc = permuted(places.desc, {1, 0});
  const Value weights = weightRows(sums);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::matmul::primitive_desc desc(cpuEngine(), memoryDesc(places.desc),
                                          memoryDesc(windows.desc),
                                          memoryDesc(weights.desc), attr);
  builder.add(desc, {{DNNL_ARG_SRC, places},
                     {DNNL_ARG_WEIGHTS, windows},
                     {DNNL_ARG_DST, weights}});
}
