//===- IndexChecks.cpp - Are the indices of a kernel in range? --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "IndexChecks.h"

#include "ElementTags.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

using namespace weir;
using namespace weir::cpu;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The first `rank` dims of `desc`, without dims of size 1. Dims that continue
/// each other in memory are merged.
static std::vector<IndexChecks::Dim> collapse(const TensorDesc &desc,
                                              size_t rank) {
  std::vector<IndexChecks::Dim> dims;
  for (size_t d = 0; d < rank; ++d) {
    const IndexChecks::Dim dim = {desc.dims[d], desc.strides[d]};
    if (dim.count == 1)
      continue;
    if (!dims.empty() && dims.back().stride == dim.count * dim.stride)
      dims.back() = {dims.back().count * dim.count, dim.stride};
    else
      dims.push_back(dim);
  }
  if (dims.empty())
    dims.push_back({1, 1});
  return dims;
}

static bool isIndexType(DType type) {
  return !isFloat(type) && type != DType::I1;
}

Status IndexChecks::add(const KernelSpec &spec, const IndexCheck &check) {
  const auto [operand, sizes, ignored, op] = check;
  if (operand < 0 || operand >= static_cast<int64_t>(spec.operands.size()))
    return malformedIndexChecks("there is no such operand");
  const TensorDesc &desc = spec.operands[static_cast<size_t>(operand)];
  if (!isIndexType(desc.type))
    return malformedIndexChecks("the operand holds no integers");
  const size_t rank = desc.dims.size();
  const bool isAlongLast = sizes.size() > 1;
  if (isAlongLast &&
      (rank == 0 || desc.dims.back() != static_cast<int64_t>(sizes.size())))
    return malformedIndexChecks("the operand's last dim has another size");
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0)
      return malformedIndexChecks("a size is negative");
    const int64_t offset =
        isAlongLast ? static_cast<int64_t>(i) * desc.strides.back() : 0;
    checks.push_back({static_cast<size_t>(operand),
                      desc.type,
                      offset,
                      collapse(desc, rank - isAlongLast),
                      {sizes[i], isUnsigned(desc.type), ignored},
                      std::string(op)});
  }
  return Status::ok();
}

StatusOr<IndexChecks> IndexChecks::read(const KernelSpec &spec) {
  IndexChecks checks;
  WEIR_ASSIGN_OR_RETURN(const auto listed, parseIndexChecks(spec.attrs));
  for (const IndexCheck &check : listed)
    WEIR_RETURN_IF_ERROR(checks.add(spec, check));
  return checks;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Whether all indices of a row are in [0, size). An index outside of this
/// range makes one of two differences negative, and neither difference ever
/// wraps to another sign. A u64 of 2^63 or more is outside as well. There are
/// no comparisons and no early exit, so the compiler uses vectors for any
/// instruction set.
template <typename T>
static bool areInside(const T *first, const IndexChecks::Dim &dim,
                      int64_t size) {
  const auto limit = static_cast<uint64_t>(size);
  uint64_t signs = 0;
  auto look = [&](int64_t at) {
    const auto index = static_cast<uint64_t>(static_cast<int64_t>(first[at]));
    const uint64_t lowest = std::is_signed_v<T> ? limit : 0;
    signs |= (index + lowest) | (limit - 1 - index);
  };
  if (dim.stride == 1)
    for (int64_t i = 0; i < dim.count; ++i)
      look(i);
  else
    for (int64_t i = 0; i < dim.count; ++i)
      look(i * dim.stride);
  return signs >> 63 == 0;
}

/// The first index that is out of range. If the range allows an ignored label,
/// each index is looked at alone, since there are few labels.
template <typename T>
static std::optional<std::string>
findOutside(const T *first, std::span<const IndexChecks::Dim> dims,
            const IndexRange &range) {
  const IndexChecks::Dim &dim = dims.front();
  if (dims.size() == 1 && !range.ignored && areInside(first, dim, range.size))
    return std::nullopt;
  for (int64_t i = 0; i < dim.count; ++i) {
    const T *at = first + i * dim.stride;
    if (dims.size() > 1) {
      if (auto found = findOutside(at, dims.subspan(1), range))
        return found;
    } else if (!range.contains(static_cast<int64_t>(*at))) {
      return std::to_string(*at);
    }
  }
  return std::nullopt;
}

static std::optional<std::string>
findOutside(DType type, const void *buffer, int64_t offset,
            std::span<const IndexChecks::Dim> dims, const IndexRange &range) {
  return visitElement(type, [&](auto element) -> std::optional<std::string> {
    using T = typename decltype(element)::Stored;
    // Elements of other types hold no indices.
    if constexpr (holdsValues<decltype(element)> && std::is_integral_v<T>)
      return findOutside(static_cast<const T *>(buffer) + offset, dims, range);
    return std::nullopt;
  });
}

Status IndexChecks::run(void *const *buffers) const {
  for (const Check &check : checks) {
    const std::optional<std::string> found =
        findOutside(check.type, buffers[check.operand], check.offset,
                    check.dims, check.range);
    if (!found) [[likely]]
      continue;
    return indexOutOfRange((check.range.ignored ? "label " : "index ") + *found,
                           check.op, check.range);
  }
  return Status::ok();
}
