//===- ScalarExpr.cpp - The scalar expression of a leaf op -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ScalarExpr.h"

#include "TextScanner.h"

#include "weir/Support/Philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

using namespace weir;
using Op = ScalarExpr::Op;
using Node = ScalarExpr::Node;

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
struct Function {
  std::string_view name;
  Op op;
};
constexpr Function functions[] = {
    {"abs", Op::Abs},
    {"acos", Op::Acos},
    {"acosh", Op::Acosh},
    {"asin", Op::Asin},
    {"asinh", Op::Asinh},
    {"atan", Op::Atan},
    {"atanh", Op::Atanh},
    {"bit_and", Op::BitAnd},
    {"bit_or", Op::BitOr},
    {"bit_xor", Op::BitXor},
    {"ceil", Op::Ceil},
    {"cos", Op::Cos},
    {"cosh", Op::Cosh},
    {"erf", Op::Erf},
    {"exp", Op::Exp},
    {"expm1", Op::Expm1},
    {"floor", Op::Floor},
    {"fmod", Op::Fmod},
    {"log", Op::Log},
    {"log1p", Op::Log1p},
    {"max", Op::Max},
    {"min", Op::Min},
    {"mod", Op::Mod},
    {"pow", Op::Pow},
    {"random", Op::Random},
    {"round", Op::Round},
    {"rsqrt", Op::Rsqrt},
    {"select", Op::Select},
    {"shift_left", Op::ShiftLeft},
    {"shift_right", Op::ShiftRight},
    {"sin", Op::Sin},
    {"sinh", Op::Sinh},
    {"sqrt", Op::Sqrt},
    {"tan", Op::Tan},
    {"tanh", Op::Tanh},
};

/// A recursive-descent parser. The operators from loose to tight are
/// comparison, sum, product and unary.
class Parser : TextScanner {
public:
  Parser(std::string_view text, std::vector<Node> &steps)
      : TextScanner(text, "scalar expression", Blanks::Skipped), steps(steps) {}

  Status parseAll() {
    WEIR_ASSIGN_OR_RETURN([[maybe_unused]] int root, parseComparison());
    peek();
    if (position != text.size())
      return error("an operator or the end");
    if (steps.size() > maxSteps)
      return invalidArgument(fmt::format(
          "a scalar expression has {} operands and operations, at most {} are "
          "allowed; compute parts of it by ops of their own",
          steps.size(), maxSteps));
    return Status::ok();
  }

private:
  using Result = StatusOr<int>;

  /// The deepest nesting. The parser recurses, and the text may come from a
  /// file, so there must be a limit.
  static constexpr int maxDepth = 100;
  /// The most steps. If a kernel uses one value very often, compilers take
  /// quadratic time.
  static constexpr size_t maxSteps = 16384;
  struct Nesting {
    explicit Nesting(int &depth) : depth(++depth) {}
    ~Nesting() { --depth; }
    int &depth;
  };

  /// Every recursion passes through this function or through `parseUnary`, so
  /// both count the nesting.
  Result parseComparison() {
    Nesting nesting(depth);
    if (depth > maxDepth)
      return error("less nesting");
    WEIR_ASSIGN_OR_RETURN(int left, parseSum());
    for (auto [spelling, op, swapped] : {std::tuple{"==", Op::Equal, false},
                                         {"!=", Op::NotEqual, false},
                                         {"<=", Op::LessEqual, false},
                                         {">=", Op::LessEqual, true},
                                         {"<", Op::Less, false},
                                         {">", Op::Less, true}}) {
      if (!accept(spelling))
        continue;
      WEIR_ASSIGN_OR_RETURN(int right, parseSum());
      return swapped ? add(op, {right, left}) : add(op, {left, right});
    }
    return left;
  }

  Result parseSum() {
    WEIR_ASSIGN_OR_RETURN(int left, parseProduct());
    while (peek() == '+' || peek() == '-') {
      Op op = text[position++] == '+' ? Op::Add : Op::Sub;
      WEIR_ASSIGN_OR_RETURN(int right, parseProduct());
      left = add(op, {left, right});
    }
    return left;
  }

  Result parseProduct() {
    WEIR_ASSIGN_OR_RETURN(int left, parseUnary());
    while (peek() == '*' || peek() == '/') {
      Op op = text[position++] == '*' ? Op::Mul : Op::Div;
      WEIR_ASSIGN_OR_RETURN(int right, parseUnary());
      left = add(op, {left, right});
    }
    return left;
  }

  Result parseUnary() {
    if (!accept("-"))
      return parsePrimary();
    Nesting nesting(depth);
    if (depth > maxDepth)
      return error("less nesting");
    WEIR_ASSIGN_OR_RETURN(int operand, parseUnary());
    return add(Op::Neg, {operand});
  }

  Result parsePrimary() {
    char next = peek();
    if (accept("(")) {
      WEIR_ASSIGN_OR_RETURN(int inner, parseComparison());
      if (!accept(")"))
        return error("')'");
      return inner;
    }
    if (std::isdigit(static_cast<unsigned char>(next)))
      return parseNumber();
    if (std::isalpha(static_cast<unsigned char>(next)))
      return parseName();
    return error("an operand, a number or '('");
  }

  Result parseNumber() {
    Node node;
    node.op = Op::Literal;
    const char *begin = text.data() + position;
    auto [end, problem] =
        std::from_chars(begin, text.data() + text.size(), node.literal);
    if (problem != std::errc())
      return error("a number that a double holds");
    position += end - begin;
    steps.push_back(node);
    return static_cast<int>(steps.size()) - 1;
  }

  Result parseName() {
    size_t begin = position;
    while (position < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[position])) ||
            text[position] == '_'))
      ++position;
    std::string_view name = text.substr(begin, position - begin);
    if (name == "index" && accept("("))
      return parseIndex();
    if (peek() == '(')
      return parseCall(name);
    Node node;
    node.op = Op::Attribute;
    if (name.size() == 1 && name[0] >= 'a' && name[0] <= 'd') {
      node.op = Op::Operand;
      node.operand = name[0] - 'a';
    } else if (name == "inf") {
      node.op = Op::Literal;
      node.literal = HUGE_VAL;
    } else {
      node.name = name;
    }
    steps.push_back(std::move(node));
    return static_cast<int>(steps.size()) - 1;
  }

  /// Parses the place in `index(place)`: a letter. Digits may follow the
  /// letter, or "@" and an attribute.
  Result parseIndex() {
    size_t end = text.find(')', position);
    std::string_view place = text.substr(position, end - position);
    bool isNumbered =
        std::all_of(place.begin() + !place.empty(), place.end(),
                    [](unsigned char c) { return std::isdigit(c); });
    bool isPlace = !place.empty() && place[0] >= 'a' && place[0] <= 'z' &&
                   (isNumbered || (place.size() > 2 && place[1] == '@'));
    if (end == text.npos || !isPlace)
      return error("a letter of the index spec and ')'");
    position = end + 1;
    Node node;
    node.op = Op::Index;
    node.name = place;
    node.operand = ScalarExpr::maxOperands + numIndices++;
    steps.push_back(std::move(node));
    return static_cast<int>(steps.size()) - 1;
  }

  Result parseCall(std::string_view name) {
    const auto *function = std::find_if(
        std::begin(functions), std::end(functions),
        [&](const Function &candidate) { return candidate.name == name; });
    if (function == std::end(functions))
      return error(fmt::format("a known function instead of '{}'", name));
    accept("(");
    std::vector<int> args;
    for (int i = 0; i < numArgs(function->op); ++i) {
      if (i > 0 && !accept(","))
        return error("','");
      WEIR_ASSIGN_OR_RETURN(int argument, parseComparison());
      args.push_back(argument);
    }
    if (!accept(")"))
      return error("')'");
    return add(function->op, args);
  }

  int add(Op op, const std::vector<int> &args) {
    Node node;
    node.op = op;
    std::copy(args.begin(), args.end(), node.args.begin());
    steps.push_back(std::move(node));
    return static_cast<int>(steps.size()) - 1;
  }

  std::vector<Node> &steps;
  int depth = 0;
  int numIndices = 0;
};
} // namespace

StatusOr<ScalarExpr> ScalarExpr::parse(std::string_view text) {
  ScalarExpr expr;
  WEIR_RETURN_IF_ERROR(Parser(text, expr.steps).parseAll());
  return expr;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

int weir::numArgs(Op op) {
  switch (op) {
  case Op::Operand:
  case Op::Index:
  case Op::Attribute:
  case Op::Literal:
    return 0;
  case Op::Select:
    return 3;
  case Op::Random:
    return 4;
  default:
    return op == Op::Neg || (op >= Op::Abs && op <= Op::Round) ? 1 : 2;
  }
}

std::string_view weir::getFunctionName(Op op) {
  for (const Function &function : functions)
    if (function.op == op)
      return function.name;
  return {};
}

int ScalarExpr::numOperands() const {
  int count = 0;
  for (const Node &node : steps)
    count = std::max(count, node.operand + 1);
  return count;
}

int64_t ScalarExpr::flops() const {
  // A round has two products and four exclusive ors, which make six operations.
  constexpr int64_t randomFlops = 6 * Philox::numRounds;
  int64_t count = 0;
  for (const Node &node : steps)
    count += node.op == Op::Random ? randomFlops : numArgs(node.op) != 0;
  return count;
}

bool ScalarExpr::isPredicate() const {
  Op op = steps.back().op;
  return op >= Op::Equal && op <= Op::LessEqual;
}

std::string_view ScalarExpr::integerFunction() const {
  for (const Node &node : steps)
    if (node.op == Op::Random ||
        (node.op >= Op::BitAnd && node.op <= Op::ShiftRight))
      return getFunctionName(node.op);
  return {};
}
