//===- Npy.h - Arrays in numpy's file format -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_NPY_H
#define WEIR_SUPPORT_NPY_H

#include "weir/Support/HostTensor.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace weir {

/// Reads the .npy file `path` ("-": standard input). Format versions 1 to 3 and
/// both byte and index orders are accepted. Element types that Weir lacks are
/// refused, among them structured ones.
StatusOr<HostTensor> readNpy(const std::string &path);
StatusOr<HostTensor> parseNpy(std::span<const std::byte> file);

/// Writes the row-major tensor `bytes` of type `desc` as the .npy file `path`
/// ("-": standard output). The file appears as a whole or not at all. numpy
/// lacks bf16, so it is written as f32, which changes no value.
Status writeNpy(const std::string &path, const TensorDesc &desc,
                std::span<const std::byte> bytes);

} // namespace weir

#endif // WEIR_SUPPORT_NPY_H
