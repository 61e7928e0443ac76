//===- FixedSpec.cpp - Index specs with all sizes written out ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/IndexSpec.h"

#include "IndexSpecSizes.h"
#include "TextScanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

using namespace weir;
using namespace weir::indexspec;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

namespace {
/// The least and the largest value of an index.
struct Reach {
  Wide first, last;
};
} // namespace

static Reach reachOf(const AffineIndex &index, const BoundSpec &spec) {
  Reach reach = {index.offset, index.offset};
  for (const AffineIndex::Term &term : index.terms) {
    Wide most = Wide{spec.loops[term.loop].size - 1} * term.coefficient;
    (most < 0 ? reach.first : reach.last) += most;
  }
  return reach;
}

bool indexspec::countsOnce(const AffineIndex &index, const BoundSpec &spec) {
  std::vector<AffineIndex::Term> terms = index.terms;
  std::sort(terms.begin(), terms.end(), [](const auto &a, const auto &b) {
    return a.coefficient < b.coefficient;
  });
  int64_t count = 1;
  for (const AffineIndex::Term &term : terms) {
    int64_t size = spec.loops[term.loop].size;
    if (size == 1)
      continue;
    if (term.coefficient != count)
      return false;
    count *= size;
  }
  return true;
}

void BoundSpec::markReductions() {
  for (Loop &loop : loops)
    loop.isReduction = true;
  for (const AffineIndex &index : result)
    if (index.terms.size() == 1 || countsOnce(index, *this))
      for (const AffineIndex::Term &term : index.terms)
        loops[term.loop].isReduction = false;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
class FixedSpecParser : TextScanner {
public:
  explicit FixedSpecParser(std::string_view text)
      : TextScanner(text, "index spec", Blanks::Skipped) {}

  StatusOr<BoundSpec> parse();

private:
  Status parseLoop();
  Status parseOperand();
  Status parseResult();
  StatusOr<AffineIndex> parseIndex(bool isResult);
  Status parseTerm(AffineIndex &index, int64_t sign);
  StatusOr<int64_t> parseNumber();
  std::string parseName();
  int findLoop(std::string_view name) const;
  Status checkSizes() const;

  BoundSpec spec;
};
} // namespace

StatusOr<int64_t> FixedSpecParser::parseNumber() {
  peek();
  int64_t number = 0;
  const char *begin = text.data() + position;
  auto [end, problem] =
      std::from_chars(begin, text.data() + text.size(), number);
  if (problem != std::errc() || number < 0 || number > sizeLimit)
    return error(fmt::format("a number up to {}", sizeLimit));
  position += end - begin;
  return number;
}

/// A letter that digits may follow; empty if there is no letter.
std::string FixedSpecParser::parseName() {
  char letter = peek();
  size_t end = position;
  constexpr size_t mostDigits = 6;
  if (letter >= 'a' && letter <= 'z')
    for (++end; end < text.size() && end - position <= mostDigits &&
                text[end] >= '0' && text[end] <= '9';)
      ++end;
  std::string name(text.substr(position, end - position));
  position = end;
  return name;
}

int FixedSpecParser::findLoop(std::string_view name) const {
  for (size_t i = 0; i < spec.loops.size(); ++i)
    if (spec.loops[i].name == name)
      return static_cast<int>(i);
  return -1;
}

Status FixedSpecParser::parseLoop() {
  Loop loop;
  loop.name = parseName();
  if (loop.name.empty() || findLoop(loop.name) >= 0)
    return error("the name of another loop");
  if (!accept("="))
    return error("'='");
  WEIR_ASSIGN_OR_RETURN(loop.size, parseNumber());
  bool isExclusive = accept(">>");
  if (isExclusive || accept(">")) {
    if (spec.runningLoop >= 0)
      return error("at most one running loop");
    spec.runningLoop = static_cast<int>(spec.loops.size());
    spec.isExclusive = isExclusive;
  }
  spec.loops.push_back(std::move(loop));
  return Status::ok();
}

Status FixedSpecParser::parseTerm(AffineIndex &index, int64_t sign) {
  int64_t coefficient = 1;
  if (std::isdigit(static_cast<unsigned char>(peek()))) {
    WEIR_ASSIGN_OR_RETURN(coefficient, parseNumber());
    if (!accept("*")) {
      index.offset += sign * coefficient;
      if (index.offset > sizeLimit || index.offset < -sizeLimit)
        return error(fmt::format("an offset of at most {}", sizeLimit));
      return Status::ok();
    }
    if (coefficient == 0)
      return error("a coefficient other than 0");
  }
  const size_t begin = position;
  int loop = findLoop(parseName());
  if (loop < 0) {
    position = begin;
    return error("a loop or a number");
  }
  for (const AffineIndex::Term &term : index.terms)
    if (term.loop == loop)
      return error("each loop once in an index");
  index.terms.push_back({loop, sign * coefficient});
  return Status::ok();
}

StatusOr<AffineIndex> FixedSpecParser::parseIndex(bool isResult) {
  AffineIndex index;
  if (!isResult && accept("{")) {
    char letter = peek();
    if (letter < 'a' || letter > 'z')
      return error("an operand");
    index.indirect = letter - 'a';
    ++position;
    if (!accept("}"))
      return error("'}'");
    return index;
  }
  WEIR_RETURN_IF_ERROR(parseTerm(index, accept("-") ? -1 : 1));
  while (peek() == '+' || peek() == '-') {
    int64_t sign = text[position++] == '-' ? -1 : 1;
    WEIR_RETURN_IF_ERROR(parseTerm(index, sign));
  }
  return index;
}

Status FixedSpecParser::parseOperand() {
  if (accept("+")) {
    if (spec.initOperand >= 0)
      return error("at most one operand marked '+'");
    spec.initOperand = static_cast<int>(spec.operands.size());
  }
  if (!accept("["))
    return error("'['");
  spec.operands.emplace_back();
  if (accept("]"))
    return Status::ok();
  do {
    WEIR_ASSIGN_OR_RETURN(AffineIndex index, parseIndex(/*isResult=*/false));
    spec.operands.back().push_back(std::move(index));
  } while (accept(","));
  return accept("]") ? Status::ok() : error("',' or ']'");
}

Status FixedSpecParser::parseResult() {
  if (!accept("["))
    return error("'['");
  if (accept("]"))
    return Status::ok();
  do {
    WEIR_ASSIGN_OR_RETURN(AffineIndex index, parseIndex(/*isResult=*/true));
    int64_t size;
    if (accept(":")) {
      WEIR_ASSIGN_OR_RETURN(size, parseNumber());
    } else {
      Wide last = reachOf(index, spec).last + 1;
      size = static_cast<int64_t>(std::clamp<Wide>(last, 0, sizeLimit));
    }
    spec.result.push_back(std::move(index));
    spec.resultDims.push_back(size);
  } while (accept(","));
  return accept("]") ? Status::ok() : error("',' or ']'");
}

/// Checks the number of points, the number of result elements, and the numbers
/// of operands that hold indices. Index arithmetic needs no check, because sums
/// of products of two numbers up to `sizeLimit` fit into the wide type.
Status FixedSpecParser::checkSizes() const {
  std::vector<int64_t> points;
  for (const Loop &loop : spec.loops)
    points.push_back(loop.size);
  WEIR_RETURN_IF_ERROR(checkCount(points, "the iteration space"));
  for (const std::vector<AffineIndex> &operand : spec.operands)
    for (const AffineIndex &index : operand)
      if (index.indirect >= static_cast<int>(spec.operands.size()))
        return invalidArgument(fmt::format(
            "index spec '{}' takes an index from an operand that there is not",
            text));
  return checkCount(spec.resultDims, "the result");
}

StatusOr<BoundSpec> FixedSpecParser::parse() {
  if (peek() != ':')
    do
      WEIR_RETURN_IF_ERROR(parseLoop());
    while (accept(","));
  if (!accept(":"))
    return error("',' or ':'");
  do
    WEIR_RETURN_IF_ERROR(parseOperand());
  while (accept(","));
  if (!accept("->"))
    return error("',' or '->'");
  WEIR_RETURN_IF_ERROR(parseResult());
  if (peek() != '\0')
    return error("the end");
  WEIR_RETURN_IF_ERROR(checkSizes());
  spec.markReductions();
  return std::move(spec);
}

StatusOr<BoundSpec> indexspec::parseFixed(std::string_view text) {
  return FixedSpecParser(text).parse();
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

static bool isSameIndex(const AffineIndex &a, const AffineIndex &b) {
  return a.offset == b.offset && a.indirect == b.indirect && a.terms == b.terms;
}

/// Checks the dims of the initial values. Each must be equal to the dim of the
/// result, or be 1 and be broadcast.
static Status checkInit(const BoundSpec &spec,
                        const std::vector<int64_t> &dims) {
  const std::vector<AffineIndex> &indices = spec.operands[spec.initOperand];
  for (size_t d = 0; d < dims.size(); ++d) {
    bool isRepeated = indices[d].terms.empty() && indices[d].offset == 0 &&
                      indices[d].indirect < 0 &&
                      (dims[d] == 1 || dims[d] == unknownDim);
    for (size_t r = 0; r < spec.result.size() && !isRepeated; ++r)
      isRepeated = isSameIndex(indices[d], spec.result[r]) &&
                   (dims[d] == spec.resultDims[r] || dims[d] == unknownDim);
    if (!isRepeated)
      return invalidArgument(fmt::format(
          "dim {} of operand {} with initial values is no dim of the result, "
          "expected one of its indices and its size",
          d, spec.initOperand));
  }
  return Status::ok();
}

/// Checks the operands that hold indices of other operands. Their own indices
/// must be sums of loops.
static Status checkIndirect(const BoundSpec &spec) {
  for (const std::vector<AffineIndex> &operand : spec.operands)
    for (const AffineIndex &index : operand) {
      if (index.indirect < 0)
        continue;
      const std::vector<AffineIndex> &source = spec.operands[index.indirect];
      if (index.indirect == spec.initOperand ||
          std::any_of(source.begin(), source.end(),
                      [](const AffineIndex &at) { return at.indirect >= 0; }))
        return invalidArgument(fmt::format(
            "operand {} holds indices, expected one that is read at sums of "
            "loops and has no initial values",
            index.indirect));
    }
  return Status::ok();
}

/// Whether the loops of the result reach each of its elements exactly once.
static bool reachesEachElement(const BoundSpec &spec) {
  std::vector<bool> isUsed(spec.loops.size());
  for (size_t d = 0; d < spec.result.size(); ++d) {
    AffineIndex index = spec.result[d];
    // A loop may run backwards along a dim.
    if (index.terms.size() == 1 && index.terms[0].coefficient == -1) {
      index.terms[0].coefficient = 1;
      index.offset -= spec.resultDims[d] - 1;
    }
    if (index.offset != 0 || !countsOnce(index, spec))
      return false;
    int64_t count = 1;
    for (const AffineIndex::Term &term : index.terms) {
      const int64_t size = spec.loops[term.loop].size;
      if (size != 1 && isUsed[term.loop])
        return false;
      isUsed[term.loop] = true;
      count *= size;
    }
    if (count != spec.resultDims[d])
      return false;
  }
  return true;
}

/// Checks that the result has an element for the running value at each point of
/// the loop. Without the check, an element that no point reaches would have no
/// value.
static Status checkRunning(const BoundSpec &spec) {
  if (spec.runningLoop < 0)
    return Status::ok();
  const std::string &name = spec.loops[spec.runningLoop].name;
  const bool isStored = std::any_of(
      spec.result.begin(), spec.result.end(), [&](const AffineIndex &index) {
        return index.terms.size() == 1 &&
               index.terms[0].loop == spec.runningLoop && !index.mayLeave;
      });
  if (!isStored)
    return invalidArgument(
        fmt::format("values run along '{}', expected an index of the result "
                    "that is this loop and stays inside",
                    name));
  if (!reachesEachElement(spec))
    return invalidArgument(fmt::format(
        "values run along '{}' and do not reach every element of the result, "
        "expected indices that count each of its dims from 0 to the end",
        name));
  return Status::ok();
}

/// Marks the indices that may be outside of `dims`. An index into an unknown
/// dim may be outside.
static Status bindDims(BoundSpec &spec, std::vector<AffineIndex> &indices,
                       const std::vector<int64_t> &dims, bool hasPoints,
                       const std::string &tensor) {
  if (indices.size() != dims.size())
    return invalidArgument(fmt::format("{} has {} dims, expected {}", tensor,
                                       dims.size(), indices.size()));
  for (size_t d = 0; d < dims.size(); ++d) {
    Reach reach = reachOf(indices[d], spec);
    if (hasPoints && (reach.first < -sizeLimit || reach.last > sizeLimit))
      return invalidArgument(
          fmt::format("an index of dim {} of {} is too large, expected at most "
                      "{}",
                      d, tensor, sizeLimit));
    if (indices[d].indirect >= 0) {
      if (hasPoints && dims[d] == 0)
        return invalidArgument(fmt::format(
            "dim {} of {} has no element to pick, expected 1 or more", d,
            tensor));
      continue;
    }
    indices[d].mayLeave =
        hasPoints &&
        (dims[d] == unknownDim || reach.first < 0 || reach.last >= dims[d]);
  }
  return Status::ok();
}

StatusOr<BoundSpec> indexspec::bindFixed(const BoundSpec &fixed,
                                         Shapes shapes) {
  BoundSpec spec = fixed;
  const bool hasPoints = spec.numPoints() != 0;
  for (size_t i = 0; i < shapes.size(); ++i)
    WEIR_RETURN_IF_ERROR(bindDims(spec, spec.operands[i], shapes[i], hasPoints,
                                  describeOperand(shapes, i)));
  WEIR_RETURN_IF_ERROR(
      bindDims(spec, spec.result, spec.resultDims, hasPoints, "the result"));
  WEIR_RETURN_IF_ERROR(checkIndirect(spec));
  WEIR_RETURN_IF_ERROR(checkRunning(spec));
  if (spec.initOperand >= 0)
    WEIR_RETURN_IF_ERROR(checkInit(spec, shapes[spec.initOperand]));
  return spec;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string printIndex(const AffineIndex &index, const BoundSpec &spec) {
  if (index.indirect >= 0)
    return fmt::format("{{{}}}", static_cast<char>('a' + index.indirect));
  std::string text;
  auto addPart = [&](int64_t number, std::string_view name) {
    std::string_view sign = number < 0     ? (text.empty() ? "-" : " - ")
                            : text.empty() ? ""
                                           : " + ";
    const int64_t size = number < 0 ? -number : number;
    text += sign;
    if (name.empty())
      text += std::to_string(size);
    else
      text += (size == 1 ? "" : fmt::format("{}*", size)) + std::string(name);
  };
  for (const AffineIndex::Term &term : index.terms)
    addPart(term.coefficient, spec.loops[term.loop].name);
  if (index.offset != 0 || text.empty())
    addPart(index.offset, "");
  return text;
}

std::string weir::toText(const BoundSpec &spec) {
  std::string text;
  for (size_t i = 0; i < spec.loops.size(); ++i)
    text += fmt::format("{}{}={}{}", i == 0 ? "" : ", ", spec.loops[i].name,
                        spec.loops[i].size,
                        static_cast<int>(i) != spec.runningLoop ? ""
                        : spec.isExclusive                      ? ">>"
                                                                : ">");
  text += ": ";
  for (size_t i = 0; i < spec.operands.size(); ++i) {
    text += i == 0 ? "" : ", ";
    text += static_cast<int>(i) == spec.initOperand ? "+[" : "[";
    for (size_t d = 0; d < spec.operands[i].size(); ++d)
      text += (d == 0 ? "" : ", ") + printIndex(spec.operands[i][d], spec);
    text += "]";
  }
  text += " -> [";
  for (size_t d = 0; d < spec.result.size(); ++d) {
    text += (d == 0 ? "" : ", ") + printIndex(spec.result[d], spec);
    if (reachOf(spec.result[d], spec).last + 1 != spec.resultDims[d])
      text += fmt::format(":{}", spec.resultDims[d]);
  }
  return text + "]";
}
