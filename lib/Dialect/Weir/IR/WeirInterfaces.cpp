//===- WeirInterfaces.cpp - What passes may ask any op -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

#include "KnownOps.h"

#include "weir/Dialect/Weir/IR/Axis.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/ElementWalk.h"
#include "weir/Support/ShapeLimits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

#include "weir/Dialect/Weir/IR/WeirInterfaces.cpp.inc"

BoundSpec weir::bindSpec(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  DictionaryAttr attributes = op->getAttrDictionary();
  const auto *met = op.getContext()
                        ->getLoadedDialect<WeirDialect>()
                        ->getRegisteredInterface<BoundSpecs>();
  const BoundSpecs::Question question = {
      &record, attributes,
      FunctionType::get(op.getContext(), op->getOperandTypes(), {})};
  if (const BoundSpec *known = met->find(question))
    return *known;
  std::vector<std::vector<int64_t>> shapes;
  for (Type type : op->getOperandTypes())
    shapes.push_back(toDims(cast<RankedTensorType>(type)));
  StatusOr<BoundSpec> bound =
      record.getIndexSpec().bind(shapes, toAttrMap(attributes));
  if (!bound.isOk())
    llvm::report_fatal_error("a verified op does not bind its index spec");
  return met->add(question, *std::move(bound));
}

void weir::visitBody(WeirOpInterface op,
                     llvm::function_ref<void(WeirOpInterface)> visit) {
  Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&scratch);
  op.expandBody(builder);
  for (Operation &part : scratch)
    if (auto partOp = dyn_cast<WeirOpInterface>(part))
      visit(partOp);
  // Users are erased first, because an op with uses cannot be erased.
  while (!scratch.empty())
    scratch.back().erase();
}

//===----------------------------------------------------------------------===//
// Doubts
//===----------------------------------------------------------------------===//

/// The dim along which `op` works: its attribute `axis`, or else the last dim.
static int64_t getWorkAxis(Operation *op) {
  const auto rank = getTensorType(op->getOperand(0)).getRank();
  return fromStart(toAttrMap(op->getAttrDictionary()).intOr("axis", -1),
                   static_cast<size_t>(rank));
}

std::string opdetail::describeRepeated(Operation *op) {
  const StringRef applied =
      cast<WeirOpInterface>(op).getOpRecord().getAppliedOp();
  if (applied.empty())
    return {};
  auto first = op->getOperand(0).getDefiningOp<WeirOpInterface>();
  if (!first || first.getOpRecord().getMnemonic() != applied ||
      getWorkAxis(first) != getWorkAxis(op))
    return {};
  return fmt::format("applies {0} to '{1}', which is the result of a {0} "
                     "already; give it '{2}', the operand of that one",
                     std::string_view(applied),
                     std::string_view(getOpName(first)),
                     std::string_view(getName(first->getOperand(0).getLoc())));
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

static int64_t getBytes(Operation *op) {
  uint64_t bytes = 0;
  for (Value operand : op->getOperands())
    bytes += getSpanBytes(operand);
  for (Value result : op->getResults())
    bytes += getSpanBytes(result);
  return static_cast<int64_t>(bytes);
}

/// Whether `index` depends on loop number `loop`.
static bool dependsOn(const AffineIndex &index, int loop) {
  return llvm::any_of(index.terms, [&](const AffineIndex::Term &term) {
    return term.loop == loop;
  });
}

/// A loop of which only one iteration counts; -1 if there is none. The
/// expression is then `select(x == index(loop), y, z)`, where z is a number or
/// an operand, and neither x nor y depends on the loop. The iteration at index
/// x counts. Kernels compute x and evaluate only that iteration.
static int findChosenLoop(const ScalarExpr &expression,
                          const BoundSpec &bound) {
  using Op = ScalarExpr::Op;
  const std::vector<ScalarExpr::Node> &nodes = expression.nodes();
  auto isSimple = [&](const ScalarExpr::Node &node) {
    return node.op == Op::Literal || node.op == Op::Operand ||
           (node.op == Op::Neg && nodes[node.args[0]].op == Op::Literal);
  };
  const ScalarExpr::Node &root = nodes.back();
  if (root.op != Op::Select || nodes[root.args[0]].op != Op::Equal ||
      !isSimple(nodes[root.args[2]]))
    return -1;
  // The initial value and z may depend on the loop, because kernels do not
  // visit the points of the loop for them.
  auto isKept = [&](size_t operand) {
    return static_cast<int>(operand) == bound.initOperand ||
           nodes[root.args[2]].operand == static_cast<int>(operand);
  };
  for (auto [number, loop] : llvm::enumerate(bound.loops)) {
    auto isIndex = [&](const ScalarExpr::Node &node) {
      return node.op == Op::Index && node.name == loop.name;
    };
    const ScalarExpr::Node &test = nodes[root.args[0]];
    bool isTested =
        isIndex(nodes[test.args[0]]) || isIndex(nodes[test.args[1]]);
    auto isRead = [&](const AffineIndex &index) {
      return dependsOn(index, static_cast<int>(number));
    };
    if (isTested && llvm::count_if(nodes, isIndex) == 1 &&
        llvm::none_of(llvm::enumerate(bound.operands), [&](const auto &each) {
          return !isKept(each.index()) && llvm::any_of(each.value(), isRead);
        }))
      return static_cast<int>(number);
  }
  return -1;
}

/// The number of points times the operations of one point. Combining counts as
/// one operation.
static int64_t getLeafFlops(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  BoundSpec bound = bindSpec(op);
  int64_t perPoint = record.getExpression()->flops();
  bool combines =
      record.getCombiner() != Combiner::None && bound.combinesPoints();
  int chosen = combines ? findChosenLoop(*record.getExpression(), bound) : -1;
  int64_t points = bound.numPoints();
  // A loop without iterations has none to choose.
  if (chosen >= 0 && points > 0)
    points /= bound.loops[chosen].size;
  return saturatingMultiply(points, perPoint + (combines ? 1 : 0));
}

static int64_t getCompositeFlops(WeirOpInterface op) {
  int64_t flops = 0;
  visitBody(op, [&](WeirOpInterface part) {
    flops = saturatingAdd(flops, getCost(part).flops);
  });
  return flops;
}

OpCost weir::getCost(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  OpCost cost;
  cost.bytes = getBytes(op);
  if (record.isComposite())
    cost.flops = getCompositeFlops(op);
  else if (record.isLeaf())
    cost.flops = getLeafFlops(op);
  return cost;
}

//===----------------------------------------------------------------------===//
// Strided copies
//===----------------------------------------------------------------------===//

/// The layout of the points of a bound spec in `tensor`: the offset of the
/// first element, and for each loop the distance between neighbours.
static std::pair<int64_t, SmallVector<int64_t>>
linearize(const BoundSpec &bound, ArrayRef<AffineIndex> indices, Value tensor) {
  TensorDesc desc = toTensorDesc(cast<RankedTensorType>(tensor.getType()));
  int64_t offset = 0;
  SmallVector<int64_t> strides(bound.loops.size(), 0);
  for (auto [index, stride] : llvm::zip(indices, desc.strides)) {
    offset += index.offset * stride;
    for (const AffineIndex::Term &term : index.terms)
      strides[term.loop] += term.coefficient * stride;
  }
  return {offset, strides};
}

/// Converts the offset and the strides of a box from a row-major tensor to the
/// memory layout of `tensor`.
static void layOut(Value tensor, int64_t &offset,
                   SmallVectorImpl<int64_t> &strides) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.getEncoding())
    return;
  TensorDesc desc = toTensorDesc(type);
  offset = stridedOffset(offset, desc.dims, desc.strides);
  strides.assign(desc.strides.begin(), desc.strides.end());
}

SmallVector<ElementCopy> weir::getElementCopies(WeirOpInterface op) {
  if (SmallVector<ElementCopy> copies = op.getCopies(); !copies.empty()) {
    for (ElementCopy &copy : copies) {
      layOut(op->getOperand(static_cast<unsigned>(copy.operand)),
             copy.fromOffset, copy.fromStrides);
      layOut(op->getResult(static_cast<unsigned>(copy.result)), copy.toOffset,
             copy.toStrides);
    }
    return copies;
  }
  const OpRecord &record = op.getOpRecord();
  if (!record.movesElements() || !record.getFill().empty())
    return {};
  BoundSpec bound = bindSpec(op);
  ElementCopy copy;
  for (const Loop &loop : bound.loops)
    copy.dims.push_back(loop.size);
  std::tie(copy.fromOffset, copy.fromStrides) =
      linearize(bound, bound.operands[0], op->getOperand(0));
  std::tie(copy.toOffset, copy.toStrides) =
      linearize(bound, bound.result, op->getResult(0));
  return {copy};
}
