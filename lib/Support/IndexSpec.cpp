//===- IndexSpec.cpp - Parsing of index specs -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/IndexSpec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

using namespace weir;
using Dim = IndexSpec::Dim;
using Term = IndexSpec::Term;

namespace {
class SpecParser {
public:
  explicit SpecParser(std::string_view text) : text(text) {}

  Status parseTerms(std::vector<Term> &terms) {
    do {
      WEIR_ASSIGN_OR_RETURN(Term term, parseTerm());
      terms.push_back(std::move(term));
    } while (accept(","));
    return Status::ok();
  }

  Status parseWheres(std::vector<IndexSpec::Where> &wheres) {
    if (!accept("|"))
      return Status::ok();
    do {
      IndexSpec::Where where;
      if (accept("..."))
        where.letter = '.';
      else if (isLetter(peek()))
        where.letter = text[position++];
      else
        return error("a letter or '...'");
      if (!accept("="))
        return error("'='");
      where.attribute = parseWord();
      wheres.push_back(std::move(where));
    } while (accept(","));
    return Status::ok();
  }

  bool accept(std::string_view token) {
    if (text.substr(position, token.size()) != token)
      return false;
    position += token.size();
    return true;
  }

  bool atEnd() const { return position == text.size(); }

  Status error(std::string_view expected) const {
    return invalidArgument(
        fmt::format("expected {} at column {} of index spec '{}'", expected,
                    position + 1, text));
  }

private:
  static bool isLetter(char c) { return c >= 'a' && c <= 'z'; }
  char peek() const { return atEnd() ? '\0' : text[position]; }

  std::string parseWord() {
    size_t begin = position;
    while (isLetter(peek()) || peek() == '_')
      ++position;
    return std::string(text.substr(begin, position - begin));
  }

  StatusOr<Term> parseTerm() {
    Term term;
    term.isInit = accept("+");
    term.isBroadcastOnly = accept("<");
    while (true) {
      Dim dim;
      if (accept("...")) {
        dim.kind = Dim::Kind::Ellipsis;
      } else if (accept("(")) {
        while (isLetter(peek()))
          dim.letters += text[position++];
        if (!accept(")"))
          return error("')'");
      } else if (accept("[")) {
        WEIR_RETURN_IF_ERROR(parseWindow(dim));
        if (!accept("]"))
          return error("']'");
      } else if (isLetter(peek())) {
        dim.letters = text[position++];
      } else {
        return term;
      }
      term.dims.push_back(std::move(dim));
    }
  }

  Status parseWindow(Dim &dim) {
    dim.kind = Dim::Kind::Window;
    if (!isLetter(peek()))
      return error("a letter");
    dim.letters = text[position++];
    if (accept("@")) {
      dim.kind = Dim::Kind::Permuted;
      dim.offset = parseWord();
      return Status::ok();
    }
    if (accept("/")) {
      dim.kind = Dim::Kind::Dropped;
      dim.offset = parseWord();
      return Status::ok();
    }
    if (accept("*"))
      dim.baseScale = parseWord();
    while (peek() == '+' || peek() == '-') {
      bool isPadding = text[position++] == '-';
      std::string word = parseWord();
      if (word.size() == 1 && !isPadding) {
        dim.letters += word;
        if (accept("*"))
          dim.tapScale = parseWord();
      } else {
        dim.offset = word;
        dim.isPadding = isPadding;
      }
    }
    return Status::ok();
  }

  std::string_view text;
  size_t position = 0;
};
} // namespace

StatusOr<IndexSpec> IndexSpec::parse(std::string_view text) {
  IndexSpec spec;
  spec.source = text;
  SpecParser parser(text);
  WEIR_RETURN_IF_ERROR(parser.parseTerms(spec.inputs));
  if (!parser.accept("->"))
    return parser.error("'->'");
  std::vector<Term> outputs;
  WEIR_RETURN_IF_ERROR(parser.parseTerms(outputs));
  if (outputs.size() != 1)
    return parser.error("one result");
  spec.output = std::move(outputs.front());
  WEIR_RETURN_IF_ERROR(parser.parseWheres(spec.wheres));
  if (!parser.atEnd())
    return parser.error("the end");
  return spec;
}

int64_t BoundSpec::numPoints() const {
  int64_t points = 1;
  for (const Loop &loop : loops) {
    if (loop.size == unknownDim)
      return unknownDim;
    points *= loop.size;
  }
  return points;
}

bool BoundSpec::hasReduction() const {
  return std::any_of(loops.begin(), loops.end(),
                     [](const Loop &loop) { return loop.isReduction; });
}

std::string weir::shapeToString(std::span<const int64_t> dims) {
  if (dims.empty())
    return "scalar";
  std::string text;
  for (int64_t dim : dims) {
    if (!text.empty())
      text += 'x';
    text += dim == unknownDim ? std::string("?") : std::to_string(dim);
  }
  return text;
}
