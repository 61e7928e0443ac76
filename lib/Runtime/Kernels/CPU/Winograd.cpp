//===- Winograd.cpp - 3x3 convolution with fewer products -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each thread takes its own tiles through all three steps, so that no data
// passes between cores. To read what another core wrote takes longer than the
// transforms.
//
//===----------------------------------------------------------------------===//

#include "Winograd.h"

#include "../../OpenMP/Team.h"
#include "WinogradTiles.h"
#include "weir/Support/Alignment.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

using namespace weir;
using namespace weir::cpu;

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static WinogradShape shapeOf(const Images &images) {
  const Dims &from = images.input.desc.dims;
  const Dims &to = images.result.desc.dims;
  const Dims &pads = images.windows.padsBegin;
  return {from[0], from[2], from[3], from[1], to[2],
          to[3],   to[1],   pads[0], pads[1]};
}

/// The number of tiles that a thread processes at a time.
static int64_t tilesPerBlock(int64_t tiles, int64_t threads) {
  constexpr int64_t mostTiles = 128;
  const int64_t ofThread = (tiles + threads - 1) / threads;
  const int64_t blocks = (ofThread + mostTiles - 1) / mostTiles;
  return (ofThread + blocks - 1) / blocks;
}

/// Whether the saved products outweigh the transforms and the transformed
/// windows, which are four times as large. All terms are in floating-point
/// operations. Their weights were measured on Zen 5, where they hardly depend
/// on the shape (docs/performance/convolutions.md). For bf16, the products of
/// transformed values are in f32, and take twice as long as direct products in
/// bf16.
static bool isWorthwhile(const WinogradShape &shape, DType type,
                         int64_t threads) {
  constexpr double productCost = 80, inputCost = 36 * 30, resultCost = 36 * 24,
                   windowCost = 36 * 24;
  const double directCost = type == DType::BF16 ? 9 : 14.4;
  const auto channels = static_cast<double>(shape.channels);
  const auto outputs = static_cast<double>(shape.outputs);
  const auto tiles = static_cast<double>(shape.tiles());
  const int64_t numBlocks =
      shape.tiles() / tilesPerBlock(shape.tiles(), threads) + 1;
  const auto blocks = static_cast<double>(numBlocks);
  const double direct = directCost * channels * outputs *
                        static_cast<double>(shape.images * shape.resultHeight *
                                            shape.resultWidth);
  const double cost = tiles * (productCost * channels * outputs +
                               inputCost * channels + resultCost * outputs) +
                      blocks * windowCost * channels * outputs;
  return cost < direct;
}

/// The epilogue as a part of Winograd's last step; nothing if it is not
/// supported.
static std::optional<WinogradEpilogue::Kind>
findKind(const Epilogue &epilogue, const TensorDesc &result) {
  const PostOp &op = epilogue.op;
  if (op.algorithm == "eltwise_relu" && op.alpha == 0)
    return WinogradEpilogue::Kind::Relu;
  if (op.algorithm == "binary_add" && epilogue.value.desc.type == result.type &&
      sameLayout(epilogue.value.desc, result))
    return WinogradEpilogue::Kind::Add;
  return std::nullopt;
}

bool cpu::suitsWinograd(const KernelBuilder &builder, const Images &images,
                        std::span<const Epilogue> epilogues) {
  const TensorDesc &input = images.input.desc;
  const TensorDesc &result = images.result.desc;
  const Windows &windows = images.windows;
  auto isRead = [](DType type) {
    return type == DType::F32 || type == DType::BF16;
  };
  if (!isRead(input.type) || !isRead(result.type) ||
      images.weights.desc.type != input.type ||
      (images.bias && images.bias->desc.type != DType::F32) ||
      input.dims.size() != 4 || !areAll(windows.kernel, 3) ||
      !areAll(windows.strides, 1) || !areAll(windows.dilations, 1) ||
      !images.areInPlace() ||
      !builder.isConstant(static_cast<int>(images.weights.index)))
    return false;
  for (const Epilogue &epilogue : epilogues)
    if (!findKind(epilogue, result))
      return false;
  const WinogradShape shape = shapeOf(images);
  return shape.channels % winogradChannels == 0 &&
         shape.outputs % winogradChannels == 0 &&
         findWinogradCode(input.type) && findWinogradCode(result.type) &&
         isWorthwhile(shape, input.type, builder.numThreads());
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

static dnnl::memory::desc describe(int64_t rows, int64_t columns) {
  return {{tilePlaces, rows, columns},
          dnnl::memory::data_type::f32,
          dnnl::memory::format_tag::abc};
}

/// Whether the windows of all tile positions have the same format, with or
/// without blocks.
static bool hasEvenPlaces(const dnnl::memory::desc &format) {
  if (format.get_format_kind() != dnnl::memory::format_kind::blocked)
    return false;
  const dnnl::memory::dims blocked = format.get_inner_idxs();
  return std::find(blocked.begin(), blocked.end(), 0) == blocked.end();
}

/// The descriptor of the 36 products of a block of tiles, computed by one
/// thread.
static dnnl::matmul::primitive_desc
describeProducts(const WinogradShape &shape) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const TeamSize alone(1);
  auto make = [&](const dnnl::memory::desc &windows) {
    return dnnl::matmul::primitive_desc(
        cpuEngine(), describe(shape.block, shape.channels), windows,
        describe(shape.block, shape.outputs), attr);
  };
  auto best =
      make(anyLayout(DType::F32, {tilePlaces, shape.channels, shape.outputs}));
  return hasEvenPlaces(best.weights_desc())
             ? best
             : make(describe(shape.channels, shape.outputs));
}

namespace {

/// The products of one thread.
class Products {
public:
  Products(const dnnl::matmul::primitive_desc &desc, const void *windows);

  static size_t workspaceBytes(const dnnl::matmul::primitive_desc &desc);

  float *tiles() const { return at(tilesMemory); }
  const float *results() const { return at(resultsMemory); }

  /// Sets the memory of the tensors. Must be called before the other functions.
  dnnl_status_t setWorkspace(std::byte *workspace);
  dnnl_status_t run() const;

private:
  static float *at(const dnnl::memory &memory) {
    return static_cast<float *>(memory.get_data_handle());
  }

  dnnl::matmul primitive;
  dnnl::stream stream;
  dnnl::memory tilesMemory, windowsMemory, resultsMemory, scratchMemory;
  std::array<dnnl_exec_arg_t, 4> arguments;
  std::byte *current = nullptr;
};

} // namespace

static size_t roundUp(const dnnl::memory::desc &desc) {
  return alignTo(desc.get_size(), size_t(64));
}

size_t Products::workspaceBytes(const dnnl::matmul::primitive_desc &desc) {
  return roundUp(desc.src_desc()) + roundUp(desc.dst_desc()) +
         roundUp(desc.scratchpad_desc());
}

Products::Products(const dnnl::matmul::primitive_desc &desc,
                   const void *windows)
    : primitive(desc), stream(cpuEngine()),
      tilesMemory(desc.src_desc(), cpuEngine(), DNNL_MEMORY_NONE),
      windowsMemory(desc.weights_desc(), cpuEngine(),
                    const_cast<void *>(windows)),
      resultsMemory(desc.dst_desc(), cpuEngine(), DNNL_MEMORY_NONE),
      scratchMemory(desc.scratchpad_desc(), cpuEngine(), DNNL_MEMORY_NONE),
      arguments{{{DNNL_ARG_SRC, tilesMemory.get()},
                 {DNNL_ARG_WEIGHTS, windowsMemory.get()},
                 {DNNL_ARG_DST, resultsMemory.get()},
                 {DNNL_ARG_SCRATCHPAD, scratchMemory.get()}}} {}

dnnl_status_t Products::setWorkspace(std::byte *workspace) {
  if (workspace == current)
    return dnnl_success;
  std::byte *end = workspace;
  for (dnnl::memory *memory : {&tilesMemory, &resultsMemory, &scratchMemory}) {
    const dnnl_status_t status =
        dnnl_memory_set_data_handle(memory->get(), end);
    if (status != dnnl_success)
      return status;
    end += roundUp(memory->get_desc());
  }
  current = workspace;
  return dnnl_success;
}

dnnl_status_t Products::run() const {
  return dnnl_primitive_execute(primitive.get(), stream.get(),
                                static_cast<int>(arguments.size()),
                                arguments.data());
}

namespace {

/// The work of a team. `run` gets the values input, result, workspace, the bias
/// if there is one, and the image of each epilogue that has one.
class WinogradLoop {
public:
  WinogradLoop(const WinogradShape &shape, const Images &images,
               WindowTarget windows, std::vector<WinogradEpilogue> epilogues)
      : shape(shape), hasBias(images.bias.has_value()),
        windows(std::move(windows)), epilogues(std::move(epilogues)),
        inputType(images.input.desc.type), resultType(images.result.desc.type),
        inputCode(*findWinogradCode(inputType)),
        resultCode(*findWinogradCode(resultType)) {}

  void addThread(const dnnl::matmul::primitive_desc &desc,
                 const void *windows) {
    threads.push_back({Products(desc, windows), epilogues});
    productBytes = Products::workspaceBytes(desc);
    bytesPerThread = workspaceBytes(desc, shape);
  }

  /// The workspace of one thread.
  static size_t workspaceBytes(const dnnl::matmul::primitive_desc &desc,
                               const WinogradShape &shape) {
    return Products::workspaceBytes(desc) +
           alignTo(tileWorkBytes(shape), size_t(64));
  }

  dnnl_status_t run(int thread, int numThreads, std::byte *const *values);

private:
  struct Thread {
    Products products;
    std::vector<WinogradEpilogue> epilogues;
  };

  void finish(const Thread &own, std::byte *const *values, const float *bias,
              float *work, int64_t first, int64_t count) const;

  WinogradShape shape;
  bool hasBias;
  WindowTarget windows;
  std::vector<WinogradEpilogue> epilogues;
  DType inputType, resultType;
  const WinogradCode &inputCode, &resultCode;
  std::vector<Thread> threads;
  size_t productBytes = 0, bytesPerThread = 0;
};

} // namespace

/// Stores the results of tiles [first, first + count), whose products are
/// computed already.
void WinogradLoop::finish(const Thread &own, std::byte *const *values,
                          const float *bias, float *work, int64_t first,
                          int64_t count) const {
  const float *results = own.products.results();
  while (count > 0) {
    const int64_t finite = resultCode.countFinite(shape, results, count);
    resultCode.transformResult(shape, results, bias, own.epilogues, values[1],
                               first, finite);
    if (finite == count)
      return;
    convolveTile(shape, {inputType, values[0]}, windows, bias, own.epilogues,
                 {resultType, values[1]}, first + finite, work);
    results += (finite + 1) * shape.outputs;
    first += finite + 1;
    count -= finite + 1;
  }
}

dnnl_status_t WinogradLoop::run(int thread, int numThreads,
                                std::byte *const *values) {
  Thread &own = threads[static_cast<size_t>(thread)];
  auto &[products, ofThread] = own;
  std::byte *workspace =
      values[2] + static_cast<size_t>(thread) * bytesPerThread;
  dnnl_status_t status = products.setWorkspace(workspace);
  auto *work = reinterpret_cast<float *>(workspace + productBytes);
  std::byte *const *image = values + 3;
  const float *bias =
      hasBias ? reinterpret_cast<const float *>(*image++) : nullptr;
  for (WinogradEpilogue &epilogue : ofThread)
    if (epilogue.kind == WinogradEpilogue::Kind::Add)
      epilogue.image = *image++;
  const int64_t tiles = shape.tiles();
  const int64_t end = tiles * (thread + 1) / numThreads;
  for (int64_t first = tiles * thread / numThreads;
       first < end && status == dnnl_success; first += shape.block) {
    const int64_t count = std::min(shape.block, end - first);
    inputCode.transformInput(shape, values[0], products.tiles(), first, count);
    // Tiles of the block after `count` are from an earlier block. Nobody reads
    // their results.
    status = products.run();
    if (status == dnnl_success)
      finish(own, values, bias, work, first, count);
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// For each index along `dim`, its part of the offset of an element in the
/// blocked `format`.
static std::vector<int64_t> offsetsAlong(const dnnl::memory::desc &format,
                                         int dim) {
  const dnnl::memory::dims blocks = format.get_inner_blks();
  const dnnl::memory::dims blockDims = format.get_inner_idxs();
  const auto at = static_cast<size_t>(dim);
  std::vector<int64_t> offsets;
  for (int64_t index = 0; index < format.get_dims()[at]; ++index) {
    int64_t offset = 0, rest = index, step = 1;
    for (size_t i = blocks.size(); i-- > 0; step *= blocks[i])
      if (blockDims[i] == dim) {
        offset += rest % blocks[i] * step;
        rest /= blocks[i];
      }
    offsets.push_back(offset + rest * format.get_strides()[at]);
  }
  return offsets;
}

/// The target for transformed windows in `packed`. The cells come first, in
/// `format`. The taps follow them.
static WindowTarget findCells(const dnnl::memory::desc &format, void *packed) {
  return {static_cast<float *>(packed), offsetsAlong(format, 0)[1],
          offsetsAlong(format, 1), offsetsAlong(format, 2),
          static_cast<std::byte *>(packed) + roundUp(format)};
}

static size_t packedBytes(const WinogradShape &shape, DType type,
                          const dnnl::memory::desc &format) {
  const auto windows = static_cast<size_t>(shape.channels * shape.outputs);
  return roundUp(format) + windows * summedTaps.size() * byteSize(type);
}

/// Transforms the windows at `from`, and writes them directly to the places
/// where the products read them. Transformed windows are four times as large.
/// To move them would take longer than to compute them.
static void packWindows(const WinogradShape &shape, const TensorDesc &windows,
                        const void *from, const dnnl::memory::desc &format,
                        void *packed) {
  constexpr int64_t step = 2 * winogradChannels;
  // Elements that fill up blocks are zero.
  if (format.get_padded_dims() != format.get_dims())
    std::memset(packed, 0, format.get_size());
  const WindowTarget target = findCells(format, packed);
  const int64_t *strides = windows.strides.data();
  const WinogradCode &code = *findWinogradCode(windows.type);
  parallelFor((shape.outputs + step - 1) / step, [&](int64_t part) {
    code.transformWindows(shape, from, strides, target, part * step);
  });
}

Status cpu::addWinograd(KernelBuilder &builder, const Images &images,
                        std::span<const Epilogue> epilogues) {
  const int threads = builder.numThreads();
  WinogradShape shape = shapeOf(images);
  shape.block = tilesPerBlock(shape.tiles(), threads);
  const dnnl::matmul::primitive_desc products = describeProducts(shape);
  const dnnl::memory::desc format = products.weights_desc();
  const TensorDesc &windows = images.weights.desc;
  WEIR_ASSIGN_OR_RETURN(
      const void *packed,
      builder.derived(images.weights,
                      "Winograd 4x4 with taps packed as " + formatKey(format),
                      packedBytes(shape, windows.type, format),
                      [&](const void *from, void *to) {
                        packWindows(shape, windows, from, format, to);
                      }));
  std::vector<Value> values = {
      images.input, images.result,
      builder.scratch(WinogradLoop::workspaceBytes(products, shape) *
                      static_cast<size_t>(threads))};
  if (images.bias)
    values.push_back(*images.bias);
  std::vector<WinogradEpilogue> steps;
  for (const Epilogue &epilogue : epilogues) {
    steps.push_back({*findKind(epilogue, images.result.desc), nullptr});
    if (epilogue.op.operand >= 0)
      values.push_back(epilogue.value);
  }
  auto loop = std::make_shared<WinogradLoop>(
      shape, images, findCells(format, const_cast<void *>(packed)),
      std::move(steps));
  const TeamSize alone(1);
  for (int i = 0; i < threads; ++i)
    loop->addThread(products, packed);
  builder.add(
      std::string("winograd:4x4+") + products.impl_info_str(),
      [loop](int thread, int numThreads, std::byte *const *bytes) {
        return loop->run(thread, numThreads, bytes);
      },
      std::move(values));
  return Status::ok();
}
