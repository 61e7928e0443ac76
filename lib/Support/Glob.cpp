//===- Glob.cpp - Patterns for op names -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Glob.h"

#include <fmt/format.h>

using namespace weir;

static Status malformed(std::string_view pattern, size_t at,
                        std::string_view why) {
  return invalidArgument(fmt::format(
      "malformed pattern '{}': {} at character {}; expected *, ?, [a-z], "
      "[!a-z], \\ before a literal, or plain characters",
      pattern, why, at + 1));
}

/// Parses the set whose '[' is at `at`. Moves `at` behind the ']' of the set.
Status Glob::parseSet(std::string_view pattern, size_t &at, Token &token) {
  size_t open = at++;
  bool isNegated =
      at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  at += isNegated;
  // A ']' directly behind the '[' is an ordinary character, as in the shell.
  for (bool isFirst = true;; isFirst = false) {
    if (at >= pattern.size())
      return malformed(pattern, open, "'[' without ']'");
    if (pattern[at] == ']' && !isFirst)
      break;
    if (pattern[at] == '\\' && ++at == pattern.size())
      return malformed(pattern, open, "'[' without ']'");
    auto low = static_cast<unsigned char>(pattern[at++]);
    auto high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' &&
        pattern[at + 1] != ']') {
      high = static_cast<unsigned char>(pattern[at + 1]);
      at += 2;
    }
    if (high < low)
      return malformed(pattern, at - 1, "a range that runs backwards");
    for (unsigned c = low; c <= high; ++c)
      token.set.set(c);
  }
  ++at;
  if (isNegated)
    token.set.flip();
  return Status::ok();
}

StatusOr<Glob> Glob::parse(std::string_view pattern) {
  if (pattern.empty())
    return invalidArgument("the pattern is empty; '*' matches every name");
  Glob glob;
  glob.source = pattern;
  for (size_t at = 0; at < pattern.size();) {
    Token token;
    char c = pattern[at];
    if (c == '*') {
      token.isStar = true;
      ++at;
    } else if (c == '?') {
      token.set.set();
      ++at;
    } else if (c == '[') {
      WEIR_RETURN_IF_ERROR(parseSet(pattern, at, token));
    } else {
      if (c == '\\' && ++at == pattern.size())
        return malformed(pattern, at - 1, "'\\' before nothing");
      token.set.set(static_cast<unsigned char>(pattern[at++]));
    }
    glob.tokens.push_back(token);
  }
  return glob;
}

bool Glob::matches(std::string_view text) const {
  // Backtracking to the last star is enough, because the last star can match
  // all that an earlier star could.
  constexpr size_t none = ~size_t(0);
  size_t token = 0, at = 0, star = none, starAt = 0;
  while (at < text.size()) {
    bool hasToken = token < tokens.size();
    if (hasToken && tokens[token].isStar) {
      star = token++;
      starAt = at;
    } else if (hasToken &&
               tokens[token].set[static_cast<unsigned char>(text[at])]) {
      ++token;
      ++at;
    } else if (star != none) {
      token = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (token < tokens.size() && tokens[token].isStar)
    ++token;
  return token == tokens.size();
}
