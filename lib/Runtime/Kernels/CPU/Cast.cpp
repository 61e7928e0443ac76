//===- Cast.cpp - Conversion between any two element types -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Cast.h"

#include "../../OpenMP/Team.h"
#include "ElementTags.h"
#include "Layout.h"

#include "weir/Support/Arithmetic.h"

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

namespace {

/// `value` as memory holds it.
template <typename To, typename V> typename To::Stored store(V value) {
  if constexpr (std::is_same_v<To, Half>)
    return floatToHalf(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, BFloat16>)
    return floatToBFloat16(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, Truth>)
    return value != 0;
  else if constexpr (std::is_floating_point_v<V> &&
                     std::is_integral_v<typename To::Stored>)
    return fromDouble<typename To::Stored>(value);
  else
    return static_cast<typename To::Stored>(value);
}

/// Converts `count` elements, `fromStride` and `toStride` elements apart.
using ConvertRow = void (*)(const char *from, int64_t fromStride, char *to,
                            int64_t toStride, int64_t count);

template <typename From, typename To>
void convertRow(const char *from, int64_t fromStride, char *to,
                int64_t toStride, int64_t count) {
  auto *source = reinterpret_cast<const typename From::Stored *>(from);
  auto *destination = reinterpret_cast<typename To::Stored *>(to);
  if (fromStride == 1 && toStride == 1) {
    for (int64_t i = 0; i < count; ++i)
      destination[i] = store<To>(From::load(source[i]));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    destination[i * toStride] = store<To>(From::load(source[i * fromStride]));
}

} // namespace

static ConvertRow findConversion(DType from, DType to) {
  // Halves that are converted by way of floats would lose the bits of a NaN.
  if (from == to && byteSize(from) == 2)
    return convertRow<Plain<uint16_t>, Plain<uint16_t>>;
  return visitElement(from, [&](auto source) {
    return visitElement(to, [&](auto destination) -> ConvertRow {
      return convertRow<decltype(source), decltype(destination)>;
    });
  });
}

namespace {

class CastKernel final : public Kernel {
public:
  /// `to` and `from` are views over the same merged dims.
  CastKernel(const TensorDesc &to, const TensorDesc &from)
      : to(to), from(from), convert(findConversion(from.type, to.type)) {
    count = to.dims.back();
    rows = to.numElements() / std::max<int64_t>(count, 1);
  }

  Status run(const KernelArgs &args) override {
    const char *source = static_cast<const char *>(args.buffers[0]);
    char *destination = static_cast<char *>(args.buffers[1]);
    int64_t pieces = (count + piece - 1) / piece;
    const auto convertPart = [&](int64_t i) {
      convertPiece(source, destination, i / pieces, i % pieces * piece);
    };
    if (!isSerial())
      parallelFor(rows * pieces, convertPart);
    else
      for (int64_t i = 0; i < rows * pieces; ++i)
        convertPart(i);
    return Status::ok();
  }

  bool isSerial() const override { return rows * count <= piece; }
  bool mayRunAlone() const override { return true; }
  std::string implementation() const override { return "loops"; }

private:
  /// The number of elements that one thread converts at a time.
  static constexpr int64_t piece = 16384;

  void convertPiece(const char *source, char *destination, int64_t row,
                    int64_t first) const {
    int64_t fromOffset = first * from.strides.back();
    int64_t toOffset = first * to.strides.back();
    for (size_t i = to.dims.size() - 1; i-- > 0;) {
      fromOffset += row % to.dims[i] * from.strides[i];
      toOffset += row % to.dims[i] * to.strides[i];
      row /= to.dims[i];
    }
    convert(source + fromOffset * byteSize(from.type), from.strides.back(),
            destination + toOffset * byteSize(to.type), to.strides.back(),
            std::min(piece, count - first));
  }

  TensorDesc to;
  TensorDesc from;
  ConvertRow convert;
  int64_t count;
  int64_t rows;
};

} // namespace

StatusOr<std::unique_ptr<Kernel>> cpu::prepareCast(const KernelSpec &spec) {
  std::vector<TensorDesc> merged =
      mergeDims({spec.results[0], spec.operands[0]});
  return std::unique_ptr<Kernel>(
      std::make_unique<CastKernel>(merged[0], merged[1]));
}
