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

/// How an array lies in an .npy file.
struct NpyLayout {
  DType type = DType::F32;
  std::vector<int64_t> dims;
  /// The bytes of an element are in big-endian order.
  bool isSwapped = false;
  /// The first index changes fastest.
  bool isFortranOrder = false;
  /// Where the elements begin. They end with the file.
  size_t begin = 0;
};

/// Reads the header of an .npy file, and checks that the file has as many bytes
/// as its elements need.
StatusOr<NpyLayout> parseNpyLayout(std::span<const std::byte> file);
/// The same of a file of `fileBytes` bytes that begins with `beginning`. A
/// header beyond these is cut off.
StatusOr<NpyLayout> parseNpyLayout(std::span<const std::byte> beginning,
                                   uint64_t fileBytes);

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
