//===- ForeignFile.cpp - Recognises files that are not graphs ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ForeignFile.h"

#include <algorithm>

using namespace weir;

/// The advice to the user for each kind of file.
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
    "export the network as ONNX, or give a graph in textual IR",
};

/// Recognises texts that belong to other tools, such as JSON. The text or one
/// of its lines begins in a way that no graph does.
static std::optional<ForeignFile> recogniseText(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  constexpr size_t most = 4096;
  text = text.substr(0, most);
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  if ((text.starts_with('{') && !text.starts_with("{-#")) ||
      text.starts_with('['))
    return ForeignFile{"a text in JSON", "export the network as ONNX, or write "
                                         "a graph in textual IR"};
  if (text.starts_with("import ") || text.starts_with("from "))
    return ForeignFile{"a program in Python",
                       "export the network as ONNX (torch.onnx.export)"};
  while (!text.empty()) {
    for (const std::string_view opening :
         {"layer {", "layer{", "layers {", "layers{"})
      if (text.starts_with(opening))
        return ForeignFile{"a network of Caffe", "convert it to ONNX"};
    if (text.starts_with("base_lr:") || text.starts_with("solver_type:"))
      return ForeignFile{"a solver of Caffe",
                         "convert its network to ONNX, and give the optimizer "
                         "with --train"};
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  }
  return std::nullopt;
}

std::optional<ForeignFile> weir::recogniseForeign(std::string_view bytes) {
  std::optional<FileKind> kind = recogniseFile(bytes);
  if (!kind)
    return recogniseText(bytes);
  return ForeignFile{describe(*kind), repairs[static_cast<size_t>(*kind)]};
}
