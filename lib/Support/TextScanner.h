//===- TextScanner.h - Reading a short text by tokens -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_SUPPORT_TEXTSCANNER_H
#define WEIR_LIB_SUPPORT_TEXTSCANNER_H

#include "weir/Support/Status.h"

#include <fmt/format.h>

#include <string_view>

namespace weir {
/// The base class of the parsers of specs and expressions. Both are texts of
/// one line.
class TextScanner {
protected:
  enum class Blanks { Skipped, Kept };

  /// `kind` names the text in errors.
  TextScanner(std::string_view text, std::string_view kind, Blanks blanks)
      : text(text), kind(kind), blanks(blanks) {}

  /// The next character, or '\0' at the end. Blanks in front of it are skipped
  /// unless they are kept.
  char peek() {
    while (blanks == Blanks::Skipped && position < text.size() &&
           text[position] == ' ')
      ++position;
    return position < text.size() ? text[position] : '\0';
  }

  /// Skips `token` if it comes next. Returns whether it came next.
  bool accept(std::string_view token) {
    peek();
    if (text.substr(position, token.size()) != token)
      return false;
    position += token.size();
    return true;
  }

  Status error(std::string_view expected) const {
    return invalidArgument(fmt::format("expected {} at column {} of {} '{}'",
                                       expected, position + 1, kind, text));
  }

  std::string_view text;
  size_t position = 0;

private:
  std::string_view kind;
  Blanks blanks;
};
} // namespace weir

#endif // WEIR_LIB_SUPPORT_TEXTSCANNER_H
