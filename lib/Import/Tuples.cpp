//===- Tuples.cpp - Finds tuples among elements -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Tuples.h"

#include "Nesting.h"

using namespace weir;
using llvm::StringRef;

size_t weir::findTuple(StringRef text) {
  constexpr StringRef dense = "dense<", sparse = "sparse<";
  bool isInside = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = skipString(text, at);
    } else if (c == '/' && text.substr(at).starts_with("//")) {
      at = text.find('\n', at);
      if (at == StringRef::npos)
        break;
    } else if (c == '<') {
      const StringRef before = text.take_front(at + 1);
      isInside = before.ends_with(dense) || before.ends_with(sparse);
    } else if (isInside && c == '(') {
      return at;
    } else if (c == '>') {
      isInside = false;
    }
  }
  return StringRef::npos;
}
