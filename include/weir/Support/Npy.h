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
#include <vector>

namespace weir {

/// The layout of an array in an .npy file.
struct NpyLayout {
  DType type = DType::F32;
  std::vector<int64_t> dims;
  /// Whether the bytes of an element are in big-endian order.
  bool isSwapped = false;
  /// Whether the first index changes fastest.
  bool isFortranOrder = false;
  /// The offset of the elements. They extend to the end of the file.
  size_t begin = 0;
};

/// Reads the header of an .npy file, and checks that the file has as many bytes
/// as its elements need.
StatusOr<NpyLayout> parseNpyLayout(std::span<const std::byte> file);
/// The same for a file of `fileBytes` bytes, of which only `beginning` is
/// given. `beginning` must contain the whole header.
StatusOr<NpyLayout> parseNpyLayout(std::span<const std::byte> beginning,
                                   uint64_t fileBytes);

/// Reads the .npy file `path` ("-": standard input). Format versions 1 to 3 and
/// both byte and index orders are accepted. Element types that Weir does not
/// have are refused, such as structured ones.
StatusOr<HostTensor> readNpy(const std::string &path);
StatusOr<HostTensor> parseNpy(std::span<const std::byte> file);

/// Writes the row-major tensor `bytes` of type `desc` as the .npy file `path`
/// ("-": standard output). The file appears as a whole or not at all. numpy
/// lacks bf16, so it is written as f32, which changes no value.
Status writeNpy(const std::string &path, const TensorDesc &desc,
                std::span<const std::byte> bytes);

} // namespace weir

#endif // WEIR_SUPPORT_NPY_H
