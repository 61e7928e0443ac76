//===- BodyEmitter.cpp - Emits scalar bodies as vector code -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Every op of a body is element-wise, so its vector form is the same op on
// vectors.
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// `op` on `operands`. It is a vector op if at least one operand is a vector.
static Value emitOp(CodeLevels &code, LaneEmitter &lanes, Operation &op,
                    SmallVector<Value> operands) {
  bool isVector = llvm::any_of(operands, isWide);
  OperationState state(code.location, op.getName());
  // A scalar condition may select between whole vectors.
  bool keepsCondition = isa<arith::SelectOp>(op) && !isWide(operands[0]);
  for (auto [number, operand] : llvm::enumerate(operands))
    state.addOperands(isVector && !(keepsCondition && number == 0)
                          ? lanes.splat(operand)
                          : operand);
  Type type = op.getResult(0).getType();
  state.addTypes(isVector ? lanes.toVector(type) : type);
  state.addAttributes(op.getAttrs());
  return code.builder.create(state)->getResult(0);
}

/// The product that `op` adds to `running`, if the product has no other reader.
/// Such a sum of products becomes an fma, which rounds once.
static arith::MulFOp findFusedProduct(Operation &op, Value running) {
  auto sum = dyn_cast<arith::AddFOp>(op);
  if (!sum || !running)
    return {};
  for (Value operand : {sum.getLhs(), sum.getRhs()})
    if (auto product = operand.getDefiningOp<arith::MulFOp>();
        product && product->hasOneUse() &&
        (sum.getLhs() == running || sum.getRhs() == running))
      return product;
  return {};
}

Value PointEmitter::emitBodyOp(Operation &op,
                               llvm::DenseMap<Value, Value> &values) {
  if (op.hasTrait<OpTrait::ConstantLike>() || op.getNumOperands() == 0)
    return code.builder.clone(op)->getResult(0);
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    Value value = values.lookup(operand);
    // Values from outside of the body are constants.
    if (!value)
      value = copyConstant(operand);
    operands.push_back(value);
  }
  return emitOp(code, lanes, op, operands);
}

Value PointEmitter::computeBody(linalg::GenericOp op,
                                ArrayRef<LinearIndex> loops, const Mask &mask,
                                Value running, Value *next) {
  llvm::DenseMap<Value, Value> values;
  Block *body = op.getBody();
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument argument = op.getMatchingBlockArgument(input);
        !argument.use_empty())
      values[argument] =
          read(input->get(), applyMap(getMap(op, *input), loops), mask);
  OpOperand &init = getStartOperand(op);
  BlockArgument last = op.getMatchingBlockArgument(&init);
  if (running)
    values[last] = running;
  else if (!last.use_empty())
    values[last] = read(init.get(), applyMap(getMap(op, init), loops), mask);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      values[index] = lanes.emitIndex(loops[index.getDim()]);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      values[extract] = emitExtract(extract, loops, values, mask);
    } else if (running && inner.hasOneUse() &&
               findFusedProduct(**inner.user_begin(), last) == &inner) {
      continue;
    } else if (arith::MulFOp product =
                   running ? findFusedProduct(inner, last) : nullptr) {
      Value left = values.lookup(product.getLhs());
      Value right = values.lookup(product.getRhs());
      if (isWide(running) || isWide(left) || isWide(right)) {
        left = lanes.splat(left);
        right = lanes.splat(right);
        running = lanes.splat(running);
      }
      values[inner.getResult(0)] = code.make<math::FmaOp>(left, right, running);
    } else {
      values[inner.getResult(0)] = emitBodyOp(inner, values);
    }
  }
  auto take = [&](Value yielded) {
    Value value = values.lookup(yielded);
    return value ? value : copyConstant(yielded);
  };
  Operation *yield = body->getTerminator();
  if (next)
    *next = take(yield->getOperands().back());
  return take(yield->getOperand(0));
}

/// Reads an element at computed indices. Indices that are equal in all lanes
/// become symbols, so that adjacent accesses are still recognised.
Value PointEmitter::emitExtract(tensor::ExtractOp op,
                                ArrayRef<LinearIndex> loops,
                                llvm::DenseMap<Value, Value> &values,
                                const Mask &mask) {
  Indices at;
  SmallVector<std::pair<size_t, Value>> vectors;
  for (auto [d, index] : llvm::enumerate(op.getIndices())) {
    if (auto loop = index.getDefiningOp<linalg::IndexOp>()) {
      at.push_back(loops[loop.getDim()]);
      continue;
    }
    Value value = values.lookup(index);
    if (!value)
      value = copyConstant(index);
    if (isWide(value)) {
      vectors.push_back({d, value});
      at.push_back({});
      continue;
    }
    int symbol = code.symbols.addComputed(value, {});
    code.bind(symbol, value);
    at.push_back(LinearIndex::ofSymbol(symbol));
  }
  if (vectors.empty())
    return read(op.getTensor(), at, mask);
  Value base;
  const SmallVector<int64_t> strides = *plan.getStrides(op.getTensor(), base);
  const Place place = getPlace(op.getTensor(), at);
  Value offsets = lanes.emitSteps(lanes.getStep(place.address));
  for (auto [d, value] : vectors) {
    Value stride = lanes.splat(code.constantIndex(strides[d]));
    offsets = code.make<arith::AddIOp>(offsets,
                                       code.make<arith::MulIOp>(value, stride));
  }
  return memory.gather(place, offsets, op.getType(), mask);
}
