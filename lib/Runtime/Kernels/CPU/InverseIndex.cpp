//===- InverseIndex.cpp - The kernel inverse_index --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LibraryStatus.h"

#include "weir/Runtime/Kernel.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;

namespace {
/// Writes the position of each index to the place that the index names. The
/// last of several equal indices counts. The work is proportional to the sum of
/// indices and places. Without this kernel, each place would be compared with
/// each index.
class InverseIndexKernel final : public Kernel {
public:
  InverseIndexKernel(const KernelSpec &spec, size_t axis)
      : type(spec.operands[0].type), countsFromEnd(!isUnsigned(type)),
        count(spec.operands[0].dims[axis]), size(spec.results[0].dims[axis]) {
    const std::vector<int64_t> &dims = spec.operands[0].dims;
    for (size_t d = 0; d < dims.size(); ++d)
      if (d != axis)
        (d < axis ? outer : inner) *= dims[d];
  }

  Status run(const KernelArgs &args) override {
    const void *indices = args.buffers[0];
    auto *places = static_cast<int64_t *>(args.buffers[1]);
    std::fill_n(places, outer * size * inner, int64_t{-1});
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t number = 0; number < count; ++number)
        for (int64_t i = 0; i < inner; ++i) {
          int64_t index =
              loadInt(type, indices, (o * count + number) * inner + i);
          index += index < 0 && countsFromEnd ? size : 0;
          if (index >= 0 && index < size)
            places[(o * size + index) * inner + i] = number;
        }
    return Status::ok();
  }

  bool isSerial() const override { return true; }
  std::string implementation() const override { return "inverse_index"; }

private:
  DType type;
  /// Whether negative indices count from the end. `loadInt` returns a u64 as
  /// its bits, so a negative number is then a huge index.
  bool countsFromEnd;
  int64_t count, size, outer = 1, inner = 1;
};
} // namespace

namespace weir::cpu {

Status checkInverseIndex(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 1, 1));
  const TensorDesc &indices = spec.operands[0], &places = spec.results[0];
  WEIR_ASSIGN_OR_RETURN(int64_t axis, readAxis(spec, 0));
  WEIR_RETURN_IF_ERROR(expectSameRank(spec));
  if (places.type != DType::I64 || !indices.isRowMajor() ||
      !places.isRowMajor())
    return unimplemented("expected row-major indices and places of i64");
  for (int64_t d = 0; d < indices.rank(); ++d)
    if (d != axis && indices.dims[d] != places.dims[d])
      return invalidArgument(
          fmt::format("dim {} of the result is {}, expected {} as in operand 0",
                      d, places.dims[d], indices.dims[d]));
  return Status::ok();
}

StatusOr<std::unique_ptr<Kernel>> prepareInverseIndex(const KernelSpec &spec,
                                                      PrepareContext &) {
  if (Status status = checkInverseIndex(spec); !status.isOk())
    return std::move(status).withContext(describe(spec));
  return std::make_unique<InverseIndexKernel>(
      spec, static_cast<size_t>(*readAxis(spec, 0)));
}

} // namespace weir::cpu
