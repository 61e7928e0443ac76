//===- FileKind.h - Recognises files by their first bytes -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_FILEKIND_H
#define WEIR_SUPPORT_FILEKIND_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir {

/// Kinds of files that are often given by mistake.
enum class FileKind : uint8_t {
  Artifact,
  Numpy,
  Zip,
  Pickle,
  SafeTensors,
  GGUF,
  TFLite,
  HDF5,
  WideText,
  MarkedText,
  Gzip,
  Bytecode,
  LFSPointer,
  HTML,
  ELF,
};
inline constexpr int numFileKinds = 15;

/// The kind of a file that begins with `bytes`; nothing for text and files of
/// other kinds.
std::optional<FileKind> recogniseFile(std::string_view bytes);

/// The kind in words: "a numpy array (.npy)".
std::string_view describe(FileKind kind);

/// Whether a file that begins with `bytes` is probably an ONNX model: a message
/// whose field 1 is a small version number, followed by another field of a
/// model.
bool looksLikeONNX(std::string_view bytes);

/// Whether `bytes` are the beginning of a file that is no text.
bool isBinary(std::string_view bytes);

} // namespace weir

#endif // WEIR_SUPPORT_FILEKIND_H
