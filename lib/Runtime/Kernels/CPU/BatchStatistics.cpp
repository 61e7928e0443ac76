//===- BatchStatistics.cpp - Batch norm in training, both directions ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each kernel has three steps. The first step sums tiles of rows, the second
// computes what follows for each channel, and the third computes the elements.
// There are two reasons not to use oneDNN's primitives. They cannot add a
// residual or compute an activation after the norm, which would take another
// pass over the tensor. And the bits of their sums depend on the number of
// threads.
//
//===----------------------------------------------------------------------===//

#include "ChannelRows.h"
#include "Pointwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

using namespace weir;
using namespace weir::cpu;

namespace {

/// An image as rows of channels.
struct Image {
  RowTiles tiles;
  int64_t channels;
  const ChannelRowsCode &code;
};

/// The numbers from 0 to `count` that thread `thread` of `numThreads` visits. A
/// part begins at a multiple of `step`.
struct Part {
  int64_t begin, end;

  Part(int64_t count, int64_t step, int thread, int numThreads)
      : begin(at(count, step, thread, numThreads)),
        end(at(count, step, thread + 1, numThreads)) {}

private:
  static int64_t at(int64_t count, int64_t step, int thread, int numThreads) {
    const int64_t steps = (count + step - 1) / step;
    return std::min(count, steps * thread / numThreads * step);
  }
};

} // namespace

/// The number of channels that a thread combines together: a few cache lines.
static constexpr int64_t channelStep = 64;
/// The most sums of tiles that one thread combines alone.
static constexpr int64_t mostSumsAlone = 8192;

static float *asFloats(std::byte *bytes) {
  return reinterpret_cast<float *>(bytes);
}

static Image describeImage(const TensorDesc &desc) {
  const int64_t channels = desc.dims[1];
  return {RowTiles(desc.numElements() / channels), channels,
          findChannelRowsCode(desc.type)};
}

/// Operand `index`, a value for each channel, in f32.
static Value perChannel(KernelBuilder &builder, int index) {
  const Value value = builder.operand(index);
  return builder.relaid(value,
                        TensorDesc::rowMajor(DType::F32, value.desc.dims));
}

/// `count` values for each channel, in f32.
static Value temporaryRows(KernelBuilder &builder, int64_t count,
                           int64_t channels) {
  return builder.temporary(TensorDesc::rowMajor(DType::F32, {count, channels}));
}

/// The value in f32 that a step should write for result `index`, which has a
/// value for each channel. If the result has another type, `finishChannels`
/// converts the value.
static Value channelResult(KernelBuilder &builder, size_t index) {
  const Value result = builder.result(index);
  return result.desc.type == DType::F32
             ? result
             : builder.temporary(
                   TensorDesc::rowMajor(DType::F32, result.desc.dims));
}

static void finishChannels(KernelBuilder &builder, const Value &value,
                           size_t index) {
  if (value.place == Value::Place::Workspace)
    builder.copy(value, builder.result(index));
}

/// Adds a step that visits tiles of rows.
template <typename VisitFn>
static void addTiles(KernelBuilder &builder, const Image &image,
                     std::string name, VisitFn visit,
                     std::vector<Value> values) {
  builder.add(
      std::move(name),
      [=](int thread, int numThreads, std::byte *const *bytes) {
        const Part part(image.tiles.count(), 1, thread, numThreads);
        for (int64_t tile = part.begin; tile < part.end; ++tile) {
          const int64_t begin = tile * image.tiles.rowsPerTile;
          visit(
              tile,
              RowRange{begin, begin + image.tiles.sizeOf(tile), image.channels},
              bytes);
        }
        return dnnl_success;
      },
      std::move(values));
}

/// Adds a step that visits blocks of channels. If there are few tiles, one
/// thread combines them in less time than a team takes to start.
template <typename VisitFn>
static void addChannels(KernelBuilder &builder, const Image &image,
                        std::string name, VisitFn visit,
                        std::vector<Value> values) {
  builder.add(
      std::move(name),
      [=](int thread, int numThreads, std::byte *const *bytes) {
        const Part part(image.channels, channelStep, thread, numThreads);
        for (int64_t c = part.begin; c < part.end; c += channelStep)
          visit(c, std::min(channelStep, part.end - c), bytes);
        return dnnl_success;
      },
      std::move(values), image.tiles.count() * image.channels > mostSumsAlone);
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

/// Combines the means and squared distances of tiles, for `count` channels from
/// `first` on.
static void combineMoments(const Image &image, const float *tileMeans,
                           const float *tileSquares, int64_t first,
                           int64_t count, double *means, double *squares) {
  std::fill_n(means, count, 0.0);
  std::fill_n(squares, count, 0.0);
  double rows = 0;
  for (int64_t tile = 0; tile < image.tiles.count(); ++tile) {
    const auto added = static_cast<double>(image.tiles.sizeOf(tile));
    const double share = added / (rows + added), weight = rows * share;
    const float *mean = tileMeans + tile * image.channels + first;
    const float *square = tileSquares + tile * image.channels + first;
    for (int64_t c = 0; c < count; ++c) {
      const double distance = mean[c] - means[c];
      means[c] += distance * share;
      squares[c] += square[c] + distance * distance * weight;
    }
    rows += added;
  }
}

namespace {

/// The values for each channel of a norm.
struct ForwardChannels {
  Value mean, variance, factor;
};

} // namespace

static ForwardChannels addStatistics(KernelBuilder &builder, const Image &image,
                                     const Value &x) {
  const Value means =
      temporaryRows(builder, image.tiles.count(), image.channels);
  const Value squares =
      temporaryRows(builder, image.tiles.count(), image.channels);
  addTiles(builder, image, "sums of tiles",
           [=](int64_t tile, const RowRange &rows, std::byte *const *bytes) {
             image.code.moments(rows, bytes[0],
                                asFloats(bytes[1]) + tile * image.channels,
                                asFloats(bytes[2]) + tile * image.channels);
           },
           {x, means, squares});
  const ForwardChannels made{channelResult(builder, 1),
                             channelResult(builder, 2),
                             temporaryRows(builder, 1, image.channels)};
  const double epsilon = builder.spec.attrs.floatOr("epsilon", 1e-5);
  addChannels(builder, image, "statistics",
              [=](int64_t first, int64_t count, std::byte *const *bytes) {
                double mean[channelStep], squared[channelStep];
                combineMoments(image, asFloats(bytes[0]), asFloats(bytes[1]),
                               first, count, mean, squared);
                for (int64_t i = 0; i < count; ++i) {
                  const int64_t c = first + i;
                  const double variance =
                      squared[i] / static_cast<double>(image.tiles.rows);
                  asFloats(bytes[3])[c] = static_cast<float>(mean[i]);
                  asFloats(bytes[4])[c] = static_cast<float>(variance);
                  asFloats(bytes[5])[c] = static_cast<float>(
                      asFloats(bytes[2])[c] / std::sqrt(variance + epsilon));
                }
              },
              {means, squares, perChannel(builder, 1), made.mean, made.variance,
               made.factor});
  return made;
}

namespace {

/// The epilogues that the step computes itself: a residual is added, then the
/// value is limited.
struct OwnEpilogues {
  std::optional<Value> added;
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  size_t count = 0;

  OwnEpilogues(std::span<const Epilogue> epilogues, const TensorDesc &wanted);

private:
  bool takeAdded(const Epilogue &epilogue, const TensorDesc &wanted);
  bool takeLimits(const PostOp &op);
};

} // namespace

OwnEpilogues::OwnEpilogues(std::span<const Epilogue> epilogues,
                           const TensorDesc &wanted) {
  if (count < epilogues.size() && takeAdded(epilogues[count], wanted))
    ++count;
  if (count < epilogues.size() && takeLimits(epilogues[count].op))
    ++count;
}

bool OwnEpilogues::takeAdded(const Epilogue &epilogue,
                             const TensorDesc &wanted) {
  if (epilogue.op.algorithm != "binary_add" ||
      epilogue.value.desc.type != wanted.type ||
      !sameLayout(epilogue.value.desc, wanted))
    return false;
  added = epilogue.value;
  return true;
}

bool OwnEpilogues::takeLimits(const PostOp &op) {
  const bool isRelu = op.algorithm == "eltwise_relu" && op.alpha == 0;
  if (!isRelu && op.algorithm != "eltwise_clip")
    return false;
  low = isRelu ? 0.0F : static_cast<float>(op.alpha);
  if (!isRelu)
    high = static_cast<float>(op.beta);
  return true;
}

static Status buildTraining(KernelBuilder &builder) {
  const Value x = builder.operand(0);
  const Image image = describeImage(x.desc);
  const ForwardChannels channels = addStatistics(builder, image, x);
  const std::vector<Epilogue> epilogues = builder.epilogues();
  const OwnEpilogues own(epilogues, x.desc);
  std::vector<Value> values = {x, channels.mean, channels.factor,
                               perChannel(builder, 2), builder.result()};
  if (own.added)
    values.push_back(*own.added);
  addTiles(
      builder, image, "norm",
      [image, low = own.low, high = own.high, adds = own.added.has_value()](
          int64_t, const RowRange &rows, std::byte *const *bytes) {
        image.code.normalise(rows,
                             {bytes[0], asFloats(bytes[1]), asFloats(bytes[2]),
                              asFloats(bytes[3]), adds ? bytes[5] : nullptr,
                              low, high, bytes[4]});
      },
      std::move(values));
  addEpilogues(builder, builder.result(),
               std::span(epilogues).subspan(own.count));
  finishChannels(builder, channels.mean, 1);
  finishChannels(builder, channels.variance, 2);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

/// Adds up the sums of tiles, for `count` channels from `first` on.
static void combineSums(const Image &image, const float *tiles, int64_t first,
                        int64_t count, double *sums) {
  std::fill_n(sums, count, 0.0);
  for (int64_t tile = 0; tile < image.tiles.count(); ++tile)
    for (int64_t c = 0; c < count; ++c)
      sums[c] += tiles[tile * image.channels + first + c];
}

namespace {

/// The values for each channel of a norm's gradient.
struct BackwardChannels {
  Value mean, ofScale, ofBias, scale, shift, slope;
};

} // namespace

static BackwardChannels addGradientSums(KernelBuilder &builder,
                                        const Image &image,
                                        const Value &gradient, const Value &x) {
  const Value mean = perChannel(builder, 3);
  const Value sums =
      temporaryRows(builder, image.tiles.count(), image.channels);
  const Value moments =
      temporaryRows(builder, image.tiles.count(), image.channels);
  addTiles(builder, image, "sums of tiles",
           [=](int64_t tile, const RowRange &rows, std::byte *const *bytes) {
             image.code.sums(rows, bytes[0], bytes[1], asFloats(bytes[2]),
                             asFloats(bytes[3]) + tile * image.channels,
                             asFloats(bytes[4]) + tile * image.channels);
           },
           {gradient, x, mean, sums, moments});
  const BackwardChannels made{mean,
                              channelResult(builder, 1),
                              channelResult(builder, 2),
                              temporaryRows(builder, 1, image.channels),
                              temporaryRows(builder, 1, image.channels),
                              temporaryRows(builder, 1, image.channels)};
  const double epsilon = builder.spec.attrs.floatOr("epsilon", 1e-5);
  addChannels(builder, image, "gradients of channels",
              [=](int64_t first, int64_t count, std::byte *const *bytes) {
                double sum[channelStep], moment[channelStep];
                combineSums(image, asFloats(bytes[0]), first, count, sum);
                combineSums(image, asFloats(bytes[1]), first, count, moment);
                const auto rows = static_cast<double>(image.tiles.rows);
                for (int64_t i = 0; i < count; ++i) {
                  const int64_t c = first + i;
                  const double inverse = 1 / (asFloats(bytes[3])[c] + epsilon);
                  const double deviation = std::sqrt(inverse);
                  asFloats(bytes[4])[c] =
                      static_cast<float>(moment[i] * deviation);
                  asFloats(bytes[5])[c] = static_cast<float>(sum[i]);
                  asFloats(bytes[6])[c] =
                      static_cast<float>(asFloats(bytes[2])[c] * deviation);
                  asFloats(bytes[7])[c] = static_cast<float>(sum[i] / rows);
                  asFloats(bytes[8])[c] =
                      static_cast<float>(moment[i] / rows * inverse);
                }
              },
              {sums, moments, perChannel(builder, 2), perChannel(builder, 4),
               made.ofScale, made.ofBias, made.scale, made.shift, made.slope});
  return made;
}

static Status buildGradient(KernelBuilder &builder) {
  const Value gradient = builder.operand(0), x = builder.operand(1);
  const Image image = describeImage(gradient.desc);
  const BackwardChannels channels =
      addGradientSums(builder, image, gradient, x);
  addTiles(builder, image, "gradient",
           [=](int64_t, const RowRange &rows, std::byte *const *bytes) {
             image.code.differentiate(rows,
                                      {bytes[0], bytes[1], asFloats(bytes[2]),
                                       asFloats(bytes[3]), asFloats(bytes[4]),
                                       asFloats(bytes[5]), bytes[6]});
           },
           {gradient, x, channels.mean, channels.scale, channels.shift,
            channels.slope, builder.result()});
  addEpilogues(builder, builder.result(), builder.epilogues());
  finishChannels(builder, channels.ofScale, 1);
  finishChannels(builder, channels.ofBias, 2);
  return Status::ok();
}

/// Checks the `numOperands` operands of the kernel itself, and the results. The
/// first `numImages` operands and the first result must be images of one shape
/// and type. All others must have a value for each channel.
static Status checkChannels(const KernelSpec &spec, size_t numImages,
                            size_t numOperands) {
  WEIR_RETURN_IF_ERROR(
      expectOperands(spec, numOperands, numOperands, /*results=*/3));
  WEIR_RETURN_IF_ERROR(expectFastFloats(spec));
  WEIR_RETURN_IF_ERROR(checkPostOps(spec));
  const TensorDesc &image = spec.operands[0];
  if (image.type != DType::F32 && image.type != DType::BF16)
    return unimplemented(fmt::format("expected images of f32 or bf16, found {}",
                                     image.toString()));
  if (image.dims.size() < 2)
    return invalidArgument(fmt::format(
        "expected an operand of rank 2 or more, found {}", image.toString()));
  if (image.numElements() == 0)
    return unimplemented("expected operands with elements");
  // A channel is a lane of a vector. For images with fewer channels, generated
  // code is faster.
  constexpr int64_t fewestChannels = 16;
  const TensorDesc wanted = channelsLast(image.type, image.dims);
  if (image.dims[1] < fewestChannels || !sameLayout(image, wanted))
    return unimplemented(
        fmt::format("expected dense images of {} channels or more, which come "
                    "last in memory, found {}",
                    fewestChannels, image.toString()));
  auto isLikeImage = [&](const TensorDesc &desc) {
    return desc.dims == image.dims && desc.type == image.type &&
           sameLayout(desc, wanted);
  };
  if (!std::all_of(spec.operands.begin(), spec.operands.begin() + numImages,
                   isLikeImage) ||
      !isLikeImage(spec.results[0]))
    return invalidArgument(
        "expected images and a result of one shape, type and layout");
  for (size_t i = numImages; i < numOperands; ++i)
    WEIR_RETURN_IF_ERROR(
        expectDims(spec, static_cast<int>(i), {image.dims[1]}));
  for (size_t i = 1; i < 3; ++i)
    if (spec.results[i].dims != Dims{image.dims[1]})
      return invalidArgument(
          fmt::format("expected {} values in result {}, found {}",
                      image.dims[1], i, spec.results[i].toString()));
  return Status::ok();
}

namespace weir::cpu {

Status checkBatchNormGradient(const KernelSpec &spec) {
  return checkChannels(spec, 2, 5);
}

Status checkBatchNormTraining(const KernelSpec &spec) {
  return checkChannels(spec, 1, 3);
}

StatusOr<std::unique_ptr<Kernel>>
prepareBatchNormGradient(const KernelSpec &spec, PrepareContext &context) {
  return prepareWith(spec, context, checkBatchNormGradient, buildGradient);
}

StatusOr<std::unique_ptr<Kernel>>
prepareBatchNormTraining(const KernelSpec &spec, PrepareContext &context) {
  return prepareWith(spec, context, checkBatchNormTraining, buildTraining);
}

} // namespace weir::cpu
