//===- ScalarExpr.cpp - The scalar expression of a leaf op -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ScalarExpr.h"

#include "weir/Support/Arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <type_traits>

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
    {"floor", Op::Floor},
    {"fmod", Op::Fmod},
    {"log", Op::Log},
    {"max", Op::Max},
    {"min", Op::Min},
    {"mod", Op::Mod},
    {"pow", Op::Pow},
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

/// Recursive descent over comparison < sum < product < unary < primary.
class Parser {
public:
  Parser(std::string_view text, std::vector<Node> &steps)
      : text(text), steps(steps) {}

  Status parseAll() {
    WEIR_ASSIGN_OR_RETURN([[maybe_unused]] int root, parseComparison());
    peek();
    if (position != text.size())
      return error("an operator or the end");
    return Status::ok();
  }

private:
  using Result = StatusOr<int>;

  /// The parser recurses, so the nesting of a text from a file is bounded.
  static constexpr int maxDepth = 100;
  struct Nesting {
    explicit Nesting(int &depth) : depth(++depth) {}
    ~Nesting() { --depth; }
    int &depth;
  };

  /// Every way back into the grammar passes here or through `parseUnary`.
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
      return swapped ? add(op, {right, left, -1}) : add(op, {left, right, -1});
    }
    return left;
  }

  Result parseSum() {
    WEIR_ASSIGN_OR_RETURN(int left, parseProduct());
    while (peek() == '+' || peek() == '-') {
      Op op = text[position++] == '+' ? Op::Add : Op::Sub;
      WEIR_ASSIGN_OR_RETURN(int right, parseProduct());
      left = add(op, {left, right, -1});
    }
    return left;
  }

  Result parseProduct() {
    WEIR_ASSIGN_OR_RETURN(int left, parseUnary());
    while (peek() == '*' || peek() == '/') {
      Op op = text[position++] == '*' ? Op::Mul : Op::Div;
      WEIR_ASSIGN_OR_RETURN(int right, parseUnary());
      left = add(op, {left, right, -1});
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
    return add(Op::Neg, {operand, -1, -1});
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

  /// The place in `index(place)`: a letter, perhaps with digits, or with "@"
  /// and an attribute.
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
    std::array<int, 3> args = {-1, -1, -1};
    for (int i = 0; i < numArgs(function->op); ++i) {
      if (i > 0 && !accept(","))
        return error("','");
      WEIR_ASSIGN_OR_RETURN(args[i], parseComparison());
    }
    if (!accept(")"))
      return error("')'");
    return add(function->op, args);
  }

  int add(Op op, std::array<int, 3> args) {
    Node node;
    node.op = op;
    node.args = args;
    steps.push_back(std::move(node));
    return static_cast<int>(steps.size()) - 1;
  }

  /// The next character that is no blank; '\0' at the end.
  char peek() {
    while (position < text.size() && text[position] == ' ')
      ++position;
    return position < text.size() ? text[position] : '\0';
  }

  bool accept(std::string_view token) {
    peek();
    if (text.substr(position, token.size()) != token)
      return false;
    position += token.size();
    return true;
  }

  Status error(std::string_view expected) {
    return invalidArgument(
        fmt::format("expected {} at column {} of scalar expression '{}'",
                    expected, position + 1, text));
  }

  std::string_view text;
  std::vector<Node> &steps;
  size_t position = 0;
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
  return std::count_if(steps.begin(), steps.end(),
                       [](const Node &node) { return numArgs(node.op) != 0; });
}

bool ScalarExpr::isPredicate() const {
  Op op = steps.back().op;
  return op >= Op::Equal && op <= Op::LessEqual;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {
/// `left / right`; integers truncate, and what C++ leaves undefined is zero or
/// wraps.
template <typename T> T divide(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    if (right == 0)
      return 0;
    if (std::is_signed_v<T> && right == static_cast<T>(-1))
      return wrappingSub<T>(0, left);
  }
  return left / right;
}

template <typename T> T power(T base, T exponent) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(base, exponent);
  } else {
    if constexpr (std::is_signed_v<T>)
      if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    uint64_t result = 1, factor = static_cast<uint64_t>(base);
    for (; exponent; exponent >>= 1, factor *= factor)
      if (exponent & 1)
        result *= factor;
    return static_cast<T>(result);
  }
}

/// The remainder of a division that truncates, or with `floors` of one that
/// rounds down; of integers by zero it is zero.
template <typename T> T remainder(T left, T right, bool floors) {
  T rest;
  if constexpr (std::is_floating_point_v<T>)
    rest = std::fmod(left, right);
  else
    rest = right == 0 || (std::is_signed_v<T> && right == static_cast<T>(-1))
               ? 0
               : left % right;
  bool isOtherSide =
      std::is_signed_v<T> && rest != 0 && (rest < 0) != (right < 0);
  return floors && isOtherSide ? rest + right : rest;
}

/// Functions of bits, for doubles on what they are as integers.
template <typename T> T applyBits(Op op, T x, T y) {
  bool isFar = y < 0 || y > 63;
  switch (op) {
  case Op::BitAnd:
    return x & y;
  case Op::BitOr:
    return x | y;
  case Op::BitXor:
    return x ^ y;
  case Op::ShiftLeft:
    return isFar ? 0 : static_cast<T>(static_cast<uint64_t>(x) << y);
  default:
    if (isFar && std::is_unsigned_v<T>)
      return 0;
    return x >> (isFar ? 63 : y);
  }
}

/// Functions of the reals.
double applyReal(Op op, double x) {
  switch (op) {
  case Op::Exp:
    return std::exp(x);
  case Op::Log:
    return std::log(x);
  case Op::Sqrt:
    return std::sqrt(x);
  case Op::Rsqrt:
    return 1.0 / std::sqrt(x);
  case Op::Erf:
    return std::erf(x);
  case Op::Sin:
    return std::sin(x);
  case Op::Cos:
    return std::cos(x);
  case Op::Tan:
    return std::tan(x);
  case Op::Asin:
    return std::asin(x);
  case Op::Acos:
    return std::acos(x);
  case Op::Atan:
    return std::atan(x);
  case Op::Sinh:
    return std::sinh(x);
  case Op::Cosh:
    return std::cosh(x);
  case Op::Tanh:
    return std::tanh(x);
  case Op::Asinh:
    return std::asinh(x);
  case Op::Acosh:
    return std::acosh(x);
  case Op::Atanh:
    return std::atanh(x);
  case Op::Ceil:
    return std::ceil(x);
  case Op::Floor:
    return std::floor(x);
  default:
    return std::nearbyint(x);
  }
}

template <typename T> T applyUnary(Op op, T x) {
  switch (op) {
  case Op::Neg:
    return static_cast<T>(-static_cast<Wrapping<T>>(x));
  case Op::Abs:
    if constexpr (std::is_floating_point_v<T>)
      return std::abs(x);
    else
      return x < 0 ? applyUnary(Op::Neg, x) : x;
  default:
    return fromDouble<T>(applyReal(op, static_cast<double>(x)));
  }
}

template <typename T> T applyBinary(Op op, T x, T y) {
  switch (op) {
  case Op::Add:
    return wrappingAdd(x, y);
  case Op::Sub:
    return wrappingSub(x, y);
  case Op::Mul:
    return wrappingMul(x, y);
  case Op::Div:
    return divide(x, y);
  case Op::Max:
    return larger(x, y);
  case Op::Min:
    return smaller(x, y);
  case Op::Pow:
    return power(x, y);
  case Op::Mod:
  case Op::Fmod:
    return remainder(x, y, op == Op::Mod);
  case Op::BitAnd:
  case Op::BitOr:
  case Op::BitXor:
  case Op::ShiftLeft:
  case Op::ShiftRight:
    if constexpr (std::is_integral_v<T>)
      return applyBits(op, x, y);
    else
      return static_cast<T>(applyBits<int64_t>(op, fromDouble<int64_t>(x),
                                               fromDouble<int64_t>(y)));
  case Op::Equal:
    return x == y;
  case Op::NotEqual:
    return x != y;
  case Op::Less:
    return x < y;
  default:
    return x <= y;
  }
}
} // namespace

template <typename T>
T weir::evaluate(const ScalarExpr &expr, std::span<const T> operands,
                 std::span<const double> attributes, std::span<T> scratch) {
  const std::vector<Node> &nodes = expr.nodes();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node &node = nodes[i];
    auto arg = [&](int position) { return scratch[node.args[position]]; };
    switch (node.op) {
    case Op::Operand:
    case Op::Index:
      scratch[i] = operands[node.operand];
      break;
    case Op::Attribute:
      scratch[i] = fromDouble<T>(attributes[i]);
      break;
    case Op::Literal:
      scratch[i] = fromDouble<T>(node.literal);
      break;
    case Op::Select:
      scratch[i] = arg(0) != 0 ? arg(1) : arg(2);
      break;
    default:
      scratch[i] = numArgs(node.op) == 1 ? applyUnary(node.op, arg(0))
                                         : applyBinary(node.op, arg(0), arg(1));
    }
  }
  return scratch[nodes.size() - 1];
}

template double weir::evaluate<double>(const ScalarExpr &,
                                       std::span<const double>,
                                       std::span<const double>,
                                       std::span<double>);
template int64_t weir::evaluate<int64_t>(const ScalarExpr &,
                                         std::span<const int64_t>,
                                         std::span<const double>,
                                         std::span<int64_t>);

template uint64_t weir::evaluate<uint64_t>(const ScalarExpr &,
                                           std::span<const uint64_t>,
                                           std::span<const double>,
                                           std::span<uint64_t>);

std::vector<double> weir::bindAttributes(const ScalarExpr &expr,
                                         const AttrMap &attrs) {
  std::vector<double> values;
  for (const Node &node : expr.nodes())
    values.push_back(node.op == Op::Attribute ? attrs.floatOr(node.name, 0)
                                              : 0);
  return values;
}
