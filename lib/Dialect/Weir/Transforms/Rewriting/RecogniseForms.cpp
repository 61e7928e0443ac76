//===- RecogniseForms.cpp - Recognises composites in arithmetic -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Exporters write activations as arithmetic: gelu as Div, Erf, Add, Mul, Mul. A
// form is one way to write an activation, as a scalar expression. Pointwise ops
// are matched by the expressions in their records. So it does not matter how a
// form is divided into ops.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Annotation.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace weir {
#define GEN_PASS_DEF_RECOGNISEFORMS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

using Node = ScalarExpr::Node;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

namespace {
/// One way to write an op with the operand `a`.
struct Form {
  ScalarExpr expression;
  Operation *(*build)(OpBuilder &, Location, Value);
};
} // namespace

template <typename OpTy>
static Operation *build(OpBuilder &builder, Location location, Value operand) {
  return OpTy::create(builder, location, TypeRange(operand.getType()),
                      ValueRange(operand));
}

/// `operand` squared or, for `power` 3, cubed. Unlike a general power, the
/// product is exact and takes a tenth of the time.
template <int power>
static Operation *buildPower(OpBuilder &builder, Location location,
                             Value operand) {
  Operation *product = nullptr;
  Value running = operand;
  for (int i = 1; i < power; ++i) {
    product = MulOp::create(builder, location, TypeRange(operand.getType()),
                            ValueRange{running, operand});
    running = product->getResult(0);
  }
  return product;
}

static void addForms(std::vector<Form> &forms,
                     Operation *(*build)(OpBuilder &, Location, Value),
                     std::initializer_list<StringLiteral> texts) {
  for (StringLiteral text : texts) {
    StatusOr<ScalarExpr> expression = ScalarExpr::parse(text);
    assert(expression.isOk() && "a form is an expression");
    forms.push_back({*std::move(expression), build});
  }
}

template <typename OpTy>
static void addForms(std::vector<Form> &forms,
                     std::initializer_list<StringLiteral> texts) {
  addForms(forms, build<OpTy>, texts);
}

static const std::vector<Form> &getForms() {
  static const std::vector<Form> forms = [] {
    std::vector<Form> list;
    addForms<GeluOp>(list, {"a * (erf(a / 1.41421356237309505) + 1) * 0.5",
                            "a * (erf(a * 0.70710678118654752) + 1) * 0.5",
                            "a * 0.5 * (erf(a / 1.41421356237309505) + 1)",
                            "a * 0.5 * (erf(a * 0.70710678118654752) + 1)",
                            "a * (0.5 * (erf(a / 1.41421356237309505) + 1))",
                            "a * (0.5 * (erf(a * 0.70710678118654752) + 1))"});
    addForms<HardSwishOp>(
        list,
        {"a * min(max(a + 3, 0), 6) / 6", "a * (min(max(a + 3, 0), 6) / 6)",
         "a * min(max(a + 3, 0), 6) * 0.16666666666666666",
         "a * (min(max(a + 3, 0), 6) * 0.16666666666666666)",
         "a * min(max(0.16666666666666666 * a + 0.5, 0), 1)"});
    addForms<MishOp>(list, {"a * tanh(log(1 + exp(a)))",
                            "a * tanh(max(a, 0) + log(1 + exp(-abs(a))))",
                            "a * tanh(max(a, 0) + log1p(exp(-abs(a))))"});
    addForms(list, buildPower<2>, {"pow(a, 2)"});
    addForms(list, buildPower<3>, {"pow(a, 3)"});
    addForms<SiluOp>(list, {"a * (1 / (1 + exp(-a)))", "a / (1 + exp(-a))"});
    return list;
  }();
  return forms;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

namespace {
/// A node of an op's expression, or a value that no pointwise op computes.
struct Step {
  Value value;
  Operation *op = nullptr;
  const ScalarExpr *expression = nullptr;
  int node = -1;

  const Node *get() const {
    return expression ? &expression->nodes()[static_cast<size_t>(node)]
                      : nullptr;
  }
};

/// Matches a form against the expression that computes a value.
class Matcher {
public:
  explicit Matcher(const Form &form) : form(form) {}

  bool match(const Step &root) {
    elementType = cast<RankedTensorType>(root.op->getResult(0).getType())
                      .getElementType();
    const auto &nodes = form.expression.nodes();
    return matchNode(static_cast<int>(nodes.size()) - 1, root);
  }

  Value getOperand() const { return operand; }
  /// All ops of the match, each before the ops that it reads.
  ArrayRef<Operation *> getOps() const { return ops.getArrayRef(); }

private:
  bool matchNode(int index, const Step &step);
  bool matchArgs(const Node &node, const Step &step, bool isSwapped);
  static Step argument(const Step &step, int position);

  const Form &form;
  Type elementType;
  Value operand;
  llvm::SetVector<Operation *> ops;
};
} // namespace

/// The expression that computes `value`, if a pointwise op computes it and
/// nothing else reads it. The root of a form may have several readers.
static Step descend(Value value, bool isRoot) {
  auto op = value.getDefiningOp<WeirOpInterface>();
  bool isInside = op && op.getOpRecord().isLeaf() &&
                  op.getOpRecord().isPointwise() && op->getNumResults() == 1 &&
                  (isRoot || value.hasOneUse());
  if (!isInside)
    return {value};
  const ScalarExpr *expression = op.getOpRecord().getExpression();
  return {value, op, expression,
          static_cast<int>(expression->nodes().size()) - 1};
}

Step Matcher::argument(const Step &step, int position) {
  int index = step.get()->args[static_cast<size_t>(position)];
  Step next = {{}, step.op, step.expression, index};
  const Node *node = next.get();
  if (node->op != ScalarExpr::Op::Operand)
    return next;
  return descend(step.op->getOperand(static_cast<unsigned>(node->operand)),
                 false);
}

/// The number that `step` is, if it is a constant. A number in the graph is
/// rounded to its own type.
static std::optional<double> getNumber(const Step &step) {
  if (const Node *node = step.get()) {
    if (node->op == ScalarExpr::Op::Literal)
      return node->literal;
    if (node->op == ScalarExpr::Op::Attribute)
      if (auto attribute = step.op->getAttrOfType<FloatAttr>(node->name))
        return attribute.getValueAsDouble();
    return std::nullopt;
  }
  DenseElementsAttr constant;
  if (!matchPattern(step.value, m_Constant(&constant)) || !constant.isSplat() ||
      !isa<FloatType>(constant.getElementType()))
    return std::nullopt;
  return constant.getSplatValue<APFloat>().convertToDouble();
}

/// Whether `found` is `expected` in type `type`, with all digits or an error in
/// the last digit. Numbers with few digits, such as exponents of powers, must
/// be exact.
static bool isClose(double found, double expected, Type type) {
  APFloat rounded(expected);
  bool isRounded = false;
  rounded.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &isRounded);
  if (!isRounded)
    return found == expected;
  int digits = static_cast<int>(
      APFloat::semanticsPrecision(cast<FloatType>(type).getFloatSemantics()));
  return std::abs(found - expected) <=
         std::ldexp(std::abs(expected), 1 - digits);
}

bool Matcher::matchArgs(const Node &node, const Step &step, bool isSwapped) {
  for (int i = 0; i < numArgs(node.op); ++i)
    if (!matchNode(node.args[static_cast<size_t>(i)],
                   argument(step, isSwapped ? 1 - i : i)))
      return false;
  return true;
}

bool Matcher::matchNode(int index, const Step &step) {
  const Node &node = form.expression.nodes()[static_cast<size_t>(index)];
  if (node.op == ScalarExpr::Op::Operand) {
    if (!step.value || (operand && operand != step.value))
      return false;
    operand = step.value;
    return true;
  }
  if (node.op == ScalarExpr::Op::Literal) {
    std::optional<double> number = getNumber(step);
    return number && isClose(*number, node.literal, elementType);
  }
  if (!step.get() || step.get()->op != node.op)
    return false;
  Value bound = operand;
  size_t numOps = ops.size();
  ops.insert(step.op);
  if (matchArgs(node, step, false))
    return true;
  // Undoes the match, to try the other order of operands.
  operand = bound;
  while (ops.size() > numOps)
    ops.pop_back();
  ops.insert(step.op);
  bool commutes =
      node.op == ScalarExpr::Op::Add || node.op == ScalarExpr::Op::Mul;
  return commutes && matchArgs(node, step, true);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static bool agree(ArrayRef<Operation *> ops) {
  return llvm::all_of(ops, [&](Operation *op) {
    return Annotation::of(op) == Annotation::of(ops.front());
  });
}

/// Replaces `root` by the op of a form, if the form matches. Returns whether a
/// form matched.
static bool recognise(WeirOpInterface root) {
  Value result = root->getResult(0);
  const Step last = descend(result, true);
  if (!last.get())
    return false;
  for (const Form &form : getForms()) {
    if (form.expression.nodes().back().op != last.get()->op)
      continue;
    Matcher matcher(form);
    if (!matcher.match(last) ||
        matcher.getOperand().getType() != result.getType() ||
        !agree(matcher.getOps()))
      continue;
    OpBuilder builder(root);
    Operation *before = root->getPrevNode();
    Operation *made = form.build(builder, root->getLoc(), matcher.getOperand());
    for (Operation *op = made; op != before; op = op->getPrevNode())
      annotateLike(op, root);
    root->replaceAllUsesWith(made);
    for (Operation *op : matcher.getOps())
      op->erase();
    return true;
  }
  return false;
}

namespace {
class RecogniseForms : public weir::impl::RecogniseFormsBase<RecogniseForms> {
public:
  using RecogniseFormsBase::RecogniseFormsBase;

  void runOnOperation() override {
    if (failed(forEachEntry(getOperation(), recogniseAll)))
      signalPassFailure();
  }

private:
  static LogicalResult recogniseAll(func::FuncOp entry) {
    // The root of a form is an op with a float result; the other ops come
    // before it.
    for (auto op : llvm::make_early_inc_range(entry.getOps<WeirOpInterface>()))
      if (op->getNumResults() == 1 &&
          isa<FloatType>(cast<RankedTensorType>(op->getResult(0).getType())
                             .getElementType()))
        recognise(op);
    return success();
  }
};
} // namespace
