//===- Nesting.cpp - Bounds the nesting of textual IR -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Nesting.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace weir;
using llvm::StringRef;

size_t weir::skipString(StringRef text, size_t at) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\')
      ++at;
  return at;
}

size_t weir::skipStringOrComment(StringRef text, size_t at) {
  if (text[at] == '"')
    return skipString(text, at);
  return text.substr(at).starts_with("//")
             ? std::min(text.find('\n', at), text.size())
             : at;
}

size_t weir::findTooDeep(StringRef text) {
  constexpr StringRef opening = "([{<", closing = ")]}>";
  unsigned depth[opening.size()] = {};
  unsigned signs = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (const size_t end = skipStringOrComment(text, at); end != at) {
      at = end;
    } else if (c == '-' && text.substr(at).starts_with("->")) {
      ++at;
    } else if (size_t kind = opening.find(c); kind != StringRef::npos) {
      if (++depth[kind] > maxNesting)
        return at;
    } else if (size_t kind = closing.find(c); kind != StringRef::npos) {
      depth[kind] -= depth[kind] > 0;
    }
    if (c == '-' && ++signs > maxNesting)
      return at;
    if (c != '-' && !llvm::isSpace(c))
      signs = 0;
  }
  return StringRef::npos;
}
