//===- PointEmitter.cpp - Emits the value of a tensor at a point ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

class PointEmitter::AtLevel {
public:
  AtLevel(PointEmitter &emitter, int depth)
      : guard(emitter.builder), emitter(emitter), before(emitter.current) {
    emitter.current = depth;
    Level &level = emitter.levels[depth];
    if (level.next)
      emitter.builder.setInsertionPoint(level.next);
    else
      emitter.builder.setInsertionPointToEnd(level.block);
  }

  ~AtLevel() { emitter.current = before; }

private:
  OpBuilder::InsertionGuard guard;
  PointEmitter &emitter;
  int before;
};

void PointEmitter::enter(Block *block, int symbol, Value variable) {
  // Code that the outer level still needs goes before the new loop.
  if (!levels.empty())
    levels.back().next = block->getParentOp();
  Operation *terminator =
      block->mightHaveTerminator() ? block->getTerminator() : nullptr;
  Level &level = levels.emplace_back();
  level.block = block;
  level.next = terminator;
  current = getDepth();
  if (terminator)
    builder.setInsertionPoint(terminator);
  else
    builder.setInsertionPointToEnd(block);
  if (symbol >= 0)
    bind(symbol, variable);
}

void PointEmitter::leave() {
  Operation *loop = levels.back().block->getParentOp();
  int depth = getDepth();
  levels.pop_back();
  current = getDepth();
  SmallVector<int> gone;
  for (auto &[symbol, variable] : variables)
    if (variable.second == depth)
      gone.push_back(symbol);
  for (int symbol : gone)
    variables.erase(symbol);
  if (levels.empty())
    return;
  levels.back().next = loop->getNextNode();
  builder.setInsertionPointAfter(loop);
}

void PointEmitter::bind(int symbol, Value value) {
  variables[symbol] = {value, current};
}

void PointEmitter::setLanes(std::optional<Lanes> given) {
  lane = given ? given->loop : -1;
  lanes = given ? given->count : 1;
}

void PointEmitter::setRows(int64_t count, int transposedLoop,
                           ArrayRef<Access> blocks) {
  height = count;
  transposed = transposedLoop;
  blockPlaces.clear();
  for (const Access &block : blocks) {
    Value base;
    const SmallVector<int64_t> strides = *plan.getStrides(block.tensor, base);
    blockPlaces.emplace_back(buffers.lookup(base),
                             getAddress(base, strides, block.indices));
  }
}

Mask PointEmitter::maskLast(Value used) {
  usedLanes = used;
  auto type = cast<VectorType>(toVector(builder.getI1Type()));
  lastMask = make<vector::CreateMaskOp>(type, ValueRange(used));
  return {lastMask, getDepth()};
}

void PointEmitter::note(Location where, StringRef what) {
  if (!fault)
    fault = {where, what};
}

/// Whether the lanes of a vector have different values of `index`. They then
/// have values in equal steps, as no other vector can be emitted.
bool PointEmitter::hasLanes(const LinearIndex &index) {
  if (lane < 0)
    return false;
  if (plan.symbols.isBent(index, lane))
    note(location, "a vector needs indices that are not in equal steps");
  return index.getCoefficient(lane) != 0;
}

void PointEmitter::emitShortened(int symbol, int64_t count,
                                 llvm::function_ref<void()> body) {
  if (symbol >= 0)
    plan.symbols.shortenLoop(symbol, count);
  body();
  if (symbol >= 0)
    plan.symbols.shortenLoop(symbol, -count);
}

int PointEmitter::depthOf(const LinearIndex &index) const {
  int depth = 0;
  for (auto [name, coefficient] : index.terms) {
    const Symbols::Symbol &symbol = plan.symbols[name];
    depth = std::max(depth, symbol.isDerived() ? depthOf(symbol.of)
                                               : variables.lookup(name).second);
  }
  return depth;
}

int PointEmitter::depthOf(ArrayRef<LinearIndex> at, const Mask &mask) const {
  int depth = std::max(floor, mask.value ? mask.depth : 0);
  for (const LinearIndex &index : at)
    depth = std::max(depth, depthOf(index));
  return depth;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Creates each constant once, at the start of the function.
Value PointEmitter::constantIndex(int64_t number) {
  Value &constant = constants[number];
  if (constant)
    return constant;
  OpBuilder::InsertionGuard guard(builder);
  auto function =
      builder.getBlock()->getParent()->getParentOfType<func::FuncOp>();
  if (!function)
    function = cast<func::FuncOp>(builder.getBlock()->getParentOp());
  builder.setInsertionPointToStart(&function.getBody().front());
  constant = make<arith::ConstantIndexOp>(number);
  return constant;
}

/// The value of a symbol. A dividend that may be negative is raised by a
/// multiple of the divisor, so that a quotient or remainder takes one
/// instruction.
Value PointEmitter::emitSymbol(int name) {
  const Symbols::Symbol &symbol = plan.symbols[name];
  if (symbol.kind == Symbols::Kind::Loop ||
      symbol.kind == Symbols::Kind::Computed)
    return variables.lookup(name).first;
  int64_t divisor = symbol.divisor;
  LinearIndex of = symbol.of;
  bool isQuotient = symbol.kind == Symbols::Kind::Quotient;
  int64_t lowest = plan.symbols.getRange(of).min;
  int64_t turns = lowest < 0 ? (divisor - 1 - lowest) / divisor : 0;
  Value number = emitIndex(of.plus(turns * divisor));
  Value by = constantIndex(divisor);
  if (!isQuotient)
    return make<arith::RemUIOp>(number, by);
  Value quotient = make<arith::DivUIOp>(number, by);
  if (turns == 0)
    return quotient;
  return make<arith::SubIOp>(quotient, constantIndex(turns));
}

/// The sum of the terms of `index`, without its constant. Terms of outer loops
/// are summed outside.
Value PointEmitter::emitSum(const LinearIndex &index) {
  int depth = depthOf(index);
  for (auto &[known, value] : levels[depth].indices)
    if (known == index)
      return value;
  AtLevel atLevel(*this, depth);
  LinearIndex outer;
  SmallVector<std::pair<int, int64_t>> own;
  for (auto term : index.terms) {
    if (depthOf(LinearIndex{0, {term}}) == depth)
      own.push_back(term);
    else
      outer.terms.push_back(term);
  }
  Value sum = outer.terms.empty() ? Value() : emitSum(outer);
  for (auto [symbol, coefficient] : own) {
    Value term = emitSymbol(symbol);
    if (coefficient != 1)
      term = make<arith::MulIOp>(term, constantIndex(coefficient));
    sum = sum ? make<arith::AddIOp>(sum, term).getResult() : term;
  }
  levels[depth].indices.push_back({index, sum});
  return sum;
}

Value PointEmitter::emitIndex(const LinearIndex &index) {
  if (index.terms.empty())
    return constantIndex(index.constant);
  LinearIndex terms = index;
  terms.constant = 0;
  Value sum = emitSum(terms);
  if (index.constant == 0)
    return sum;
  return make<arith::AddIOp>(sum, constantIndex(index.constant));
}

//===----------------------------------------------------------------------===//
// Scalars and vectors
//===----------------------------------------------------------------------===//

bool PointEmitter::isWide(Value value) const {
  return isa<VectorType>(value.getType());
}

Type PointEmitter::toVector(Type type) const {
  return VectorType::get({lanes}, type);
}

Value PointEmitter::splat(Value value) {
  if (isWide(value))
    return value;
  return make<vector::BroadcastOp>(cast<VectorType>(toVector(value.getType())),
                                   value);
}

Value PointEmitter::select(Value condition, Value yes, Value no) {
  if (isWide(condition) || isWide(yes) || isWide(no)) {
    yes = splat(yes);
    no = splat(no);
  }
  return make<arith::SelectOp>(condition, yes, no);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void PointEmitter::remember(Value tensor, ArrayRef<LinearIndex> at,
                            const Mask &mask, Value value) {
  levels[depthOf(at, mask)].known[tensor].push_back(
      {Indices(at), mask.value, value});
}

Value PointEmitter::read(Value tensor, ArrayRef<LinearIndex> at,
                         const Mask &given) {
  // If all lanes are equal, no mask is needed.
  Mask mask =
      llvm::any_of(at,
                   [&](const LinearIndex &index) {
                     return lane >= 0 && plan.symbols.dependsOn(index, lane);
                   })
          ? given
          : Mask();
  int depth = depthOf(at, mask);
  for (const Known &known : levels[depth].known[tensor])
    if (known.mask == mask.value && ArrayRef<LinearIndex>(known.at) == at)
      return known.value;
  AtLevel atLevel(*this, depth);
  Value base;
  Value value = plan.getStrides(tensor, base) ? load(tensor, at, mask)
                                              : compute(tensor, at, mask);
  remember(tensor, at, mask, value);
  return value;
}

Value PointEmitter::compute(Value tensor, ArrayRef<LinearIndex> at,
                            const Mask &mask) {
  Operation *op = tensor.getDefiningOp();
  if (Value source = getReshaped(tensor))
    return read(
        source,
        toReshaped(plan.symbols, getShape(source), getShape(tensor), at), mask);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](linalg::GenericOp op) {
        // A reduction would need loops, which cannot be emitted here.
        if (isReduction(op))
          note(op.getLoc(), "a reduction is read before it is computed");
        return computeBody(op, toLoops(op, at), mask);
      })
      .Case([&](linalg::FillOp op) { return copyConstant(op.value()); })
      .Case([&](tensor::ExtractSliceOp op) {
        return read(op.getSource(), toSource(op, at), mask);
      })
      .Case([&](tensor::PadOp op) { return readPadded(op, at, mask); })
      .Case(
          [&](tensor::InsertSliceOp op) { return readInserted(op, at, mask); })
      .Default([&](Operation *op) { return readConstant(op); });
}

/// Scalar constants are created again wherever they are read. An undefined
/// tensor is read as zero.
Value PointEmitter::readConstant(Operation *op) {
  Type type =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  DenseElementsAttr elements;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  TypedAttr value = elements && !elements.empty()
                        ? cast<TypedAttr>(elements.getSplatValue<Attribute>())
                        : builder.getZeroAttr(type);
  return make<arith::ConstantOp>(value);
}

Value PointEmitter::copyConstant(Value value) {
  return builder.clone(*value.getDefiningOp())->getResult(0);
}

Value PointEmitter::readGuarded(Value tensor, Indices at,
                                ArrayRef<Guard> guards, Mask mask,
                                Value &inside) {
  Value isIn;
  for (const Guard &guard : guards) {
    bool isVector = hasLanes(guard.index);
    Value index =
        isVector ? emitLoopIndex(guard.index) : emitIndex(guard.index);
    Value size = constantIndex(guard.size);
    if (isVector)
      size = splat(size);
    // The comparison is unsigned, so that a negative index is large.
    const Value ownFits =
        make<arith::CmpIOp>(arith::CmpIPredicate::ult, index, size);
    Value fits = ownFits;
    if (isIn && isWide(isIn) != isWide(fits)) {
      isIn = splat(isIn);
      fits = splat(fits);
    }
    isIn = isIn ? make<arith::AndIOp>(isIn, fits).getResult() : fits;
    if (isVector)
      continue;
    // A scalar index is clamped, and the value read there is not used.
    Value moved = make<arith::SelectOp>(ownFits, index, constantIndex(0));
    int symbol = plan.symbols.addComputed(moved, {});
    bind(symbol, moved);
    at[guard.dim] = LinearIndex::ofSymbol(symbol);
  }
  inside = isIn;
  if (isIn && isWide(isIn)) {
    Value both =
        mask.value ? make<arith::AndIOp>(mask.value, isIn).getResult() : isIn;
    mask = {both, current};
  }
  return read(tensor, at, mask);
}

Value PointEmitter::readPadded(tensor::PadOp op, ArrayRef<LinearIndex> at,
                               const Mask &mask) {
  Value around = op.getConstantPaddingValue();
  if (getNumElements(op.getSource()) == 0)
    return copyConstant(around);
  SmallVector<Guard> guards;
  Indices source = toSource(op, at, plan.symbols, guards);
  Value inside;
  Value value = readGuarded(op.getSource(), source, guards, mask, inside);
  if (!inside)
    return value;
  return select(inside, value, copyConstant(around));
}

Value PointEmitter::readInserted(tensor::InsertSliceOp op,
                                 ArrayRef<LinearIndex> at, const Mask &mask) {
  if (getNumElements(op.getSource()) == 0)
    return read(op.getDest(), at, mask);
  SmallVector<Guard> guards;
  Indices source = toSource(op, at, plan.symbols, guards);
  if (neverHold(guards, plan.symbols))
    return read(op.getDest(), at, mask);
  Value inside;
  Value value = readGuarded(op.getSource(), source, guards, mask, inside);
  if (!inside)
    return value;
  return select(inside, value, read(op.getDest(), at, mask));
}
