//===- ForeignFile.cpp - Recognises files that are not graphs ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ForeignFile.h"

using namespace weir;

/// What to do with a file of each kind.
static constexpr std::string_view repairs[numFileKinds] = {
    "run it with graph-run or print it with graph-dump, and compile the model "
    "that it was made from",
    "give it to graph-run with --input NAME=FILE, or to graph-compile with "
    "--bind NAME=FILE, beside a graph",
    "export the network as ONNX (torch.onnx.export), or unpack it",
    "export the network as ONNX (torch.onnx.export)",
    "name it in the graph: weir.parameter @w : ... from \"FILE\"",
    "export the network as ONNX",
    "convert it to ONNX with tf2onnx",
    "convert the model to ONNX with tf2onnx",
    "save it as UTF-8",
    "save it as UTF-8 without one",
    "unpack it with gunzip",
    "print it as text first",
    "fetch it with git lfs pull",
    "download the model itself",
};

std::optional<ForeignFile> weir::recogniseForeign(std::string_view bytes) {
  std::optional<FileKind> kind = recogniseFile(bytes);
  if (!kind)
    return std::nullopt;
  return ForeignFile{describe(*kind), repairs[static_cast<size_t>(*kind)]};
}
