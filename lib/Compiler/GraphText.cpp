//===- GraphText.cpp - Reads the text of graphs -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GraphText.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/SystemError.h"

#include <filesystem>
#include <fmt/format.h>

using namespace llvm;
using namespace weir;

/// Whether `text` has generated kernels as late phases print them. Their
/// dialects do not occur in graphs.
static bool hasKernels(StringRef text) {
  return text.contains(("\n  module @" + attrs::kernelsModule).str());
}

/// Names what `text` is if it is an output of Weir's tools but not a graph.
static std::string_view findForeignKind(StringRef text) {
  constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"WEIR", "an artifact, which graph-run runs and graph-dump shows"},
      {"digraph ", "a drawing of --emit=dot"},
      {"; ModuleID", "code of --emit=llvm"},
      {"\t.file", "code of --emit=asm"}};
  for (auto [begin, kind] : kinds)
    if (text.starts_with(StringRef(begin)))
      return kind;
  return {};
}

StatusOr<std::unique_ptr<MemoryBuffer>>
weir::readGraphText(const std::string &path) {
  const std::string what = path == "-" ? "cannot read standard input"
                                       : fmt::format("cannot read '{}'", path);
  // A character device such as /dev/zero has no end.
  if (std::error_code error; std::filesystem::is_character_file(path, error))
    return invalidArgument(what + ": it is a device; expected a file, or - for "
                                  "standard input");
  WEIR_RETURN_IF_ERROR(checkPath(path));
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return systemError(what, buffer.getError().value());
  const StringRef text = (*buffer)->getBuffer();
  if (std::string_view kind = findForeignKind(text); !kind.empty())
    return invalidArgument(
        fmt::format("'{}' is {}; expected an ONNX model (.onnx) or textual IR",
                    path, kind));
  if (hasKernels(text))
    return invalidArgument(fmt::format("'{}' is what a later phase prints; {}",
                                       path, std::string_view(compiledPhases)));
  return std::move(*buffer);
}
