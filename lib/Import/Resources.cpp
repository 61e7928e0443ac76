//===- Resources.cpp - Checks the resources of textual IR -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Resources.h"

#include "Nesting.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

using namespace weir;
using llvm::StringRef;

namespace {
/// Reads the sections with resources, which are dictionaries of dictionaries:
/// {-# dialect_resources: { builtin: { key: "0x..." } } #-}.
class SectionReader {
public:
  explicit SectionReader(StringRef text) : text(text) {}

  std::optional<WrongResource> read();

private:
  std::optional<WrongResource> readSection();
  std::optional<WrongResource> readValue(size_t begin, StringRef value);
  /// Skips the comment or string at `at`, if there is one.
  bool skip();

  StringRef text;
  size_t at = 0;
  /// The last word or string.
  StringRef word;
  /// Whether the last token was a ':'.
  bool isValue = false;
  /// The keys of the dictionaries around the last word.
  std::vector<std::string> path;
  llvm::StringSet<> seen;
};
} // namespace

bool SectionReader::skip() {
  if (text[at] == '"')
    at = std::min(skipString(text, at) + 1, text.size());
  else if (text.substr(at).starts_with("//"))
    at = std::min(text.find('\n', at), text.size());
  else
    return false;
  return true;
}

std::optional<WrongResource> SectionReader::read() {
  while ((at = text.find_first_of("\"/{", at)) != StringRef::npos) {
    if (skip())
      continue;
    if (!text.substr(at).starts_with("{-#")) {
      ++at;
      continue;
    }
    at += 3;
    if (auto wrong = readSection())
      return wrong;
  }
  return std::nullopt;
}

std::optional<WrongResource> SectionReader::readSection() {
  path.clear();
  while (at < text.size() && !text.substr(at).starts_with("#-}")) {
    const size_t begin = at;
    const char c = text[at];
    if (skip()) {
      StringRef skipped = text.slice(begin, at);
      if (!skipped.consume_front("\""))
        continue;
      skipped.consume_back("\"");
      if (isValue) {
        if (auto wrong = readValue(begin, skipped))
          return wrong;
      } else {
        word = skipped;
      }
      isValue = false;
    } else if (llvm::isAlnum(c) || c == '_') {
      word = text.substr(at).take_while([](char each) {
        return llvm::isAlnum(each) || StringRef("_$.-").contains(each);
      });
      at += word.size();
    } else {
      ++at;
      if (!llvm::isSpace(c))
        isValue = c == ':';
      if (c == '{')
        path.push_back(word.str());
      else if (c == '}' && !path.empty())
        path.pop_back();
    }
  }
  return std::nullopt;
}

/// Checks the value `value` of the key `word`.
std::optional<WrongResource> SectionReader::readValue(size_t begin,
                                                      StringRef value) {
  const std::string key = llvm::join(path, "\n") + "\n" + word.str();
  if (!seen.insert(key).second)
    return WrongResource{begin, ("there are two resources '" + word +
                                 "'; give each a key of its own")
                                    .str()};
  // The value begins with the alignment in 32 bits. MLIR itself writes 0 for a
  // resource without data.
  constexpr StringRef none = "0x00000000";
  if (value.starts_with(none) && value.size() > none.size())
    return WrongResource{begin,
                         ("resource '" + word +
                          "' expects an alignment from 1 up, found 0; begin it "
                          "with 0x01000000")
                             .str()};
  return std::nullopt;
}

std::optional<WrongResource> weir::findWrongResource(StringRef text) {
  return SectionReader(text).read();
}
