//===- ImportDLPack.cpp - Tensors from other libraries ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/DLPack.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Support/DLPackABI.h"
#include "weir/Support/ElementWalk.h"
#include "weir/Support/ShapeLimits.h"

#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <vector>

using namespace weir;

ConstTensorView ImportedTensor::asInput() const {
  return {description.type, description.dims, memory.get(),
          memory ? description.spanBytes() : 0};
}

static StatusOr<DType> toDType(DLDataType type) {
  static constexpr struct {
    DLDataTypeCode code;
    int bits;
    DType type;
  } rows[] = {{kDLFloat, 32, DType::F32}, {kDLFloat, 16, DType::F16},
              {kDLFloat, 64, DType::F64}, {kDLBfloat, 16, DType::BF16},
              {kDLInt, 8, DType::I8},     {kDLInt, 16, DType::I16},
              {kDLInt, 32, DType::I32},   {kDLInt, 64, DType::I64},
              {kDLUInt, 8, DType::U8},    {kDLUInt, 16, DType::U16},
              {kDLUInt, 32, DType::U32},  {kDLUInt, 64, DType::U64},
              {kDLBool, 8, DType::I1}};
  for (const auto &row : rows)
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1)
      return row.type;
  return invalidArgument(fmt::format(
      "the elements have type code {}, {} bits and {} lanes; expected one lane "
      "of a float of 16, 32 or 64 bits, a bfloat of 16 bits, an integer of 8 "
      "to 64 bits, or a bool of 8 bits",
      type.code, type.bits, type.lanes));
}

static Status checkDevice(DLDevice device) {
  if (device.device_type == kDLCPU)
    return Status::ok();
  return invalidArgument(fmt::format(
      "the tensor lies on a device of type {}{}, number {}; copy it to the CPU "
      "first",
      static_cast<int>(device.device_type),
      device.device_type == kDLCUDA ? " (CUDA)" : "", device.device_id));
}

/// Refuses strides that place elements too far from the first element.
static Status checkReach(const TensorDesc &desc) {
  uint64_t reach = 0;
  for (size_t i = 0; i < desc.dims.size(); ++i) {
    const int64_t stride = desc.strides[i];
    const uint64_t step = stride < 0 ? 0 - static_cast<uint64_t>(stride)
                                     : static_cast<uint64_t>(stride);
    uint64_t distance = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(desc.dims[i] - 1), step,
                               &distance) ||
        __builtin_add_overflow(reach, distance, &reach) ||
        reach > maxTensorBytes / byteSize(desc.type))
      return invalidArgument(
          fmt::format("by its strides [{}], the tensor reaches over more than "
                      "{} bytes",
                      fmt::join(desc.strides, ","), maxTensorBytes));
  }
  return Status::ok();
}

static StatusOr<TensorDesc> describe(const DLTensor &tensor) {
  WEIR_RETURN_IF_ERROR(checkDevice(tensor.device));
  WEIR_ASSIGN_OR_RETURN(const DType type, toDType(tensor.dtype));
  if (tensor.ndim < 0 || tensor.ndim > maxTensorRank)
    return invalidArgument(fmt::format("the tensor has {} dims; expected 0 to "
                                       "{}",
                                       tensor.ndim, maxTensorRank));
  const auto rank = static_cast<size_t>(tensor.ndim);
  if (rank > 0 && !tensor.shape)
    return invalidArgument("the shape of the tensor is null");
  std::vector<int64_t> dims(tensor.shape, tensor.shape + rank);
  WEIR_ASSIGN_OR_RETURN(const size_t bytes, rowMajorBytes(type, dims));
  TensorDesc desc = TensorDesc::rowMajor(type, std::move(dims));
  if (bytes == 0)
    return desc;
  if (!tensor.data)
    return invalidArgument("the data of the tensor is null");
  if (tensor.strides)
    desc.strides.assign(tensor.strides, tensor.strides + rank);
  WEIR_RETURN_IF_ERROR(checkReach(desc));
  return desc;
}

/// A row-major copy of the elements that lie from `first` on as `desc` says.
static StatusOr<HostTensor> copyElements(const TensorDesc &desc,
                                         const std::byte *first) {
  WEIR_ASSIGN_OR_RETURN(HostTensor copy,
                        HostTensor::zeros(desc.type, desc.dims));
  const auto size = static_cast<int64_t>(byteSize(desc.type));
  auto *to = static_cast<std::byte *>(copy.data());
  for (ElementWalk walk(desc.dims, desc.strides); !walk.atEnd(); walk.next()) {
    std::memcpy(to, first + walk.offset() * size, static_cast<size_t>(size));
    to += size;
  }
  return copy;
}

namespace {
/// Gives a DLPack tensor back when it is destroyed.
template <typename Managed> struct Loan {
  Managed *managed = nullptr;
  Loan() = default;
  Loan(const Loan &) = delete;
  ~Loan() {
    if (managed && managed->deleter)
      managed->deleter(managed);
  }
};
} // namespace

namespace weir {
template <typename Managed> class Importer {
public:
  static StatusOr<ImportedTensor> import(Managed *managed) {
    const DLTensor &tensor = managed->dl_tensor;
    WEIR_ASSIGN_OR_RETURN(TensorDesc desc, describe(tensor));
    const auto *first =
        tensor.data
            ? static_cast<const std::byte *>(tensor.data) + tensor.byte_offset
            : nullptr;
    const bool isAligned =
        reinterpret_cast<uintptr_t>(first) % byteSize(desc.type) == 0;
    const bool isCopied = !desc.isRowMajor() || !isAligned;
    // All that may fail comes before the tensor is taken over.
    auto loan = std::make_shared<Loan<Managed>>();
    std::shared_ptr<const void> memory(loan, first);
    if (isCopied) {
      WEIR_ASSIGN_OR_RETURN(HostTensor copy, copyElements(desc, first));
      const auto kept = std::make_shared<HostTensor>(std::move(copy));
      memory = std::shared_ptr<const void>(kept, kept->data());
    }
    // Dims of size 1 may have had any stride.
    desc = TensorDesc::rowMajor(desc.type, std::move(desc.dims));
    loan->managed = managed;
    return ImportedTensor(std::move(desc), std::move(memory), isCopied);
  }
};
} // namespace weir

StatusOr<ImportedTensor> weir::fromDLPack(DLManagedTensor *managed) {
  return guarded("fromDLPack", [&]() -> StatusOr<ImportedTensor> {
    if (!managed)
      return invalidArgument("the DLPack tensor is null");
    return Importer<DLManagedTensor>::import(managed);
  });
}

StatusOr<ImportedTensor> weir::fromDLPack(DLManagedTensorVersioned *managed) {
  return guarded("fromDLPack", [&]() -> StatusOr<ImportedTensor> {
    if (!managed)
      return invalidArgument("the DLPack tensor is null");
    if (managed->version.major != DLPACK_MAJOR_VERSION)
      return unimplemented(
          fmt::format("the tensor is of DLPack {}.{}; expected version {}",
                      managed->version.major, managed->version.minor,
                      DLPACK_MAJOR_VERSION));
    return Importer<DLManagedTensorVersioned>::import(managed);
  });
}
