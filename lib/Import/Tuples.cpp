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
    if (const size_t end = skipStringOrComment(text, at); end != at) {
      at = end;
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
