//===- Glob.h - Patterns for op names -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_GLOB_H
#define WEIR_SUPPORT_GLOB_H

#include "weir/Support/Status.h"

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A shell pattern that is matched against whole names:
/// - `*` is any sequence of characters, including '/' and the empty one.
/// - `?` is one character.
/// - `[a-z_]` is one character of a set, `[!a-z]` one outside of it.
/// - A backslash takes the next character literally.
///
/// Characters are bytes.
class Glob {
public:
  /// Parses `pattern`. The error says where it is malformed: an unclosed '[', a
  /// range that runs backwards, a backslash at the end, or an empty pattern.
  static StatusOr<Glob> parse(std::string_view pattern);

  /// Whether the whole of `text` matches. Takes time proportional at most to
  /// the product of both lengths.
  bool matches(std::string_view text) const;

  /// The pattern as it was written.
  const std::string &pattern() const { return source; }

private:
  /// Either any sequence of characters, or one character of `set`.
  struct Token {
    bool isStar = false;
    std::bitset<256> set;
  };

  static Status parseSet(std::string_view pattern, size_t &at, Token &token);

  std::string source;
  std::vector<Token> tokens;
};

} // namespace weir

#endif // WEIR_SUPPORT_GLOB_H
