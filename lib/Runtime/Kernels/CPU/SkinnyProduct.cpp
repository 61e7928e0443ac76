//===- SkinnyProduct.cpp - Products of few rows by weights ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Threads divide the columns, so bits do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "SkinnyProduct.h"

#include "PanelSums.h"

#include "weir/Support/DType.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

using namespace weir;
using namespace weir::cpu;
using dnnl::memory;

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static constexpr int64_t narrowestPanel = 16;
/// With fewer columns, more than half of a panel would be empty.
static constexpr int64_t leastColumns = narrowestPanel / 2;

static bool isFast(DType type) {
  return type == DType::F32 || type == DType::BF16;
}

/// Whether `desc` has rows of adjacent elements.
static bool hasRows(const TensorDesc &desc) {
  return desc.dims.size() == 2 && (desc.dims[1] == 1 || desc.strides[1] == 1);
}

/// Whether each row of `lhs` is multiplied by all of `rhs`, and there is code
/// for the three types.
static bool hasFastOperands(const Product &product) {
  const TensorDesc &lhs = product.lhs.desc, &rhs = product.rhs.desc;
  const TensorDesc &result = product.result.desc;
  const bool hasPairs = rhs.dims[0] % 2 == 0;
  return hasRows(lhs) && hasRows(result) && !hasRepeated(rhs) &&
         lhs.dims[1] == rhs.dims[0] && result.dims[0] == lhs.dims[0] &&
         result.dims[1] == rhs.dims[1] && lhs.type == rhs.type &&
         isFast(result.type) &&
         (!product.bias || isFast(product.bias->desc.type)) &&
         (lhs.type == DType::F32 || (lhs.type == DType::BF16 && hasPairs));
}

bool cpu::suitsSkinnyProduct(const KernelBuilder &builder,
                             const Product &product) {
  const Value &weights = product.rhs;
  return weights.place == Value::Place::Buffer &&
         builder.isConstant(static_cast<int>(weights.index)) &&
         weights.desc.dims.size() == 2 && hasFastOperands(product) &&
         product.lhs.desc.dims[0] <= mostPanelRows &&
         weights.desc.dims[1] >= leastColumns && widestPanel() != 0;
}

/// The panel width that leaves the fewest columns of the last panel empty.
static int64_t chooseWidth(int64_t columns) {
  int64_t best = widestPanel();
  auto padded = [&](int64_t width) {
    return (columns + width - 1) / width * width;
  };
  for (int64_t width = best / 2; width >= narrowestPanel; width /= 2)
    if (padded(width) < padded(best))
      best = width;
  return best;
}

/// The format of weights in panels of `width` columns.
static memory::desc panelFormat(const TensorDesc &weights, int64_t width) {
  using Tag = memory::format_tag;
  const bool isBf16 = weights.type == DType::BF16;
  const std::array<Tag, 3> tags =
      isBf16 ? std::array{Tag::BA16a16b2a, Tag::BA16a32b2a, Tag::BA16a64b2a}
             : std::array{Tag::BA16a16b, Tag::BA16a32b, Tag::BA16a64b};
  return {weights.dims, memoryDesc(weights).get_data_type(),
          tags[width == 16   ? 0
               : width == 32 ? 1
                             : 2]};
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

namespace {

/// An operation on the sums before they are stored.
struct SkinnyEpilogue {
  enum class Kind { Relu, Add };
  Kind kind;
  /// The type of the value that is added at `row` and `column`.
  DType type = DType::F32;
  int64_t rowStride = 0, columnStride = 0;
};

/// `run` gets the values lhs, weights, result, and then the operand of each
/// epilogue.
struct SkinnyLoop {
  int64_t rows, depth, columns, width;
  int64_t lhsStride, resultStride;
  DType resultType;
  size_t panelBytes;
  SumPanel sumPanel;
  std::vector<SkinnyEpilogue> epilogues;

  void run(int thread, int numThreads, std::byte *const *values) const;

private:
  void finish(int64_t row, int64_t column, float *sums,
              std::byte *const *values) const;
};

} // namespace

static float loadElement(DType type, const std::byte *from, int64_t index) {
  if (type == DType::F32)
    return reinterpret_cast<const float *>(from)[index];
  return bfloat16ToFloat(reinterpret_cast<const uint16_t *>(from)[index]);
}

/// Applies the epilogues to `sums`, the sums of the panel whose first column is
/// `column`, and stores them. Columns beyond the result are left out.
void SkinnyLoop::finish(int64_t row, int64_t column, float *sums,
                        std::byte *const *values) const {
  const int64_t count = std::min(width, columns - column);
  std::byte *const *added = values + 3;
  for (const SkinnyEpilogue &epilogue : epilogues) {
    if (epilogue.kind == SkinnyEpilogue::Kind::Relu) {
      for (int64_t i = 0; i < count; ++i)
        sums[i] = sums[i] < 0 ? 0 : sums[i];
      continue;
    }
    const int64_t first =
        row * epilogue.rowStride + column * epilogue.columnStride;
    for (int64_t i = 0; i < count; ++i)
      sums[i] +=
          loadElement(epilogue.type, *added, first + i * epilogue.columnStride);
    ++added;
  }
  const int64_t at = row * resultStride + column;
  if (resultType == DType::F32) {
    std::copy_n(sums, count, reinterpret_cast<float *>(values[2]) + at);
    return;
  }
  auto *result = reinterpret_cast<uint16_t *>(values[2]) + at;
  std::transform(sums, sums + count, result, floatToBFloat16);
}

void SkinnyLoop::run(int thread, int numThreads,
                     std::byte *const *values) const {
  constexpr int64_t mostSums = mostPanelRows * 64;
  alignas(64) float sums[mostSums];
  const int64_t panels = (columns + width - 1) / width;
  const int64_t end = panels * (thread + 1) / numThreads;
  for (int64_t panel = panels * thread / numThreads; panel < end; ++panel) {
    sumPanel({values[0], lhsStride, depth,
              values[1] + static_cast<size_t>(panel) * panelBytes, sums});
    for (int64_t row = 0; row < rows; ++row)
      finish(row, panel * width, sums + row * width, values);
  }
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

static SkinnyLoop loopFor(const Product &product) {
  const TensorDesc &lhs = product.lhs.desc, &rhs = product.rhs.desc;
  const TensorDesc &result = product.result.desc;
  const int64_t width = chooseWidth(rhs.dims[1]);
  const int64_t panels = (rhs.dims[1] + width - 1) / width;
  SkinnyLoop loop;
  loop.rows = lhs.dims[0];
  loop.depth = rhs.dims[0];
  loop.columns = rhs.dims[1];
  loop.width = width;
  loop.lhsStride = lhs.strides[0];
  loop.resultStride = result.strides[0];
  loop.resultType = result.type;
  loop.panelBytes =
      panelFormat(rhs, width).get_size() / static_cast<size_t>(panels);
  loop.sumPanel = findSumPanel(lhs.type, lhs.dims[0], width);
  return loop;
}

/// `value`, in the dims of the product, as an epilogue that adds it.
static std::optional<SkinnyEpilogue> asAdded(const Value &value) {
  const TensorDesc &desc = value.desc;
  if (!isFast(desc.type))
    return std::nullopt;
  auto stride = [&](size_t fromEnd) {
    const size_t dim = desc.dims.size() - 1 - fromEnd;
    return fromEnd >= desc.dims.size() || desc.dims[dim] == 1
               ? 0
               : desc.strides[dim];
  };
  return SkinnyEpilogue{SkinnyEpilogue::Kind::Add, desc.type, stride(1),
                        stride(0)};
}

/// Adds `epilogue` to the loop, if the loop supports it.
static bool addEpilogue(SkinnyLoop &loop, std::vector<Value> &values,
                        const Epilogue &epilogue, const EpilogueView &view) {
  if (epilogue.op.algorithm == "eltwise_relu" && epilogue.op.alpha == 0) {
    loop.epilogues.push_back({SkinnyEpilogue::Kind::Relu});
    return true;
  }
  if (epilogue.op.algorithm != "binary_add")
    return false;
  const std::optional<Value> seen = view(epilogue.value);
  const std::optional<SkinnyEpilogue> added =
      seen ? asAdded(*seen) : std::nullopt;
  if (!added)
    return false;
  loop.epilogues.push_back(*added);
  values.push_back(*seen);
  return true;
}

StatusOr<size_t> cpu::addSkinnyProduct(KernelBuilder &builder,
                                       const Product &product,
                                       std::span<const Epilogue> epilogues,
                                       const EpilogueView &view) {
  SkinnyLoop loop = loopFor(product);
  WEIR_ASSIGN_OR_RETURN(
      Argument weights,
      builder.packed(DNNL_ARG_WEIGHTS, product.rhs,
                     panelFormat(product.rhs.desc, loop.width)));
  std::vector<Value> values{product.lhs, weights.value, product.result};
  if (product.bias) {
    loop.epilogues.push_back(*asAdded(*product.bias));
    values.push_back(*product.bias);
  }
  size_t done = 0;
  while (done < epilogues.size() &&
         addEpilogue(loop, values, epilogues[done], view))
    ++done;
  std::string name = fmt::format("panels:{}x{}", loop.rows, loop.width);
  const bool hasParts = loop.columns > loop.width;
  builder.add(
      std::move(name),
      [loop](int thread, int numThreads, std::byte *const *bytes) {
        loop.run(thread, numThreads, bytes);
        return dnnl_success;
      },
      std::move(values), hasParts);
  return done;
}
