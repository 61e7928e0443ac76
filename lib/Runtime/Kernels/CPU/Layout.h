//===- Layout.h - Strided views of tensors -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// oneDNN is fast on the layouts that it knows and uses its reference code for
// other layouts. But many unusual layouts are only described in an unusual way:
// dims of size one have arbitrary strides, and pointwise work does not depend
// on the order of dims. These functions describe the same bytes in the way that
// oneDNN recognises.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_LAYOUT_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_LAYOUT_H

#include "weir/Support/TensorDesc.h"

#include <dnnl.hpp>

#include <optional>
#include <string>
#include <vector>

namespace weir::cpu {

using Dims = std::vector<int64_t>;

/// oneDNN's name for `type`; nothing if oneDNN has no such type. A boolean is a
/// byte.
std::optional<dnnl::memory::data_type> findDnnlType(DType type);

/// `desc` for oneDNN; a scalar gets one dim. Throws dnnl::error if oneDNN has
/// no such type or layout.
dnnl::memory::desc memoryDesc(const TensorDesc &desc);

/// A descriptor that leaves the layout to oneDNN.
dnnl::memory::desc anyLayout(DType type, const Dims &dims);

/// A text of everything that determines the bytes of a tensor in the format
/// `desc`.
std::string formatKey(const dnnl::memory::desc &desc);

/// `desc` broadcast to the shape `dims` by numpy's rules. Repeated dims get
/// stride 0.
TensorDesc broadcastTo(const TensorDesc &desc, const Dims &dims);

/// `desc` with every repeated dim (stride 0) reduced to size 1.
TensorDesc cutRepeated(const TensorDesc &desc);

bool hasRepeated(const TensorDesc &desc);

/// Whether the elements fill their span without gaps or repetition, in any
/// order of dims.
bool isDense(const TensorDesc &desc);

/// Whether both describe the same bytes in the same order.
bool sameLayout(const TensorDesc &a, const TensorDesc &b);

/// Dense strides for `dims`, with `order` from the outermost dim to the
/// innermost.
TensorDesc denseInOrder(DType type, const Dims &dims,
                        const std::vector<int> &order);

/// Dense strides for `dims`, in the order of `like`'s strides (same rank).
TensorDesc denseLike(DType type, const Dims &dims, const TensorDesc &like);

/// Dense strides with dim 1 innermost: NWC, NHWC, NDHWC.
TensorDesc channelsLast(DType type, const Dims &dims);

/// Whether `desc` is channels-last; dims of size 1 may have any stride.
bool isChannelsLast(const TensorDesc &desc);

/// The dims of `desc` from the outermost to the innermost in memory.
std::vector<int> memoryOrder(const TensorDesc &desc);

/// `desc` with reordered dims: dim i of the result is dim `order[i]` of `desc`.
TensorDesc permuted(const TensorDesc &desc, const std::vector<int> &order);

/// The iteration space of all of `descs` (with equal dims) with as few dims as
/// possible. Dims of size 1 are removed, dims are sorted by the first desc's
/// strides, and adjacent dims are merged if all descs allow it. At least one
/// dim remains.
std::vector<TensorDesc> mergeDims(std::vector<TensorDesc> descs);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_LAYOUT_H
