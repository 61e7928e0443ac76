//===- Gradient.cpp - The Gradient family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/BuildLeaf.h"
#include "weir/Dialect/Weir/IR/NeutralValue.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/ShapeLimits.h"

#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Gradient.cpp.inc"

void WeirDialect::registerGradientOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Gradient.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Gradient
//===----------------------------------------------------------------------===//

LogicalResult GradientOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           ValueRange operands, DictionaryAttr,
                                           OpaqueProperties, RegionRange,
                                           SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.drop_front().getTypes());
  return success();
}

LogicalResult GradientOp::verify() {
  auto isFloat = [](Value value) {
    return isa<FloatType>(getTensorType(value).getElementType());
  };
  auto loss = getTensorType(getLoss());
  if (loss.hasStaticShape() && loss.getNumElements() != 1)
    return emitOpError("expects a loss with one element, found ")
           << loss << "; sum it or take its mean first";
  if (!isFloat(getLoss()))
    return emitOpError("expects a loss of floats, found ") << loss;
  if (getOf().empty())
    return emitOpError("expects at least one operand after 'of'");
  for (auto [number, value] : llvm::enumerate(getOf()))
    if (!isFloat(value))
      return emitOpError("has integers as operand ")
             << number << " after 'of', found " << value.getType()
             << "; only floats have a gradient";
  return success();
}

//===----------------------------------------------------------------------===//
// Leaf
//===----------------------------------------------------------------------===//

static OpRecord makeLeafRecord(StringRef spec, StringRef expression,
                               Combiner combiner) {
  OpRecord::Fields fields = {"leaf",
                             spec,
                             LeafOp::getRecord().getTypeSpec(),
                             expression,
                             combiner,
                             "",
                             LayoutRole::Follow,
                             PrecisionRole::Wide,
                             {},
                             /*isComposite=*/false,
                             /*isRelayout=*/false,
                             /*applies=*/"",
                             {"inputs"},
                             /*otherNames=*/{}};
  // Only pointwise ops pass layouts on.
  OpRecord record(fields);
  if (record.isPointwise())
    return record;
  fields.layout = LayoutRole::Free;
  return OpRecord(std::move(fields));
}

static std::optional<Combiner> parseCombiner(StringRef name) {
  for (Combiner combiner : {Combiner::None, Combiner::Sum, Combiner::Product,
                            Combiner::Maximum, Combiner::Minimum})
    if (toString(combiner) == name)
      return combiner;
  return std::nullopt;
}

const OpRecord &WeirDialect::getLeafRecord(StringAttr spec,
                                           StringAttr expression,
                                           StringAttr combiner) {
  Attribute key = ArrayAttr::get(getContext(), {spec, expression, combiner});
  std::lock_guard<std::mutex> lock(leafMutex);
  std::unique_ptr<OpRecord> &record = leafRecords[key];
  if (!record)
    record = std::make_unique<OpRecord>(
        makeLeafRecord(spec.getValue(), expression.getValue(),
                       *parseCombiner(combiner.getValue())));
  return *record;
}

const OpRecord &LeafOp::getOpRecord() {
  return cast<WeirDialect>((*this)->getDialect())
      ->getLeafRecord(getSpecAttr(), getExpressionAttr(), getCombinerAttr());
}

/// Checks what an expression reads. It may read existing operands other than
/// the initial value, and positions along loops. It may not read attributes.
static Status checkReads(const ScalarExpr &expression, const BoundSpec &bound,
                         TypeRange operands) {
  for (const std::vector<AffineIndex> &indices : bound.operands)
    for (const AffineIndex &index : indices)
      if (index.indirect >= 0 &&
          !isa<IntegerType>(cast<RankedTensorType>(operands[index.indirect])
                                .getElementType()))
        return invalidArgument(fmt::format(
            "operand {} holds indices, expected an integer element type",
            index.indirect));
  std::string_view function = expression.integerFunction();
  auto isTruth = [](Type type) {
    return getElementTypeOrSelf(type).isInteger(1);
  };
  auto first = llvm::find_if_not(operands, isTruth);
  if (!function.empty() && first != operands.end() &&
      !getElementTypeOrSelf(*first).isInteger())
    return invalidArgument(fmt::format(
        "attribute 'expression' has {}(), which takes integers; expected "
        "integers as operand {}, found floats",
        function, static_cast<char>('a' + (first - operands.begin()))));
  for (const ScalarExpr::Node &node : expression.nodes()) {
    if (node.op == ScalarExpr::Op::Attribute)
      return invalidArgument(fmt::format(
          "attribute 'expression' reads '{}', expected operands a to {} and "
          "numbers",
          node.name, static_cast<char>('a' + bound.operands.size() - 1)));
    if (node.op == ScalarExpr::Op::Index &&
        (StringRef(node.name).contains('@') ||
         findLoop(bound, node.name, {}) < 0))
      return invalidArgument(
          fmt::format("attribute 'expression' reads index({}), expected a loop "
                      "of the index spec",
                      node.name));
    if (node.op == ScalarExpr::Op::Operand &&
        (node.operand >= static_cast<int>(bound.operands.size()) ||
         node.operand == bound.initOperand))
      return invalidArgument(fmt::format(
          "attribute 'expression' reads operand {}, expected one of {} that is "
          "no initial value",
          static_cast<char>('a' + node.operand), bound.operands.size()));
  }
  return Status::ok();
}

/// Checks that there is a combiner if several points share an element of the
/// result.
static Status checkCombiner(Combiner combiner, const BoundSpec &bound) {
  if (combiner != Combiner::None)
    return Status::ok();
  for (const Loop &loop : bound.loops)
    if (loop.isReduction && loop.size != 1)
      return invalidArgument(fmt::format(
          "points along '{}' share an element of the result, expected an "
          "attribute 'combiner' other than 'none'",
          loop.name));
  if (bound.runningLoop >= 0)
    return invalidArgument("has running values, expected an attribute "
                           "'combiner' other than 'none'");
  // Without a combiner, each element must be written by a point, because there
  // is no initial value.
  SmallVector<bool> isUsed(bound.loops.size());
  for (auto [index, size] : llvm::zip_equal(bound.result, bound.resultDims)) {
    int64_t count = 1;
    bool isDiagonal = false;
    for (const AffineIndex::Term &term : index.terms) {
      const int64_t points = bound.loops[term.loop].size;
      isDiagonal |= isUsed[term.loop] && points != 1;
      isUsed[term.loop] = true;
      count *= points;
    }
    if (index.offset != 0 || index.mayLeave || isDiagonal ||
        (size != unknownDim && count != size && bound.numPoints() != 0))
      return invalidArgument(
          "does not reach every element of the result, expected an attribute "
          "'combiner' other than 'none'");
  }
  return Status::ok();
}

/// Checks that points outside of an operand contribute nothing.
static Status checkLeaving(const OpRecord &record, const BoundSpec &bound,
                           const AttrMap &attrs,
                           ArrayRef<std::vector<int64_t>> shapes) {
  auto leaves = [](const AffineIndex &index) { return index.mayLeave; };
  auto isIndirect = [](const AffineIndex &index) {
    return index.indirect >= 0;
  };
  for (size_t i = 0; i < shapes.size(); ++i)
    if (llvm::any_of(bound.operands[i], leaves) &&
        llvm::any_of(bound.operands[i], isIndirect))
      return invalidArgument(fmt::format(
          "operand {} has an index that another operand holds and one that "
          "leaves it, expected one of them",
          i));
  for (size_t i = 0; i < shapes.size(); ++i)
    if (llvm::any_of(bound.operands[i], leaves) &&
        !getNeutralValue(record, bound, attrs, shapes, i))
      return invalidArgument(fmt::format(
          "indices leave operand {}, where nothing could stand that has no "
          "effect on expression '{}'; pad the operand first",
          i, std::string_view(record.getExpressionText())));
  return Status::ok();
}

/// The sizes of `dims` after enlarging them to contain all `indices`.
static std::vector<int64_t> reachOf(ArrayRef<AffineIndex> indices,
                                    ArrayRef<int64_t> dims,
                                    const BoundSpec &bound) {
  std::vector<int64_t> sizes;
  for (auto [index, dim] : llvm::zip_equal(indices, dims)) {
    int64_t below = std::max<int64_t>(0, -index.offset);
    int64_t last = std::max<int64_t>(0, index.offset);
    for (const AffineIndex::Term &term : index.terms) {
      const int64_t steps =
          std::max<int64_t>(bound.loops[term.loop].size, 1) - 1;
      int64_t &to = term.coefficient < 0 ? below : last;
      to = saturatingAdd(to,
                         saturatingMultiply(steps, std::abs(term.coefficient)));
    }
    sizes.push_back(
        saturatingAdd(below, std::max(dim, saturatingAdd(last, 1))));
  }
  return sizes;
}

/// Checks that `indices` do not reach far beyond `dims`, because kernels pad a
/// tensor up to all its indices.
static Status checkReach(ArrayRef<AffineIndex> indices, ArrayRef<int64_t> dims,
                         const BoundSpec &bound, const std::string &what) {
  constexpr int64_t mostElements = int64_t{1} << 26, mostGrowth = 64;
  int64_t given = 1, reached = 1;
  const std::vector<int64_t> sizes = reachOf(indices, dims, bound);
  for (int64_t dim : dims)
    given = saturatingMultiply(given, dim);
  for (int64_t size : sizes)
    reached = saturatingMultiply(reached, size);
  if (llvm::is_contained(dims, unknownDim) || reached <= mostElements ||
      reached <= saturatingMultiply(given, mostGrowth))
    return Status::ok();
  return invalidArgument(fmt::format("reaches {} elements around {} ({}), "
                                     "which has {}; expected at most {}, or "
                                     "{} times as many as it has",
                                     reached, what,
                                     shapeToString({dims.data(), dims.size()}),
                                     given, mostElements, mostGrowth));
}

/// Checks the reach of all operands and of the result.
static Status checkReaches(const BoundSpec &bound,
                           ArrayRef<std::vector<int64_t>> shapes) {
  for (size_t i = 0; i < shapes.size(); ++i)
    WEIR_RETURN_IF_ERROR(checkReach(bound.operands[i], shapes[i], bound,
                                    fmt::format("operand {}", i)));
  return checkReach(bound.result, bound.resultDims, bound, "its result");
}

StatusOr<SmallVector<Type>> LeafOp::inferShapes(TypeRange operands,
                                                const AttrMap &attrs) {
  std::string_view spec = attrs.textOr("spec", "");
  std::string_view expression = attrs.textOr("expression", "");
  std::string_view combinerName = attrs.textOr("combiner", "none");
  if (operands.size() > ScalarExpr::maxOperands)
    return invalidArgument(fmt::format(
        "expects at most {} operands, found {}",
        static_cast<int>(ScalarExpr::maxOperands), operands.size()));
  WEIR_RETURN_IF_ERROR(IndexSpec::parse(spec).status());
  WEIR_ASSIGN_OR_RETURN(ScalarExpr parsed, ScalarExpr::parse(expression));
  std::optional<Combiner> combiner = parseCombiner(combinerName);
  if (!combiner)
    return invalidArgument(
        fmt::format("attribute 'combiner' is '{}', expected 'none', 'sum', "
                    "'product', 'maximum' or 'minimum'",
                    combinerName));
  OpRecord record = makeLeafRecord(spec, expression, *combiner);
  std::vector<std::vector<int64_t>> shapes;
  for (Type type : operands)
    shapes.push_back(toDims(cast<RankedTensorType>(type)));
  WEIR_ASSIGN_OR_RETURN(BoundSpec bound,
                        record.getIndexSpec().bind(shapes, {}));
  if (bound.operands.size() != shapes.size())
    return invalidArgument(fmt::format("expects {} operands, found {}",
                                       bound.operands.size(), shapes.size()));
  WEIR_RETURN_IF_ERROR(checkReads(parsed, bound, operands));
  WEIR_RETURN_IF_ERROR(checkCombiner(*combiner, bound));
  WEIR_RETURN_IF_ERROR(checkLeaving(record, bound, attrs, shapes));
  WEIR_RETURN_IF_ERROR(checkReaches(bound, shapes));
  std::optional<DType> type = parseDType(attrs.textOr("type", ""));
  if (!type)
    return invalidArgument("attribute 'type' expects an element type");
  return SmallVector<Type>{makeTensorType(
      bound.resultDims, toMLIRType(*type, operands.front().getContext()))};
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

std::string weir::getPointwiseSpec(size_t count) {
  std::string spec = "...";
  for (size_t i = 1; i < count; ++i)
    spec += ",...";
  return spec + "->...";
}

Value weir::makeLeaf(OpBuilder &builder, Location location, ValueRange operands,
                     StringRef spec, StringRef expression, Combiner combiner,
                     Type type) {
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("spec", builder.getStringAttr(spec)),
      builder.getNamedAttr("expression", builder.getStringAttr(expression)),
      builder.getNamedAttr("combiner",
                           builder.getStringAttr(toString(combiner))),
      builder.getNamedAttr("type", TypeAttr::get(type))};
  SmallVector<Type> types;
  if (failed(LeafOp::inferReturnTypes(
          builder.getContext(), std::nullopt, operands,
          builder.getDictionaryAttr(attributes), /*properties=*/nullptr,
          /*regions=*/{}, types)))
    return {};
  return LeafOp::create(builder, location, types, operands, attributes)
      ->getResult(0);
}
