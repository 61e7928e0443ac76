//===- ParserPlace.cpp - The text at an error of the parser -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ParserPlace.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::parsing;

StringRef parsing::skipSpaces(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      return text;
    text = text.drop_until([](char c) { return c == '\n'; });
  }
}

StringRef parsing::takeToken(StringRef text) {
  constexpr size_t longest = 60;
  text = text.take_front(longest);
  if (text.starts_with("\""))
    return text.take_front(text.find_first_of("\"\n", 1) + 1);
  if (text.starts_with("->"))
    return text.take_front(2);
  int depth = 0;
  StringRef word = text.take_while([&](char c) {
    if (depth == 0 && (llvm::isSpace(c) || StringRef("(){}[],=>").contains(c)))
      return false;
    depth += (c == '<') - (c == '>');
    return c != '\n';
  });
  return word.size() < 2 ? text.take_front(1) : word.rtrim(':');
}

StringRef parsing::takeWord(StringRef text) {
  if (text.empty() || !llvm::isAlpha(text.front()))
    return {};
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

bool parsing::beginsNumber(StringRef text) {
  text.consume_front("-");
  return !text.empty() && llvm::isDigit(text.front());
}

StringRef parsing::getBetween(StringRef text, StringRef begin, StringRef end) {
  return text.split(begin).second.split(end).first;
}

std::string parsing::describeFound(const Place &place) {
  StringRef token = takeToken(place.rest);
  if (token.empty())
    return ", found the end of the text";
  return (", found '" + token + "'").str();
}
