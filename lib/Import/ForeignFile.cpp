//===- ForeignFile.cpp - Recognises files that are not graphs ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ForeignFile.h"

#include <algorithm>

using namespace weir;
using namespace std::string_view_literals;

namespace {
/// The bytes at an offset that identify files of a kind.
struct Magic {
  size_t offset;
  std::string_view bytes;
  ForeignFile file;
};
} // namespace

static constexpr Magic magics[] = {
    {0,
     "WEIR"sv,
     {"a compiled artifact (.weir)",
      "run it with graph-run or print it with graph-dump, and compile the "
      "model that it was made from"}},
    {0,
     "\x93NUMPY"sv,
     {"a numpy array (.npy)",
      "give it to graph-run with --input NAME=FILE, or to graph-compile with "
      "--bind NAME=FILE, beside a graph"}},
    {0,
     "PK\x03\x04"sv,
     {"a zip archive, such as a PyTorch checkpoint (.pt) or .npz",
      "export the network as ONNX (torch.onnx.export), or unpack it"}},
    {8,
     "{\""sv,
     {"a safetensors file, which has weights and no graph",
      "name it in the graph: weir.parameter @w : ... from \"FILE\""}},
    {0,
     "GGUF"sv,
     {"a GGUF file, which has weights and no graph",
      "export the network as ONNX"}},
    {4,
     "TFL3"sv,
     {"a TensorFlow Lite model", "convert it to ONNX with tf2onnx"}},
    {0,
     "\x89HDF"sv,
     {"an HDF5 file, such as a Keras model",
      "convert the model to ONNX with tf2onnx"}},
    {0, "\x1f\x8b"sv, {"a file compressed by gzip", "unpack it with gunzip"}},
    {0, "ML\xefR"sv, {"MLIR bytecode", "print it as text first"}},
    {0,
     "version https://git-lfs"sv,
     {"a pointer of Git LFS to a file that was not fetched",
      "fetch it with git lfs pull"}},
    {0, "<!DOCTYPE"sv, {"a page of HTML", "download the model itself"}},
    {0, "<html"sv, {"a page of HTML", "download the model itself"}},
};

std::optional<ForeignFile> weir::recogniseForeign(std::string_view bytes) {
  for (const Magic &magic : magics)
    // At a larger offset, a text might contain these characters by chance.
    if (bytes.size() >= magic.offset &&
        (magic.offset == 0 || isBinary(bytes)) &&
        bytes.substr(magic.offset).starts_with(magic.bytes))
      return magic.file;
  return std::nullopt;
}

bool weir::isBinary(std::string_view bytes) {
  constexpr size_t numLooked = 512;
  return std::ranges::any_of(bytes.substr(0, numLooked), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' &&
           c != '\v';
  });
}
