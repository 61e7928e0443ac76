//===- Cast.cpp - Conversion between any two element types -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Cast.h"

#include "../../ParallelFor.h"
#include "Layout.h"

#include "weir/Support/Arithmetic.h"

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

namespace {

/// An element type in memory: what it is stored as and computed with.
template <typename T> struct Plain {
  using Stored = T;
  static T load(T value) { return value; }
  template <typename V> static T store(V value) {
    if constexpr (std::is_floating_point_v<V> && std::is_integral_v<T>)
      return fromDouble<T>(value);
    else
      return static_cast<T>(value);
  }
};
struct Half {
  using Stored = uint16_t;
  static float load(uint16_t bits) { return halfToFloat(bits); }
  template <typename V> static uint16_t store(V value) {
    return floatToHalf(static_cast<float>(value));
  }
};
struct BFloat16 {
  using Stored = uint16_t;
  static float load(uint16_t bits) { return bfloat16ToFloat(bits); }
  template <typename V> static uint16_t store(V value) {
    return floatToBFloat16(static_cast<float>(value));
  }
};
struct Truth {
  using Stored = uint8_t;
  static uint8_t load(uint8_t value) { return value != 0; }
  template <typename V> static uint8_t store(V value) { return value != 0; }
};

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
      destination[i] = To::store(From::load(source[i]));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    destination[i * toStride] = To::store(From::load(source[i * fromStride]));
}

} // namespace

/// Calls `visit` with the tag of `type`.
template <typename Visit> static auto withTag(DType type, Visit visit) {
  switch (type) {
  case DType::F32:
    return visit(Plain<float>());
  case DType::F16:
    return visit(Half());
  case DType::BF16:
    return visit(BFloat16());
  case DType::F64:
    return visit(Plain<double>());
  case DType::I8:
    return visit(Plain<int8_t>());
  case DType::U8:
    return visit(Plain<uint8_t>());
  case DType::I16:
    return visit(Plain<int16_t>());
  case DType::I32:
    return visit(Plain<int32_t>());
  case DType::I64:
    return visit(Plain<int64_t>());
  case DType::U16:
    return visit(Plain<uint16_t>());
  case DType::U32:
    return visit(Plain<uint32_t>());
  case DType::U64:
    return visit(Plain<uint64_t>());
  case DType::I1:
    break;
  }
  return visit(Truth());
}

static ConvertRow findConversion(DType from, DType to) {
  // Half to half by way of floats would not keep the bits of a NaN.
  if (from == to && byteSize(from) == 2)
    return convertRow<Plain<uint16_t>, Plain<uint16_t>>;
  return withTag(from, [&](auto source) {
    return withTag(to, [&](auto destination) -> ConvertRow {
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
  std::string implementation() const override { return "loops"; }

private:
  /// Elements that one thread converts at a time.
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
