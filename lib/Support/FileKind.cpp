//===- FileKind.cpp - Recognises files by their first bytes -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/FileKind.h"

#include <algorithm>

using namespace weir;
using namespace std::string_view_literals;

namespace {
/// The bytes at an offset that identify files of a kind.
struct Magic {
  size_t offset;
  std::string_view bytes;
  FileKind kind;
};
} // namespace

static constexpr Magic magics[] = {
    // The bytes before this magic are a number, which may look like another
    // magic. So this row comes first.
    {8, "{\""sv, FileKind::SafeTensors},
    {0, "WEIR"sv, FileKind::Artifact},
    {0, "\x93NUMPY"sv, FileKind::Numpy},
    {0, "PK\x03\x04"sv, FileKind::Zip},
    // A zip archive without members.
    {0, "PK\x05\x06"sv, FileKind::Zip},
    {0, "\x80\x02"sv, FileKind::Pickle},
    {0, "\x80\x04"sv, FileKind::Pickle},
    {0, "\x80\x05"sv, FileKind::Pickle},
    {0, "GGUF"sv, FileKind::GGUF},
    {4, "TFL3"sv, FileKind::TFLite},
    {0, "\x89HDF"sv, FileKind::HDF5},
    {0, "\xff\xfe"sv, FileKind::WideText},
    {0, "\xfe\xff"sv, FileKind::WideText},
    {0, "\0\0\xfe\xff"sv, FileKind::WideText},
    {0, "\xef\xbb\xbf"sv, FileKind::MarkedText},
    {0, "\x1f\x8b"sv, FileKind::Gzip},
    {0, "ML\xefR"sv, FileKind::Bytecode},
    {0, "version https://git-lfs"sv, FileKind::LFSPointer},
    {0, "<!DOCTYPE"sv, FileKind::HTML},
    {0, "<html"sv, FileKind::HTML},
    {0, "\177ELF"sv, FileKind::ELF},
};

static constexpr std::string_view descriptions[numFileKinds] = {
    "a compiled artifact (.weir)",
    "a numpy array (.npy)",
    "a zip archive, such as a PyTorch checkpoint (.pt) or .npz",
    "a Python pickle",
    "a safetensors file, which has weights and no graph",
    "a GGUF file, which has weights and no graph",
    "a TensorFlow Lite model",
    "an HDF5 file, such as a Keras model",
    "text in UTF-16 or UTF-32",
    "text that begins with a byte order mark",
    "a file compressed by gzip",
    "MLIR bytecode",
    "a pointer of Git LFS to a file that was not fetched",
    "a page of HTML",
    "a program or shared library (ELF)",
};

std::optional<FileKind> weir::recogniseFile(std::string_view bytes) {
  for (const Magic &magic : magics)
    // A text might contain the characters at a larger offset by chance. So such
    // a magic counts only in a binary file.
    if (bytes.size() >= magic.offset &&
        (magic.offset == 0 || isBinary(bytes)) &&
        bytes.substr(magic.offset).starts_with(magic.bytes))
      return magic.kind;
  return std::nullopt;
}

std::string_view weir::describe(FileKind kind) {
  return descriptions[static_cast<size_t>(kind)];
}

bool weir::looksLikeONNX(std::string_view bytes) {
  constexpr std::string_view laterFields = "\x12\x1a\x22\x28\x32\x3a\x42";
  return bytes.size() > 2 && bytes[0] == 8 && bytes[1] > 0 && bytes[1] < ' ' &&
         laterFields.find(bytes[2]) != bytes.npos;
}

bool weir::isBinary(std::string_view bytes) {
  constexpr size_t numLooked = 512;
  return std::ranges::any_of(bytes.substr(0, numLooked), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' &&
           c != '\v';
  });
}
