//===- FoldAffine.cpp - Folds scales and shifts into weights --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// This pass names no ops. If an op sums products of its operand and a known
// weight, a scale of its result can be folded into the weight. This requires
// that the loops of the scaled dim are also loops of the weight. The index spec
// shows whether they are. A shift becomes the initial value of the sum. A batch
// normalisation is a composite whose body is a chain of scales and shifts.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/Rewriting/AffineEffect.h"
#include "weir/Dialect/Weir/Transforms/Rewriting/AffineStep.h"
#include "weir/Dialect/Weir/Transforms/Rewriting/WeightedSum.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"

namespace weir {
#define GEN_PASS_DEF_FOLDAFFINE
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

using Kind = AffineStep::Kind;

namespace {
/// Inserts arithmetic before an op, with names derived from the name of the op.
class Arithmetic : public BodyBuilder {
public:
  Arithmetic(OpBuilder &builder, Operation *op)
      : BodyBuilder(builder, op), builder(builder), location(op->getLoc()) {}

  BodyValue reshape(Value x, ArrayRef<int64_t> shape) {
    return value(makeReshape(builder, location, x, shape));
  }

  BodyValue expand(Value x, ArrayRef<int64_t> shape) {
    return value(makeExpand(builder, location, x, shape));
  }

private:
  OpBuilder &builder;
  Location location;
};
} // namespace

/// Marks the steps of a composite while the pass runs.
static constexpr StringLiteral ownStep = "weir.own_step";

namespace {
/// What is known about the values of the entry.
struct Facts {
  DerivableValues derivable;
  KnownValues &known;
};
} // namespace

/// Adds `step` to `effect` if possible. Returns whether it was possible.
static bool takeStep(AffineEffect &effect, const AffineStep &step) {
  return effect.take(step, step.op->hasAttr(ownStep));
}

/// Whether the type of `value` is precise enough for weights that folding
/// multiplies.
static bool isPrecise(Value value) {
  Type type = getTensorType(value).getElementType();
  return type.isF32() || type.isF64();
}

//===----------------------------------------------------------------------===//
// Composites that are affine
//===----------------------------------------------------------------------===//

/// Whether the ops of `body`, starting with `running` and ending with `result`,
/// are steps by known values.
static bool isChain(Value running, Value result,
                    const DerivableValues &derivable) {
  while (running != result) {
    if (!running.hasOneUse())
      return false;
    auto reader = dyn_cast<WeirOpInterface>(*running.getUsers().begin());
    if (!reader || !asAffineStep(reader, running, derivable))
      return false;
    running = reader->getResult(0);
  }
  return true;
}

/// Replaces `op` by its body if the body scales and shifts operand 0 by known
/// values. Returns whether `op` was replaced.
static bool expandAffine(WeirOpInterface op, DerivableValues &derivable) {
  if (!op.getOpRecord().isComposite() || op->getNumOperands() < 2 ||
      op->getNumResults() != 1 || !isPrecise(op->getOperand(0)) ||
      derivable.contains(op->getOperand(0)) ||
      !llvm::all_of(llvm::drop_begin(op->getOperands()),
                    [&](Value operand) { return derivable.contains(operand); }))
    return false;
  Block body;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&body);
  Value x = op->getOperand(0);
  Value result = op.expandBody(builder).front();
  for (Operation &part : body)
    derivable.add(&part);
  Operation *first = nullptr;
  for (Operation &part : body)
    if (!first && llvm::is_contained(part.getOperands(), x))
      first = &part;
  auto step = first ? asAffineStep(cast<WeirOpInterface>(first), x, derivable)
                    : std::nullopt;
  bool isAffine = step && isChain(first->getResult(0), result, derivable) &&
                  llvm::count_if(body, [&](Operation &part) {
                    return llvm::is_contained(part.getOperands(), x);
                  }) == 1;
  if (!isAffine) {
    // An op can be erased only after its users.
    for (; !body.empty(); body.back().erase())
      derivable.remove(&body.back());
    return false;
  }
  for (Operation &part : body) {
    part.setLoc(asStepOf(op->getLoc()));
    annotateLike(&part, op);
    part.setAttr(ownStep, builder.getUnitAttr());
  }
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
  result.getDefiningOp()->setLoc(op->getLoc());
  op->replaceAllUsesWith(ValueRange(result));
  op->erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

namespace {
/// The steps that follow a value.
struct AffineChain {
  SmallVector<AffineStep> steps;
  /// The only dim along which steps vary, or -1.
  int64_t dim = -1;

  bool scales() const {
    return llvm::any_of(steps, [](const AffineStep &step) {
      return step.kind == Kind::Mul || step.kind == Kind::Div;
    });
  }
  bool shifts() const {
    return llvm::any_of(steps, [](const AffineStep &step) {
      return step.kind == Kind::Add || step.kind == Kind::Sub;
    });
  }
};
} // namespace

/// The longest chain after the result of `producer` whose steps all satisfy
/// `accepts`. `accepts` is called once for each step.
static AffineChain
followChain(WeirOpInterface producer, const DerivableValues &derivable,
            llvm::function_ref<bool(const AffineStep &)> accepts) {
  AffineChain chain;
  Value running = producer->getResult(0);
  while (WeirOpInterface reader = getOnlyReader(running, producer)) {
    auto step = asAffineStep(reader, running, derivable);
    if (!step || (step->dim >= 0 && chain.dim >= 0 && step->dim != chain.dim) ||
        !accepts(*step))
      break;
    chain.dim = std::max(chain.dim, step->dim);
    chain.steps.push_back(*step);
    running = reader->getResult(0);
  }
  return chain;
}

namespace {
/// The scale and the shift of a chain, as vectors along its dim or of one
/// element. Each is absent if the chain has no such step.
struct ScaleAndShift {
  std::optional<BodyValue> scale, shift;
};
} // namespace

static ScaleAndShift combine(const AffineChain &chain, Arithmetic &b) {
  ScaleAndShift sum;
  for (const AffineStep &step : chain.steps) {
    BodyValue by = b.reshape(step.by, {-1});
    BodyValue one = b.scalar(1.0, by.getType().getElementType());
    switch (step.kind) {
    case Kind::Add:
      sum.shift = sum.shift ? *sum.shift + by : by;
      break;
    case Kind::Sub:
      sum.shift = sum.shift ? *sum.shift - by : by * -1.0;
      break;
    case Kind::Mul:
      sum.scale = sum.scale ? *sum.scale * by : by;
      if (sum.shift)
        sum.shift = *sum.shift * by;
      break;
    case Kind::Div:
      sum.scale = sum.scale ? *sum.scale / by : one / by;
      if (sum.shift)
        sum.shift = *sum.shift / by;
      break;
    }
  }
  return sum;
}

/// Reshapes `vector` so that it broadcasts along dim `dim` of `like`. A vector
/// of one element broadcasts along all dims.
static BodyValue alongDim(BodyValue vector, int64_t dim, Value like,
                          Arithmetic &b) {
  // A vector of one element would turn a scalar into a vector.
  if (getTensorType(like).getRank() == 0)
    return b.reshape(vector, {});
  if (dim < 0 || vector.getType().getNumElements() == 1)
    return vector;
  SmallVector<int64_t> shape(
      static_cast<size_t>(getTensorType(like).getRank() - dim), 1);
  shape.front() = vector.getType().getNumElements();
  return b.reshape(vector, shape);
}

/// `vector` as a vector of `size` elements. A single element is repeated.
static BodyValue repeat(BodyValue vector, int64_t size, Arithmetic &b) {
  if (vector.getType().getNumElements() == size)
    return vector;
  return b.expand(vector, size);
}

/// Replaces the whole chain by `value`. The op `folded`, or steps behind it,
/// compute the value.
static void replaceChain(const AffineChain &chain, Value value,
                         Operation *folded = nullptr) {
  Operation *last = chain.steps.back().op, *op = value.getDefiningOp();
  // The result has the name of the last step, because the other steps are
  // inside.
  SmallVector<Location> locations;
  if (op == folded)
    locations.push_back(op->getLoc());
  for (const AffineStep &step : chain.steps)
    locations.push_back(step.op->getLoc());
  op->setLoc(FusedLoc::get(op->getContext(), locations));
  last->replaceAllUsesWith(ValueRange(value));
  for (const AffineStep &step : llvm::reverse(chain.steps))
    step.op->erase();
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// The shapes in which a vector along dim `dim` of the result can scale the
/// weight. If `dim` is -1, the vector has one element. Nothing if the vector
/// cannot scale the weight, or if the order of elements differs.
static std::optional<SplitShapes> meetWeight(WeightedSum &sum, int64_t dim) {
  // The loops that the weight must have. The slowest one is last.
  SmallVector<int> open;
  if (dim >= 0) {
    size_t d = static_cast<size_t>(dim);
    auto loops =
        getLoops(sum.bound.result[d], sum.bound.resultDims[d], sum.bound);
    if (!loops)
      return std::nullopt;
    open.assign(loops->rbegin(), loops->rend());
  }
  SplitShapes shapes;
  auto add = [&](int64_t size, int loop) {
    bool isMet = !open.empty() && open.back() == loop;
    if (isMet)
      open.pop_back();
    shapes.weight.push_back(size);
    shapes.scale.push_back(isMet ? size : 1);
  };
  ArrayRef<int64_t> dims = getTensorType(sum.getWeight()).getShape();
  for (auto [size, index] : llvm::zip(dims, sum.bound.operands[sum.weight])) {
    auto loops = getLoops(index, size, sum.bound);
    if (!loops || loops->empty())
      add(size, -1);
    else
      for (int loop : *loops)
        add(sum.bound.loops[static_cast<size_t>(loop)].size, loop);
  }
  if (!open.empty())
    return std::nullopt;
  return shapes;
}

/// Whether the initial value is, or could be, a vector along dim `dim` of the
/// result.
static bool meetsInit(WeightedSum &sum, int64_t dim) {
  if (!sum.init || dim < 0)
    return sum.init && sum.hasInit();
  std::vector<std::vector<int64_t>> shapes;
  for (Value operand : sum.op->getOperands())
    shapes.push_back(toDims(getTensorType(operand)));
  int64_t size = sum.bound.resultDims[static_cast<size_t>(dim)];
  if (!sum.hasInit())
    shapes.push_back({size});
  StatusOr<BoundSpec> bound = sum.op.getOpRecord().getIndexSpec().bind(
      shapes, toAttrMap(sum.op->getAttrDictionary()));
  if (!bound.isOk() || bound->operands[*sum.init].size() != 1)
    return false;
  auto loops = getLoops(bound->operands[*sum.init].front(), size, *bound);
  return loops && loops == getLoops(bound->result[static_cast<size_t>(dim)],
                                    size, *bound);
}

/// Gives operand `operand` of `op` a name of its own, for reports.
static void nameFolded(Operation *op, unsigned operand, Value original) {
  Value value = op->getOperand(operand);
  StringRef name =
      original ? getValueName(original) : StringRef(weir::getOpName(op));
  value.getDefiningOp()->setLoc(NameLoc::get(
      StringAttr::get(op->getContext(),
                      name + (original ? "_folded" : "_bias_folded")),
      value.getLoc()));
}

/// Rewrites `sum` and the chain behind it as one op, plus an add if the op has
/// no initial value for the shift.
static void foldChain(WeightedSum &sum, const AffineChain &chain,
                      const AffineEffect &effect, Facts &facts) {
  OpBuilder builder(chain.steps.back().op);
  Operation *before = chain.steps.back().op->getPrevNode();
  Arithmetic b(builder, sum.op);
  ScaleAndShift by = combine(chain, b);
  SmallVector<Value> operands = llvm::to_vector(sum.op->getOperands());
  if (by.scale) {
    bool isVector = by.scale->getType().getNumElements() != 1;
    SplitShapes shapes = *meetWeight(sum, isVector ? chain.dim : -1);
    BodyValue scaled = b.reshape(operands[sum.weight], shapes.weight) *
                       b.reshape(*by.scale, shapes.scale);
    operands[sum.weight] = b.reshapeLike(scaled, sum.getWeight());
    facts.known.setMagnitudes(operands[sum.weight], effect.getScaledWeight());
    if (sum.hasInit())
      operands[*sum.init] = b.value(operands[*sum.init]) * *by.scale;
  }
  bool isInitial = by.shift && meetsInit(sum, chain.dim);
  if (isInitial && sum.hasInit())
    operands[*sum.init] = b.value(operands[*sum.init]) + *by.shift;
  else if (isInitial)
    operands.push_back(repeat(
        *by.shift, sum.bound.resultDims[static_cast<size_t>(chain.dim)], b));
  Operation *folded = builder.clone(*sum.op);
  folded->setOperands(operands);
  Value result = folded->getResult(0);
  if (by.shift && !isInitial) {
    if (by.scale)
      folded->setLoc(asStepOf(folded->getLoc()));
    result = b.value(result) + alongDim(*by.shift, chain.dim, result, b);
    annotateLike(result.getDefiningOp(), folded);
  }
  for (auto [index, operand] : llvm::enumerate(operands)) {
    Value original = index < sum.op->getNumOperands()
                         ? sum.op->getOperand(static_cast<unsigned>(index))
                         : Value();
    if (operand != original)
      nameFolded(folded, static_cast<unsigned>(index), original);
  }
  for (Operation *made = before ? before->getNextNode()
                                : &folded->getBlock()->front();
       made != chain.steps.back().op; made = made->getNextNode())
    facts.derivable.add(made);
  replaceChain(chain, result, folded);
  sum.op->erase();
}

/// If `op` is a weighted sum, folds the chain behind it. Returns whether a
/// chain was folded.
static bool foldBehind(WeirOpInterface op, Facts &facts) {
  std::optional<WeightedSum> sum = asWeightedSum(op, facts.derivable);
  if (!sum || !isPrecise(op->getResult(0)))
    return false;
  WeirOpInterface reader = getOnlyReader(op->getResult(0), op);
  if (!reader || !asAffineStep(reader, op->getResult(0), facts.derivable))
    return false;
  AffineEffect effect(facts.known,
                      getTensorType(op->getResult(0)).getElementType());
  Value init = sum->hasInit() ? op->getOperand(*sum->init) : Value();
  auto meet = [&](int64_t dim) { return meetWeight(*sum, dim); };
  if (!effect.startWith(sum->getWeight(), init, meet))
    return false;
  auto accepts = [&](const AffineStep &step) {
    bool isShift = step.kind == Kind::Add || step.kind == Kind::Sub;
    bool meets =
        isShift ||
        (meetWeight(*sum, step.dim) &&
         (!sum->hasInit() || step.dim < 0 || meetsInit(*sum, step.dim)));
    return meets && takeStep(effect, step);
  };
  AffineChain chain = followChain(op, facts.derivable, accepts);
  if (chain.steps.empty() || (!chain.scales() && !meetsInit(*sum, chain.dim)))
    return false;
  foldChain(*sum, chain, effect, facts);
  return true;
}

/// Rewrites a chain that begins with `op`, without a weighted sum before it, if
/// the result has fewer ops. Returns whether the chain was rewritten.
static bool shorten(WeirOpInterface op, Facts &facts) {
  std::optional<AffineStep> first;
  for (Value operand : op->getOperands())
    if (!first && !facts.derivable.contains(operand) && isPrecise(operand))
      first = asAffineStep(op, operand, facts.derivable);
  if (!first)
    return false;
  AffineEffect effect(facts.known,
                      getTensorType(op->getResult(0)).getElementType());
  if (!takeStep(effect, *first))
    return false;
  auto accepts = [&](const AffineStep &step) {
    return (step.dim < 0 || first->dim < 0 || step.dim == first->dim) &&
           takeStep(effect, step);
  };
  AffineChain chain = followChain(op, facts.derivable, accepts);
  Value x = op->getOperand(op->getOperand(0) == first->by ? 1 : 0);
  chain.steps.insert(chain.steps.begin(), *first);
  chain.dim = std::max(chain.dim, first->dim);
  if (chain.steps.size() <= size_t(chain.scales()) + size_t(chain.shifts()))
    return false;
  OpBuilder builder(chain.steps.back().op);
  Arithmetic b(builder, op);
  ScaleAndShift by = combine(chain, b);
  BodyValue result = b.value(x);
  if (by.scale) {
    result = result * alongDim(*by.scale, chain.dim, x, b);
    annotateLike(Value(result).getDefiningOp(), op);
  }
  if (by.scale && by.shift)
    Value(result).getDefiningOp()->setLoc(asStepOf(op->getLoc()));
  if (by.shift)
    result = result + alongDim(*by.shift, chain.dim, x, b);
  annotateLike(Value(result).getDefiningOp(), op);
  replaceChain(chain, result);
  return true;
}

/// Calls `rewrite` for each op of the block. `rewrite` may replace the op and
/// other ops behind it.
static void rewriteAll(Block &block, Facts &facts,
                       bool (*rewrite)(WeirOpInterface, Facts &)) {
  for (Operation *op = &block.front(); op;) {
    Operation *before = op->getPrevNode();
    auto weirOp = dyn_cast<WeirOpInterface>(op);
    if (!weirOp || !rewrite(weirOp, facts))
      op = op->getNextNode();
    else
      op = before ? before->getNextNode() : &block.front();
  }
}

namespace {
class FoldAffine : public weir::impl::FoldAffineBase<FoldAffine> {
public:
  using FoldAffineBase::FoldAffineBase;

  void runOnOperation() override {
    const ParameterFacts parameters(getOperation());
    KnownValues known(getOperation());
    auto fold = [&](func::FuncOp entry) {
      foldEntry(entry, {DerivableValues(entry, parameters), known});
      return success();
    };
    if (failed(forEachEntry(getOperation(), fold)))
      signalPassFailure();
  }

private:
  static void foldEntry(func::FuncOp entry, Facts facts) {
    Block &block = entry.getBody().front();
    for (auto op : llvm::make_early_inc_range(block.getOps<WeirOpInterface>()))
      expandAffine(op, facts.derivable);
    rewriteAll(block, facts, foldBehind);
    rewriteAll(block, facts, shorten);
    for (Operation &op : block)
      op.removeAttr(ownStep);
  }
};
} // namespace
