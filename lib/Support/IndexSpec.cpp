//===- IndexSpec.cpp - Parsing of index specs -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/IndexSpec.h"

#include "IndexSpecSizes.h"
#include "TextScanner.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using Dim = IndexSpec::Dim;
using Term = IndexSpec::Term;

namespace {
class SpecParser : TextScanner {
public:
  explicit SpecParser(std::string_view text)
      : TextScanner(text, "index spec", Blanks::Kept) {}

  using TextScanner::accept;
  using TextScanner::error;

  Status parseTerms(std::vector<Term> &terms) {
    do {
      WEIR_ASSIGN_OR_RETURN(Term term, parseTerm());
      terms.push_back(std::move(term));
    } while (accept(","));
    return Status::ok();
  }

  StatusOr<Term> parseTerm() {
    Term term;
    term.isInit = accept("+");
    term.isBroadcastOnly = !term.isInit && accept("<");
    while (true) {
      Dim dim;
      if (accept("...")) {
        dim.kind = Dim::Kind::Ellipsis;
      } else if (accept("(")) {
        WEIR_RETURN_IF_ERROR(parseProduct(dim));
      } else if (accept("[")) {
        WEIR_RETURN_IF_ERROR(parseWindow(dim));
      } else if (isLetter(peek())) {
        dim.letters = text[position++];
      } else {
        return term;
      }
      term.dims.push_back(std::move(dim));
    }
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
      WEIR_RETURN_IF_ERROR(parseAttribute(where.attribute));
      wheres.push_back(std::move(where));
    } while (accept(","));
    return Status::ok();
  }

  bool atEnd() const { return position == text.size(); }

private:
  static bool isLetter(char c) { return c >= 'a' && c <= 'z'; }

  std::string parseWord() {
    size_t begin = position;
    while (isLetter(peek()) || peek() == '_')
      ++position;
    return std::string(text.substr(begin, position - begin));
  }

  Status parseProduct(Dim &dim) {
    while (isLetter(peek()))
      dim.letters += text[position++];
    if (dim.letters.size() < 2)
      return error("two letters or more");
    return accept(")") ? Status::ok() : error("')'");
  }

  /// Parses a word into `word`. The word must not be empty.
  Status parseAttribute(std::string &word) {
    word = parseWord();
    return word.empty() ? error("an attribute") : Status::ok();
  }

  Status parseWindow(Dim &dim) {
    dim.kind = Dim::Kind::Window;
    if (!isLetter(peek()))
      return error("a letter");
    dim.letters = text[position++];
    if (accept("@")) {
      dim.kind = Dim::Kind::Permuted;
      WEIR_RETURN_IF_ERROR(parseAttribute(dim.offset));
    } else if (accept("/")) {
      dim.kind = Dim::Kind::Dropped;
      WEIR_RETURN_IF_ERROR(parseAttribute(dim.offset));
    } else if (accept(">")) {
      dim.kind = Dim::Kind::Running;
      WEIR_RETURN_IF_ERROR(parseAttribute(dim.offset));
    } else if (accept("{")) {
      WEIR_RETURN_IF_ERROR(parseIndirect(dim));
    } else if (accept("(")) {
      WEIR_RETURN_IF_ERROR(parseReplaced(dim));
    } else {
      WEIR_RETURN_IF_ERROR(parseWindowSum(dim));
    }
    return accept("]") ? Status::ok() : error("']'");
  }

  Status parseIndirect(Dim &dim) {
    dim.kind = Dim::Kind::Indirect;
    if (!isLetter(peek()))
      return error("an operand");
    dim.indexOperand = text[position++] - 'a';
    return accept("}") ? parseAttribute(dim.offset) : error("'}'");
  }

  Status parseReplaced(Dim &dim) {
    dim.kind = Dim::Kind::Replaced;
    if (!isLetter(peek()))
      return error("a letter");
    dim.replacement = text[position++];
    return accept(")") ? parseAttribute(dim.offset) : error("')'");
  }

  /// Parses a window behind its base letter. A word of one letter is the tap,
  /// and a longer word is an attribute.
  Status parseWindowSum(Dim &dim) {
    if (accept("*"))
      WEIR_RETURN_IF_ERROR(parseAttribute(dim.baseScale));
    while (dim.offset.empty() && (peek() == '+' || peek() == '-')) {
      dim.isPadding = text[position++] == '-';
      std::string word;
      WEIR_RETURN_IF_ERROR(parseAttribute(word));
      bool isTap = word.size() == 1 && !dim.isPadding;
      if (!isTap) {
        dim.offset = std::move(word);
      } else if (dim.letters.size() > 1) {
        return error("one tap letter");
      } else {
        dim.letters += word;
        if (accept("*"))
          WEIR_RETURN_IF_ERROR(parseAttribute(dim.tapScale));
      }
    }
    return Status::ok();
  }
};

/// Checks the rules that are not a part of the grammar.
class SpecChecker {
public:
  explicit SpecChecker(const IndexSpec &spec) : spec(spec) {}

  Status check() {
    int numInits = 0;
    for (const Term &term : spec.operandTerms()) {
      numInits += term.isInit;
      WEIR_RETURN_IF_ERROR(checkTerm(term));
      WEIR_RETURN_IF_ERROR(checkOperand(term));
    }
    if (numInits > 1)
      return error("has two terms marked '+', expected at most one");
    for (const IndexSpec::Where &where : spec.whereClauses())
      WEIR_RETURN_IF_ERROR(checkWhere(where));
    WEIR_RETURN_IF_ERROR(checkTerm(spec.resultTerm()));
    return checkResult(spec.resultTerm());
  }

private:
  Status error(std::string_view problem) const {
    return invalidArgument(
        fmt::format("index spec '{}' {}", spec.text(), problem));
  }

  /// Checks one term, and adds its letters to `plain` or `repeated`.
  Status checkTerm(const Term &term) {
    int numOpen = 0;
    for (const Dim &dim : term.dims) {
      numOpen += dim.kind != Dim::Kind::Letters;
      std::string &own = dim.isRepeated() ? repeated : plain;
      const std::string &other = dim.isRepeated() ? plain : repeated;
      for (size_t i = 0; i < dim.letters.size(); ++i) {
        char letter = dim.letters[i];
        if (dim.letters.find(letter) != i)
          return error(fmt::format("has '{}' twice in one dim", letter));
        if (other.find(letter) != std::string::npos)
          return error(
              fmt::format("has '{}' inside and outside of '[]'", letter));
        own += letter;
      }
      if (dim.replacement && repeated.find(dim.replacement) != repeated.npos)
        return error(fmt::format("has '{}' inside and outside of '[]'",
                                 dim.replacement));
      if (dim.replacement)
        plain += dim.replacement;
    }
    return numOpen > 1 ? error("has more than one '...' or '[]' in one term")
                       : Status::ok();
  }

  Status checkOperand(const Term &term) const {
    for (const Dim &dim : term.dims) {
      if (dim.kind == Dim::Kind::Permuted || dim.kind == Dim::Kind::Dropped ||
          dim.kind == Dim::Kind::Replaced || dim.kind == Dim::Kind::Running)
        return error("has '@', '/', '()' or '>' in an operand, expected in "
                     "the result");
      if (dim.indexOperand >= static_cast<int>(spec.operandTerms().size()))
        return error("takes an index from an operand that there is not");
      if (term.isInit && !dim.offset.empty())
        return error("has a window in a term marked '+'");
    }
    return Status::ok();
  }

  Status checkWhere(const IndexSpec::Where &where) const {
    bool isUsed =
        where.letter == '.' || isInOperands(where.letter) ||
        lettersOf(spec.resultTerm()).find(where.letter) != std::string::npos;
    if (!isUsed)
      return error(
          fmt::format("gives a size to '{}', which no term has", where.letter));
    return Status::ok();
  }

  Status checkResult(const Term &result) const {
    if (result.isInit || result.isBroadcastOnly)
      return error("has a marked result");
    for (const Dim &dim : result.dims)
      if (dim.kind == Dim::Kind::Window && !dim.offset.empty() &&
          !dim.isPadding)
        return error("adds an attribute in the result, expected '-'");
    for (const Dim &dim : result.dims)
      if (dim.kind == Dim::Kind::Indirect)
        return error("has '{}' in the result, expected in an operand");
    for (char letter : lettersOf(result))
      if (!isInOperands(letter) && !hasWhere(letter))
        return error(fmt::format("has '{}' in the result only", letter));
    return Status::ok();
  }

  static std::string lettersOf(const Term &term) {
    std::string letters;
    for (const Dim &dim : term.dims) {
      letters += dim.letters;
      if (dim.replacement)
        letters += dim.replacement;
    }
    return letters;
  }
  bool hasWhere(char letter) const {
    const std::vector<IndexSpec::Where> &wheres = spec.whereClauses();
    return std::any_of(
        wheres.begin(), wheres.end(),
        [&](const IndexSpec::Where &where) { return where.letter == letter; });
  }
  bool isInOperands(char letter) const {
    for (const Term &term : spec.operandTerms())
      if (lettersOf(term).find(letter) != std::string::npos)
        return true;
    return false;
  }

  const IndexSpec &spec;
  /// The letters outside of brackets so far. `repeated` has those inside of
  /// brackets.
  std::string plain, repeated;
};
} // namespace

StatusOr<IndexSpec> IndexSpec::parse(std::string_view text) {
  IndexSpec spec;
  spec.source = text;
  // Only a fixed spec has a colon.
  if (text.find(':') != text.npos) {
    WEIR_ASSIGN_OR_RETURN(spec.fixed, indexspec::parseFixed(text));
    return spec;
  }
  SpecParser parser(text);
  WEIR_RETURN_IF_ERROR(parser.parseTerms(spec.inputs));
  if (!parser.accept("->"))
    return parser.error("'->'");
  WEIR_ASSIGN_OR_RETURN(spec.output, parser.parseTerm());
  WEIR_RETURN_IF_ERROR(parser.parseWheres(spec.wheres));
  if (!parser.atEnd())
    return parser.error("the end");
  WEIR_RETURN_IF_ERROR(SpecChecker(spec).check());
  return spec;
}

/// Whether `holds` is true for some index of the operands of `spec`.
template <typename Fn>
static bool anyIndex(const BoundSpec &spec, const Fn &holds) {
  return std::any_of(spec.operands.begin(), spec.operands.end(),
                     [&](const std::vector<AffineIndex> &operand) {
                       return std::any_of(operand.begin(), operand.end(),
                                          holds);
                     });
}

/// Whether an operand of `spec` depends on `loop`.
static bool readsAlong(const BoundSpec &spec, int loop) {
  return anyIndex(spec, [&](const AffineIndex &index) {
    return std::any_of(index.terms.begin(), index.terms.end(),
                       [&](const auto &term) { return term.loop == loop; });
  });
}

bool IndexSpec::hasWindows() const {
  if (fixed)
    return anyIndex(*fixed, [&](const AffineIndex &index) {
      return index.terms.size() > 1 && !indexspec::countsOnce(index, *fixed);
    });
  return std::any_of(inputs.begin(), inputs.end(), [](const Term &term) {
    return std::any_of(term.dims.begin(), term.dims.end(), [](const Dim &dim) {
      return dim.kind == Dim::Kind::Window && dim.letters.size() > 1;
    });
  });
}

bool IndexSpec::hasIndirectDims() const {
  if (fixed)
    return anyIndex(
        *fixed, [](const AffineIndex &index) { return index.indirect >= 0; });
  auto isIndirect = [](const Dim &dim) { return dim.indexOperand >= 0; };
  return std::any_of(inputs.begin(), inputs.end(), [&](const Term &term) {
    return std::any_of(term.dims.begin(), term.dims.end(), isIndirect);
  });
}

bool IndexSpec::repeatsOperands() const {
  if (fixed)
    return std::any_of(fixed->result.begin(), fixed->result.end(),
                       [&](const AffineIndex &index) {
                         return std::any_of(
                             index.terms.begin(), index.terms.end(),
                             [&](const AffineIndex::Term &term) {
                               return !readsAlong(*fixed, term.loop);
                             });
                       });
  auto isRead = [&](char letter) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const Term &term) {
      return std::any_of(term.dims.begin(), term.dims.end(),
                         [&](const Dim &dim) {
                           return dim.letters.find(letter) != std::string::npos;
                         });
    });
  };
  return std::any_of(output.dims.begin(), output.dims.end(),
                     [&](const Dim &dim) {
                       return dim.replacement && !isRead(dim.replacement);
                     });
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

int weir::findLoop(const BoundSpec &bound, std::string_view place,
                   const AttrMap &attrs) {
  const size_t at = place.find('@');
  std::string name(place.substr(0, at));
  if (at != place.npos) {
    int64_t dim = attrs.intOr(place.substr(at + 1), 0);
    // The loops show how many repeated dims there are. Some repeated dims have
    // no loop, but the last one has, unless it is the dim that is looked for.
    int64_t count = 0;
    for (const Loop &loop : bound.loops)
      if (loop.name.size() > 1 && loop.name.front() == name.front())
        count = std::max<int64_t>(count, std::stoll(loop.name.substr(1)) + 1);
    name += std::to_string(dim < 0 ? dim + count : dim);
  }
  auto it = std::find_if(bound.loops.begin(), bound.loops.end(),
                         [&](const Loop &loop) { return loop.name == name; });
  return it == bound.loops.end() ? -1
                                 : static_cast<int>(it - bound.loops.begin());
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
