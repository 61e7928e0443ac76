//===- ArraySource.cpp - Columns that are arrays in memory or files -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ArraySource.h"

#include "weir/Support/ElementWalk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

using namespace weir;

namespace {
class ArraySource : public ColumnSource {
public:
  ArraySource(DataBytes elements, const NpyLayout &layout, std::string name)
      : ColumnSource(
            {layout.type, {layout.dims.begin() + 1, layout.dims.end()}},
            layout.dims.front()),
        elements(std::move(elements)), layout(layout), name(std::move(name)) {
    int64_t stride = 1;
    for (int64_t dim : layout.dims) {
      fortranStrides.push_back(stride);
      stride *= dim;
    }
  }

  Status read(int64_t row, std::byte *to, ReadScratch &scratch) const override {
    if (layout.isFortranOrder) {
      gather(row, to);
    } else {
      Status status = elements.read(static_cast<size_t>(row) * exampleBytes(),
                                    {to, exampleBytes()});
      if (!status.isOk())
        return std::move(status).withContext(describe(row));
    }
    normalise({to, exampleBytes()});
    return Status::ok();
  }

  const std::byte *peek(int64_t row) const override {
    const bool isAsStored =
        !layout.isFortranOrder && !layout.isSwapped && layout.type != DType::I1;
    return isAsStored && elements.memory()
               ? elements.memory() + static_cast<size_t>(row) * exampleBytes()
               : nullptr;
  }

  std::string describe(int64_t row) const override {
    return fmt::format("{}, row {}", name, row);
  }

private:
  /// Copies a row of an array in Fortran's index order. The array is in memory.
  void gather(int64_t row, std::byte *to) const {
    if (exampleBytes() == 0)
      return;
    const size_t bytes = byteSize(layout.type);
    const std::span strides = std::span(fortranStrides).subspan(1);
    for (ElementWalk walk(example().dims, strides); !walk.atEnd();
         walk.next()) {
      std::memcpy(to,
                  elements.memory() +
                      static_cast<size_t>(row + walk.offset()) * bytes,
                  bytes);
      to += bytes;
    }
  }

  void normalise(std::span<std::byte> bytes) const {
    const size_t size = byteSize(layout.type);
    if (layout.isSwapped && size > 1)
      for (size_t i = 0; i < bytes.size(); i += size)
        std::reverse(bytes.begin() + static_cast<ptrdiff_t>(i),
                     bytes.begin() + static_cast<ptrdiff_t>(i + size));
    // numpy writes true as any byte except 0.
    if (layout.type == DType::I1)
      for (std::byte &value : bytes)
        value = std::byte(value != std::byte(0));
  }

  DataBytes elements;
  NpyLayout layout;
  std::string name;
  std::vector<int64_t> fortranStrides;
};
} // namespace

StatusOr<std::shared_ptr<const ColumnSource>>
weir::makeArraySource(DataBytes elements, const NpyLayout &layout,
                      std::string name) {
  if (layout.dims.empty())
    return invalidArgument(fmt::format(
        "{}: the array is a single element; expected a first dim that counts "
        "examples",
        name));
  StatusOr<size_t> bytes = rowMajorBytes(layout.type, layout.dims);
  if (!bytes)
    return std::move(bytes).status().withContext(name);
  if (elements.size() != *bytes)
    return dataLoss(
        fmt::format("{} is {}: its shape [{}] of {} needs {} bytes, it has {}",
                    name, elements.size() < *bytes ? "cut off" : "too long",
                    fmt::join(layout.dims, ","), toString(layout.type), *bytes,
                    elements.size()));
  // In Fortran's index order, the elements of a row are spread over the file.
  // So the whole file is read.
  if (layout.isFortranOrder && !elements.memory()) {
    auto held = elements.readAll();
    if (!held)
      return std::move(held).status().withContext(name);
    auto owner =
        std::make_shared<const std::vector<std::byte>>(*std::move(held));
    elements = DataBytes::inMemory(owner, *owner);
  }
  return std::make_shared<ArraySource>(std::move(elements), layout,
                                       std::move(name));
}

StatusOr<std::shared_ptr<const ColumnSource>>
weir::makeTensorSource(HostTensor tensor, std::string name) {
  auto held = std::make_shared<const HostTensor>(std::move(tensor));
  return makeArraySource(DataBytes::inMemory(held, held->bytes()),
                         {held->type(), held->dims()}, std::move(name));
}
