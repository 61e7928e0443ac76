//===- DimRelations.cpp - How results of ops depend on operands -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/DimRelations.h"

#include "weir/Analysis/KnownIntegers.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

using namespace mlir;
using namespace weir;
using analysis::DimRelation;
using analysis::KnownIntegers;

static int64_t countElements(Value value) {
  return getTensorType(value).getNumElements();
}

static DimRelation makeIndependent(Value operand, Value result) {
  return analysis::makeIndependent(countElements(operand),
                                   countElements(result));
}

static DimRelation makeOpaque(Value operand, Value result) {
  return analysis::makeOpaque(countElements(operand), countElements(result));
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// Whether the result depends on the values of operand `number`. A result does
/// not depend on indices into a dim of size 1, because only one index is valid.
static bool readsOperand(WeirOpInterface op, const BoundSpec &bound,
                         unsigned number) {
  auto isNumber = [&](int other) { return other == static_cast<int>(number); };
  auto isRead = [&](const ScalarExpr::Node &node) {
    return node.op == ScalarExpr::Op::Operand && isNumber(node.operand);
  };
  auto isIndexOf = [&](auto indexAndSize) {
    return isNumber(std::get<0>(indexAndSize).indirect) &&
           std::get<1>(indexAndSize) != 1;
  };
  return isNumber(bound.initOperand) ||
         llvm::any_of(op.getOpRecord().getExpression()->nodes(), isRead) ||
         llvm::any_of(
             llvm::zip(bound.operands, op->getOperands()),
             [&](const auto &each) {
               auto [indices, operand] = each;
               return llvm::any_of(
                   llvm::zip(indices, getTensorType(operand).getShape()),
                   isIndexOf);
             });
}

namespace {
/// What is known about the integers of a block. Nothing is known about values
/// from outside.
class BlockIntegers {
public:
  KnownIntegers get(Value value) const { return known.lookup(value); }
  void visit(Operation &op);

private:
  KnownIntegers evaluate(WeirOpInterface op) const;

  llvm::DenseMap<Value, KnownIntegers> known;
};
} // namespace

static std::vector<std::vector<int64_t>> listShapes(WeirOpInterface op) {
  std::vector<std::vector<int64_t>> shapes;
  for (Value operand : op->getOperands())
    shapes.push_back(toDims(getTensorType(operand)));
  return shapes;
}

/// The dims of a tensor of shape `dims` as digits.
static std::vector<analysis::Digit> listDigits(ArrayRef<int64_t> dims) {
  std::vector<analysis::Digit> digits;
  int64_t stride = ShapedType::getNumElements(dims);
  for (int64_t dim : dims) {
    stride /= std::max<int64_t>(dim, 1);
    digits.push_back({stride, dim});
  }
  return digits;
}

/// Makes the relation to operand `number` more exact, if something is known
/// about the indices at which the operand is read.
static DimRelation narrowByIndices(WeirOpInterface op, const BoundSpec &bound,
                                   unsigned number,
                                   ArrayRef<std::vector<int64_t>> shapes,
                                   const BlockIntegers &integers,
                                   DimRelation relation) {
  for (auto [index, digit] :
       llvm::zip(bound.operands[number], listDigits(shapes[number])))
    if (index.indirect >= 0) {
      const auto source = static_cast<unsigned>(index.indirect);
      KnownIntegers indices =
          analysis::carry(integers.get(op->getOperand(source)),
                          analysis::relateBound(bound, source, shapes));
      relation = analysis::narrowGathered(relation, digit, indices);
    }
  return relation;
}

static SmallVector<DimRelation> relateLeaf(WeirOpInterface op,
                                           const BlockIntegers &integers) {
  BoundSpec bound = bindSpec(op);
  const std::vector<std::vector<int64_t>> shapes = listShapes(op);
  SmallVector<DimRelation> relations;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    unsigned number = operand.getOperandNumber();
    relations.push_back(
        readsOperand(op, bound, number)
            ? narrowByIndices(op, bound, number, shapes, integers,
                              analysis::relateBound(bound, number, shapes))
            : makeIndependent(value, op->getResult(0)));
  }
  return relations;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Whether expressions compute with `value` as they do with an i64.
static bool isOrdinary(Value value) {
  auto type = dyn_cast<IntegerType>(getTensorType(value).getElementType());
  return type && !type.isUnsigned();
}

/// What is known about a constant that repeats one ordinary number. Nothing is
/// known about other constants.
static KnownIntegers readConstant(ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !elements.isSplat() || !isOrdinary(constant.getResult()))
    return {};
  const APInt value = elements.getSplatValue<APInt>();
  return KnownIntegers::makeConstant(
      value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue());
}

static bool mayLeave(ArrayRef<AffineIndex> indices) {
  return llvm::any_of(indices,
                      [](const AffineIndex &index) { return index.mayLeave; });
}

/// What is known about the result of a leaf that combines no points.
KnownIntegers BlockIntegers::evaluate(WeirOpInterface op) const {
  const BoundSpec bound = bindSpec(op);
  // An element that no point reaches has a value that is not known from the
  // expression.
  if (mayLeave(bound.result) ||
      bound.numPoints() != ShapedType::getNumElements(bound.resultDims))
    return {};
  const std::vector<std::vector<int64_t>> shapes = listShapes(op);
  std::vector<KnownIntegers> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    if (!isOrdinary(op->getOperand(i)) || mayLeave(bound.operands[i]))
      return {};
    operands.push_back(analysis::carry(
        get(op->getOperand(i)), analysis::relateBound(bound, i, shapes)));
  }
  const AttrMap attrs = toAttrMap(op->getAttrDictionary());
  auto indexAt = [&](std::string_view place) {
    const std::vector<AffineIndex::Term> alone = {
        {findLoop(bound, place, attrs), 1}};
    for (auto [index, digit] :
         llvm::zip(bound.result, listDigits(bound.resultDims)))
      if (index.terms == alone && index.offset == 0)
        return KnownIntegers{{{digit, 1}}, 0, 0};
    return KnownIntegers();
  };
  return analysis::evaluateKnown(*op.getOpRecord().getExpression(), operands,
                                 indexAt);
}

void BlockIntegers::visit(Operation &op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    known[constant.getResult()] = readConstant(constant);
  auto weirOp = dyn_cast<WeirOpInterface>(op);
  if (!weirOp || op.getNumResults() != 1 || !isOrdinary(op.getResult(0)))
    return;
  const OpRecord &record = weirOp.getOpRecord();
  Value result = op.getResult(0);
  if (weirOp.isReinterpretation())
    known[result] = get(op.getOperand(0));
  else if (record.isLeaf() && record.getCombiner() == Combiner::None &&
           getTensorType(result).getElementType().isInteger(64))
    known[result] = evaluate(weirOp);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The indices along `dims` of a box in a row-major tensor. Nothing if the dims
/// of the box are not aligned with `dims`.
static std::optional<std::vector<AffineIndex>>
indexBox(ArrayRef<int64_t> box, int64_t offset, ArrayRef<int64_t> strides,
         ArrayRef<int64_t> dims) {
  std::vector<AffineIndex> indices(dims.size());
  int64_t numFound = 0;
  int64_t stride = ShapedType::getNumElements(dims);
  for (auto [index, dim] : llvm::zip(indices, dims)) {
    stride /= dim;
    if (dim == 1)
      continue;
    index.offset = offset / stride;
    offset %= stride;
    for (auto [loop, size] : llvm::enumerate(box))
      if (size > 1 && strides[loop] == stride) {
        index.terms.push_back({static_cast<int>(loop), 1});
        ++numFound;
      }
  }
  if (offset != 0 ||
      numFound != llvm::count_if(box, [](int64_t size) { return size > 1; }))
    return std::nullopt;
  return indices;
}

static DimRelation relateCopy(const ElementCopy &copy, Value operand,
                              Value result) {
  ArrayRef<int64_t> from = getTensorType(operand).getShape();
  ArrayRef<int64_t> to = getTensorType(result).getShape();
  if (llvm::is_contained(copy.dims, 0))
    return makeIndependent(operand, result);
  auto read = indexBox(copy.dims, copy.fromOffset, copy.fromStrides, from);
  auto made = indexBox(copy.dims, copy.toOffset, copy.toStrides, to);
  if (!read || !made)
    return makeOpaque(operand, result);
  BoundSpec bound;
  for (auto [number, size] : llvm::enumerate(copy.dims))
    bound.loops.push_back({std::to_string(number), size});
  bound.operands = {*std::move(read)};
  bound.result = *std::move(made);
  bound.resultDims = to.vec();
  const std::vector<int64_t> shapes[] = {from.vec()};
  return analysis::relateBound(bound, 0, shapes);
}

static DimRelations relateCopies(WeirOpInterface op,
                                 ArrayRef<ElementCopy> copies) {
  DimRelations relations;
  for (Value result : op->getResults())
    for (auto &made = relations.emplace_back();
         Value operand : op->getOperands())
      made.push_back(makeIndependent(operand, result));
  for (const ElementCopy &copy : copies) {
    Value operand = op->getOperand(static_cast<unsigned>(copy.operand));
    Value result = op->getResult(static_cast<unsigned>(copy.result));
    DimRelation &known = relations[copy.result][copy.operand];
    known = analysis::unite(known, relateCopy(copy, operand, result));
  }
  return relations;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static DimRelations relateOp(WeirOpInterface op, const BlockIntegers &integers);

namespace {
/// How the values of a block depend on one input.
class Dependents {
public:
  explicit Dependents(Value input) : input(input) {
    known.try_emplace(input, analysis::makeIdentity(countElements(input)));
  }

  void visit(Operation &op, const DimRelations *relations);
  DimRelation get(Value value) const {
    auto it = known.find(value);
    return it == known.end() ? makeIndependent(input, value) : it->second;
  }

private:
  Value input;
  /// The relations that are known. A value that is not in the map does not
  /// depend on the input.
  llvm::DenseMap<Value, DimRelation> known;
};
} // namespace

/// Adds the relations of the results of `op` to the input. `relations` are the
/// relations of `op` alone, or null if nothing is known about them.
void Dependents::visit(Operation &op, const DimRelations *relations) {
  for (OpOperand &operand : op.getOpOperands()) {
    auto it = known.find(operand.get());
    if (it == known.end())
      continue;
    const DimRelation through = it->second;
    for (OpResult result : op.getResults()) {
      DimRelation made =
          relations
              ? analysis::compose(through,
                                  (*relations)[result.getResultNumber()]
                                              [operand.getOperandNumber()])
              : makeOpaque(input, result);
      auto [place, isNew] = known.try_emplace(result, made);
      if (!isNew)
        place->second = analysis::unite(place->second, made);
    }
  }
}

static bool readsAtIndices(Operation &op) {
  auto weirOp = dyn_cast<WeirOpInterface>(op);
  return weirOp && weirOp.getOpRecord().isLeaf() &&
         weirOp.getOpRecord().getIndexSpec().hasIndirectDims();
}

DimRelations weir::relateDims(Block &block, ValueRange inputs,
                              ValueRange results) {
  SmallVector<Dependents> dependents(inputs.begin(), inputs.end());
  const bool hasIndices = llvm::any_of(block, readsAtIndices);
  BlockIntegers integers;
  for (Operation &op : block) {
    auto weirOp = dyn_cast<WeirOpInterface>(op);
    DimRelations relations;
    if (weirOp)
      relations = relateOp(weirOp, integers);
    if (hasIndices)
      integers.visit(op);
    for (Dependents &each : dependents)
      each.visit(op, weirOp ? &relations : nullptr);
  }
  DimRelations found;
  for (Value result : results)
    for (auto &relations = found.emplace_back();
         const Dependents &each : dependents)
      relations.push_back(each.get(result));
  return found;
}

/// The relations of a composite, derived from its body. The body reads a new
/// value for each operand, so that two operands stay separate even if they are
/// the same value.
static DimRelations relateBody(WeirOpInterface op) {
  Block scratch;
  SmallVector<Value> inputs;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&scratch);
  for (Value operand : op->getOperands())
    inputs.push_back(scratch.addArgument(operand.getType(), op.getLoc()));
  Operation *clone = builder.clone(*op);
  clone->setOperands(inputs);
  builder.setInsertionPoint(clone);
  SmallVector<Value> results = cast<WeirOpInterface>(clone).expandBody(builder);
  clone->erase();
  DimRelations relations = relateDims(scratch, inputs, results);
  // Users are erased first, because an op with uses cannot be erased.
  while (!scratch.empty())
    scratch.back().erase();
  return relations;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The relations of `op`. `integers` is what is known about the block of `op`.
static DimRelations relateOp(WeirOpInterface op,
                             const BlockIntegers &integers) {
  const OpRecord &record = op.getOpRecord();
  if (record.isLeaf())
    return {relateLeaf(op, integers)};
  // An op with places may have many operands. To relate each of them through
  // the body would take too long.
  if (record.isComposite() && op.getPlaces().empty())
    return relateBody(op);
  if (op.isReinterpretation())
    return {{analysis::makeIdentity(countElements(op->getResult(0)))}};
  SmallVector<ElementCopy> copies = op.getCopies();
  if (!copies.empty())
    return relateCopies(op, copies);
  DimRelations unknown;
  for (Value result : op->getResults())
    for (auto &relations = unknown.emplace_back();
         Value operand : op->getOperands())
      relations.push_back(makeOpaque(operand, result));
  return unknown;
}

DimRelations weir::relateDims(WeirOpInterface op) {
  return relateOp(op, BlockIntegers());
}

std::vector<analysis::DimFactor>
weir::splitAtDims(WeirOpInterface op, unsigned operand, unsigned result) {
  return analysis::splitAtDims(relateDims(op)[result][operand],
                               toDims(getTensorType(op->getOperand(operand))),
                               toDims(getTensorType(op->getResult(result))));
}
