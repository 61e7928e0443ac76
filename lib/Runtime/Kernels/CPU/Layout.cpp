//===- Layout.cpp - Strided views of tensors -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

using namespace weir;
using namespace weir::cpu;
using dnnl::memory;

std::optional<memory::data_type> cpu::findDnnlType(DType type) {
  switch (type) {
  case DType::F32:
    return memory::data_type::f32;
  case DType::F16:
    return memory::data_type::f16;
  case DType::BF16:
    return memory::data_type::bf16;
  case DType::I8:
    return memory::data_type::s8;
  case DType::U8:
  case DType::I1:
    return memory::data_type::u8;
  case DType::I32:
    return memory::data_type::s32;
  default:
    return std::nullopt;
  }
}

static memory::data_type dnnlType(DType type) {
  if (std::optional<memory::data_type> found = findDnnlType(type))
    return *found;
  throw dnnl::error(dnnl_unimplemented, "oneDNN has no such element type");
}

memory::desc cpu::memoryDesc(const TensorDesc &desc) {
  if (desc.dims.empty())
    return {{1}, dnnlType(desc.type), memory::dims{1}};
  return {desc.dims, dnnlType(desc.type), desc.strides};
}

memory::desc cpu::anyLayout(DType type, const Dims &dims) {
  return {dims, dnnlType(type), memory::format_tag::any};
}

std::string cpu::formatKey(const memory::desc &desc) {
  return fmt::format("type {} dims {} padded {} strides {} blocks {} at {} "
                     "bytes {}",
                     static_cast<int>(desc.get_data_type()), desc.get_dims(),
                     desc.get_padded_dims(), desc.get_strides(),
                     desc.get_inner_blks(), desc.get_inner_idxs(),
                     desc.get_size());
}

TensorDesc cpu::broadcastTo(const TensorDesc &desc, const Dims &dims) {
  TensorDesc view{desc.type, dims, Dims(dims.size(), 0)};
  if (desc.dims.size() > dims.size())
    throw dnnl::error(dnnl_invalid_arguments,
                      "expected operands of at most the rank of the "
                      "result");
  size_t shift = dims.size() - desc.dims.size();
  for (size_t i = 0; i < desc.dims.size(); ++i) {
    if (desc.dims[i] == dims[shift + i])
      view.strides[shift + i] = desc.strides[i];
    else if (desc.dims[i] != 1)
      throw dnnl::error(dnnl_invalid_arguments,
                        "expected operands that broadcast to the "
                        "shape of the result");
  }
  return view;
}

TensorDesc cpu::cutRepeated(const TensorDesc &desc) {
  TensorDesc cut = desc;
  for (size_t i = 0; i < cut.dims.size(); ++i)
    if (cut.strides[i] == 0)
      cut.dims[i] = 1;
  // Dims of size 1 get the strides of a dense tensor, which oneDNN expects.
  int64_t next = 1;
  for (size_t i = cut.dims.size(); i-- > 0;) {
    if (cut.dims[i] == 1)
      cut.strides[i] = next;
    next = std::max(next, cut.strides[i] * cut.dims[i]);
  }
  return cut;
}

bool cpu::hasRepeated(const TensorDesc &desc) {
  for (size_t i = 0; i < desc.dims.size(); ++i)
    if (desc.dims[i] != 1 && desc.strides[i] == 0)
      return true;
  return false;
}

std::vector<int> cpu::memoryOrder(const TensorDesc &desc) {
  std::vector<int> order(desc.dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return desc.strides[a] > desc.strides[b];
  });
  return order;
}

bool cpu::isDense(const TensorDesc &desc) {
  return !hasRepeated(desc) &&
         desc.spanBytes() == desc.numElements() * byteSize(desc.type);
}

bool cpu::sameLayout(const TensorDesc &a, const TensorDesc &b) {
  if (a.type != b.type || a.dims != b.dims)
    return false;
  for (size_t i = 0; i < a.dims.size(); ++i)
    if (a.dims[i] != 1 && a.strides[i] != b.strides[i])
      return false;
  return true;
}

TensorDesc cpu::denseInOrder(DType type, const Dims &dims,
                             const std::vector<int> &order) {
  TensorDesc desc{type, dims, Dims(dims.size())};
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    desc.strides[order[i]] = stride;
    stride *= dims[order[i]];
  }
  return desc;
}

TensorDesc cpu::denseLike(DType type, const Dims &dims,
                          const TensorDesc &like) {
  return denseInOrder(type, dims, memoryOrder(like));
}

TensorDesc cpu::channelsLast(DType type, const Dims &dims) {
  std::vector<int> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > 2)
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return denseInOrder(type, dims, order);
}

bool cpu::isChannelsLast(const TensorDesc &desc) {
  return sameLayout(desc, channelsLast(desc.type, desc.dims));
}

TensorDesc cpu::permuted(const TensorDesc &desc,
                         const std::vector<int> &order) {
  TensorDesc view{desc.type, {}, {}};
  for (int dim : order) {
    view.dims.push_back(desc.dims[dim]);
    view.strides.push_back(desc.strides[dim]);
  }
  return view;
}

/// Whether the dims `outer` and `inner` can become one dim: in every desc, a
/// step along `outer` is as long as the whole dim `inner`.
static bool canMerge(const std::vector<TensorDesc> &descs, int outer,
                     int inner) {
  return std::all_of(descs.begin(), descs.end(), [&](const TensorDesc &desc) {
    return desc.strides[outer] == desc.strides[inner] * desc.dims[inner];
  });
}

static TensorDesc withoutUnitDims(const TensorDesc &desc) {
  TensorDesc view{desc.type, {}, {}};
  for (size_t i = 0; i < desc.dims.size(); ++i) {
    if (desc.dims[i] == 1)
      continue;
    view.dims.push_back(desc.dims[i]);
    view.strides.push_back(desc.strides[i]);
  }
  return view;
}

std::vector<TensorDesc> cpu::mergeDims(std::vector<TensorDesc> descs) {
  for (TensorDesc &desc : descs)
    desc = withoutUnitDims(desc);
  std::vector<int> order = memoryOrder(descs.front());
  for (TensorDesc &desc : descs)
    desc = permuted(desc, order);

  std::vector<TensorDesc> merged;
  for (const TensorDesc &desc : descs)
    merged.push_back({desc.type, {}, {}});
  for (size_t i = 0; i < order.size(); ++i) {
    bool merges = i > 0 && canMerge(descs, i - 1, i);
    for (size_t k = 0; k < descs.size(); ++k) {
      int64_t dim = descs[k].dims[i];
      if (merges)
        merged[k].dims.back() *= dim;
      else
        merged[k].dims.push_back(dim);
      if (merges)
        merged[k].strides.back() = descs[k].strides[i];
      else
        merged[k].strides.push_back(descs[k].strides[i]);
    }
  }
  if (order.empty())
    for (TensorDesc &desc : merged)
      desc = {desc.type, {1}, {1}};
  return merged;
}
