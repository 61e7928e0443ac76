//===- Folding.cpp - Evaluates ops at compile time ------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantIndices.h"
#include "weir/Dialect/Weir/Transforms/Folding/CopyElements.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Runtime/Reference.h"
#include "weir/Support/ShapeLimits.h"

using namespace mlir;
using namespace weir;

using Results = std::vector<std::vector<char>>;

static TensorDesc describe(Value value) {
  return toTensorDesc(cast<RankedTensorType>(value.getType()));
}

/// The copies of which `op` consists; none if it also casts elements.
static SmallVector<ElementCopy> getPlainCopies(WeirOpInterface op) {
  for (Value operand : op->getOperands())
    if (describe(operand).type != describe(op->getResult(0)).type)
      return {};
  return getElementCopies(op);
}

bool weir::isEvaluable(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  return record.isLeaf() || record.isComposite() || op.isReinterpretation() ||
         !op.getCopies().empty();
}

int64_t weir::getEvaluationFlops(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  int64_t flops = 0;
  if (record.isComposite()) {
    visitBody(op, [&](WeirOpInterface part) {
      flops = saturatingAdd(flops, getEvaluationFlops(part));
    });
  } else if (record.isLeaf()) {
    BoundSpec bound = bindSpec(op);
    bool combines =
        record.getCombiner() != Combiner::None && bound.combinesPoints();
    flops =
        saturatingMultiply(bound.numPoints(), record.getExpression()->flops() +
                                                  (combines ? 1 : 0));
  }
  return flops;
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

static FailureOr<Results> evaluateLeaf(WeirOpInterface op,
                                       ArrayRef<TensorBytes> operands) {
  KernelSpec spec;
  spec.name = referenceKernel.str();
  spec.attrs = toAttrMap(makeReferenceConfig(op));
  std::vector<const void *> pointers;
  for (auto [operand, bytes] : llvm::zip(op->getOperands(), operands)) {
    spec.operands.push_back(describe(operand));
    pointers.push_back(bytes.data());
  }
  spec.results.push_back(describe(op->getResult(0)));
  Results results;
  results.emplace_back(spec.results.front().spanBytes());
  Status status = evaluateReference(spec, pointers, results.front().data());
  if (!status.isOk())
    return op.emitOpError("'")
           << weir::getOpName(op)
           << "' cannot be folded: " << StringRef(status.message());
  return results;
}

static Results evaluateCopies(WeirOpInterface op, ArrayRef<ElementCopy> copies,
                              ArrayRef<TensorBytes> operands) {
  Results results;
  for (Value result : op->getResults())
    results.emplace_back(describe(result).spanBytes());
  for (const ElementCopy &copy : copies)
    copyElements(copy, byteSize(describe(op->getResult(0)).type),
                 operands[static_cast<size_t>(copy.operand)].data(),
                 results[static_cast<size_t>(copy.result)].data());
  return results;
}

/// Converts `bytes` of a tensor from the layout `from` to the layout `to`.
static std::vector<char> relay(std::vector<char> bytes, const TensorDesc &from,
                               const TensorDesc &to) {
  if (from.strides == to.strides)
    return bytes;
  ElementCopy copy;
  copy.dims.assign(from.dims.begin(), from.dims.end());
  copy.fromStrides.assign(from.strides.begin(), from.strides.end());
  copy.toStrides.assign(to.strides.begin(), to.strides.end());
  std::vector<char> relaid(bytes.size());
  copyElements(copy, byteSize(from.type), bytes.data(), relaid.data());
  return relaid;
}

/// Evaluates the op's body, which is built outside of the graph and deleted
/// afterwards.
static FailureOr<Results> evaluateComposite(WeirOpInterface op,
                                            ArrayRef<TensorBytes> operands) {
  Block body;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&body);
  SmallVector<Value> values = op.expandBody(builder);
  YieldOp::create(builder, op->getLoc(), values);
  auto getBytes = [&](Value value) -> FailureOr<TensorBytes> {
    auto operand = llvm::find(op->getOperands(), value);
    return operands[static_cast<size_t>(operand.getIndex())];
  };
  FailureOr<Results> results = evaluate(body, getBytes);
  // Values of a body are row-major; the op's results may have another layout.
  if (succeeded(results))
    for (auto [bytes, value, result] :
         llvm::zip(*results, values, op->getResults()))
      bytes = relay(std::move(bytes), describe(value), describe(result));
  // An op can be erased only after its users.
  while (!body.empty())
    body.back().erase();
  return results;
}

FailureOr<Results> weir::evaluate(WeirOpInterface op,
                                  ArrayRef<TensorBytes> operands) {
  // Bodies ignore indices out of range, so indices are checked first.
  for (const IndexOperand &indices : op.getIndexOperands())
    if (failed(checkIndices(op, indices, operands[indices.number])))
      return failure();
  if (op.isReinterpretation())
    return Results{{operands.front().begin(), operands.front().end()}};
  if (SmallVector<ElementCopy> copies = getPlainCopies(op); !copies.empty())
    return evaluateCopies(op, copies, operands);
  if (op.getOpRecord().isComposite())
    return evaluateComposite(op, operands);
  return evaluateLeaf(op, operands);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {
/// Values of a block during evaluation. Each is freed after its last use.
class BlockValues {
public:
  BlockValues(Block &block, GetBytesFn getBytes)
      : block(block), getBytes(getBytes) {
    for (Operation &op : block)
      for (Value operand : op.getOperands())
        ++usesLeft[operand];
  }

  FailureOr<Results> evaluateAll();

private:
  LogicalResult evaluateOp(Operation &op);
  FailureOr<TensorBytes> get(Value value);
  void dropUsed(Operation &op);

  Block &block;
  GetBytesFn getBytes;
  llvm::DenseMap<Value, std::vector<char>> known;
  llvm::DenseMap<Value, unsigned> usesLeft;
};
} // namespace

FailureOr<TensorBytes> BlockValues::get(Value value) {
  auto it = known.find(value);
  if (it == known.end())
    return getBytes(value);
  return TensorBytes(it->second);
}

void BlockValues::dropUsed(Operation &op) {
  for (Value operand : op.getOperands())
    if (--usesLeft[operand] == 0)
      known.erase(operand);
}

LogicalResult BlockValues::evaluateOp(Operation &op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    known[constant.getResult()] = getConstantBytes(constant.getValue());
    return success();
  }
  auto weirOp = dyn_cast<WeirOpInterface>(op);
  if (!weirOp)
    return success();
  SmallVector<TensorBytes> operands;
  for (Value operand : op.getOperands()) {
    FailureOr<TensorBytes> bytes = get(operand);
    if (failed(bytes))
      return failure();
    operands.push_back(*bytes);
  }
  FailureOr<Results> results = evaluate(weirOp, operands);
  if (failed(results))
    return failure();
  for (auto [result, bytes] : llvm::zip(op.getResults(), *results))
    known[result] = std::move(bytes);
  dropUsed(op);
  return success();
}

FailureOr<Results> BlockValues::evaluateAll() {
  for (Operation &op : block.without_terminator())
    if (failed(evaluateOp(op)))
      return failure();
  Results results;
  for (Value value : block.getTerminator()->getOperands()) {
    FailureOr<TensorBytes> bytes = get(value);
    if (failed(bytes))
      return failure();
    results.emplace_back(bytes->begin(), bytes->end());
  }
  return results;
}

FailureOr<Results> weir::evaluate(Block &block, GetBytesFn getBytes) {
  return BlockValues(block, getBytes).evaluateAll();
}
