//===- Names.cpp - Names from an artifact, fit for people -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include <algorithm>

using namespace weir;

std::string weir::artifact::printable(const flatbuffers::String *name) {
  std::string text = name ? name->str() : std::string();
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return text;
}

std::string weir::artifact::quoted(const flatbuffers::String *name) {
  constexpr size_t maxShown = 64;
  std::string text = printable(name);
  if (text.size() > maxShown)
    text = text.substr(0, maxShown) + "...";
  return "'" + text + "'";
}
