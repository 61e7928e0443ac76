//===- OutputNames.cpp - Checks the names of files to write ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/OutputNames.h"

#include "weir/Support/Printable.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>

using namespace weir;

namespace {
/// A file name ending that identifies a kind of file.
struct KnownEnding {
  std::string_view ending;
  std::string_view kind;
};
} // namespace

static constexpr std::string_view picture = "a picture";
static constexpr std::string_view graphText = ".dot";

static constexpr KnownEnding knownEndings[] = {
    {".onnx", "a graph"},
    {".mlir", "a graph"},
    {".weir", "an artifact"},
    {graphText, "text for Graphviz, which graph-compile --emit=dot writes"},
    {".ll", "LLVM IR, which graph-compile --emit=llvm writes"},
    {".s", "assembly, which graph-compile --emit=asm writes"},
    {".ptx", "PTX, which graph-compile --emit=ptx writes"},
    {".json", "JSON"},
    {".csv", "a table"},
    {".html", "a page"},
    {".npy", "an array of numpy"},
    {".pdf", picture},
    {".png", picture},
    {".svg", picture}};

/// The advice for `path`, which has the ending of another kind than `kind`.
static std::string repairEnding(const std::string &path,
                                const KnownEnding &known,
                                const OutputKind &kind) {
  if (known.kind != picture || kind.ending != graphText)
    return fmt::format("name a file that ends in {}", kind.ending);
  const std::string text =
      path.substr(0, path.size() - known.ending.size()) + ".dot";
  return fmt::format("write {0}, and draw it: dot -T{1} {0} -o {2}",
                     printable(text), known.ending.substr(1), printable(path));
}

Status weir::checkOutputEnding(std::string_view flag, const std::string &path,
                               const OutputKind &kind) {
  const auto *known =
      std::ranges::find_if(knownEndings, [&](const KnownEnding &each) {
        return path.ends_with(each.ending);
      });
  if (known == std::end(knownEndings) || known->ending == kind.ending)
    return Status::ok();
  return invalidArgument(
      fmt::format("{} {}: this would be {}, and the name is that of {}; {}",
                  flag, printable(path), kind.what, known->kind,
                  repairEnding(path, *known, kind)));
}

/// Words in small letters that were probably meant as a mode, and not as the
/// name of a file.
static constexpr std::string_view modes[] = {
    "0",    "1",   "default", "disable", "enable", "false", "json", "no",
    "none", "off", "on",      "stderr",  "stdout", "text",  "true", "yes"};

Status weir::checkNoMode(std::string_view flag, const std::string &path,
                         std::string_view repair) {
  std::string word = path;
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  if (std::ranges::find(modes, word) == std::end(modes))
    return Status::ok();
  return invalidArgument(
      fmt::format("{0}: expected the name of a file or folder, found the word "
                  "'{1}'; {2}; one of this name is ./{1}",
                  flag, path, repair));
}
