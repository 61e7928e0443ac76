//===- KernelTranslator.cpp - Kernel functions as LLVM IR -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTranslator.h"

#include "ArithmeticTranslation.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace weir;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using llvm::BasicBlock;
using llvm::failed;
using llvm::LogicalResult;
using llvm::PHINode;
using llvm::success;

KernelTranslator::Values KernelTranslator::getAll(mlir::ValueRange list) const {
  Values translated;
  for (mlir::Value value : list)
    translated.push_back(get(value));
  return translated;
}

void KernelTranslator::setAll(mlir::ValueRange list,
                              llvm::ArrayRef<llvm::Value *> translated) {
  for (auto [value, made] : llvm::zip_equal(list, translated))
    values[value] = made;
}

llvm::Type *KernelTranslator::toLLVM(mlir::Type type) {
  return llvm::isa<mlir::MemRefType>(type)
             ? builder.getPtrTy(machine.getBufferSpace())
             : toLLVMType(type, code.getContext());
}

LogicalResult KernelTranslator::translate(mlir::func::FuncOp kernel) {
  llvm::SmallVector<llvm::Type *> types;
  for (mlir::Type type : kernel.getArgumentTypes())
    types.push_back(toLLVM(type));
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                    kernel.getSymName(), code);
  values.clear();
  for (auto [argument, made] :
       llvm::zip_equal(kernel.getArguments(), function->args()))
    values[argument] = &made;
  begin(makeBlock());
  if (failed(emitBlock(kernel.getBody().front())))
    return llvm::failure();
  builder.CreateRetVoid();
  return success();
}

LogicalResult KernelTranslator::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block.without_terminator())
    if (failed(emitOp(op)))
      return llvm::failure();
  return success();
}

LogicalResult KernelTranslator::emitOp(mlir::Operation &op) {
  if (op.use_empty() && mlir::isMemoryEffectFree(&op))
    return success();
  auto define = [&](auto op) {
    values[op.getResult()] = emit(op);
    return success();
  };
  auto write = [&](auto op) {
    emitStore(op);
    return success();
  };
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
      .Case([&](scf::ForOp loop) { return emitFor(loop); })
      .Case([&](scf::IfOp branch) { return emitIf(branch); })
      .Case([&](scf::WhileOp loop) { return emitWhile(loop); })
      .Case<memref::GetGlobalOp, memref::LoadOp, memref::ReinterpretCastOp,
            memref::ViewOp, vector::BroadcastOp, vector::ConstantMaskOp,
            vector::CreateMaskOp, vector::ExtractOp, vector::GatherOp,
            vector::LoadOp, vector::MaskedLoadOp, vector::ShuffleOp>(define)
      .Case([&](vector::ReductionOp op) {
        values[op.getDest()] = emit(op);
        return success();
      })
      .Case<memref::StoreOp, vector::MaskedStoreOp, vector::ScatterOp,
            vector::StoreOp>(write)
      .Default([&](mlir::Operation *op) -> LogicalResult {
        Values results;
        if (op->getNumResults() == 1)
          if (llvm::Value *result =
                  translateArithmetic(builder, *op, getAll(op->getOperands()),
                                      toLLVM(op->getResult(0).getType())))
            results.push_back(result);
        if (results.empty() &&
            !machine.translate(builder, *op, getAll(op->getOperands()),
                               results))
          return op->emitOpError("has no translation to LLVM IR");
        setAll(op->getResults(), results);
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

BasicBlock *KernelTranslator::makeBlock() {
  return BasicBlock::Create(code.getContext());
}

/// Appends `block` to the function. All later code is emitted into it.
void KernelTranslator::begin(BasicBlock *block) {
  block->insertInto(function);
  builder.SetInsertPoint(block);
}

/// Makes a phi for each of `given`. The phi has this value if the block is
/// entered from `from`.
KernelTranslator::Values
KernelTranslator::makePhis(llvm::ArrayRef<llvm::Value *> given,
                           BasicBlock *from) {
  Values phis;
  for (llvm::Value *value : given) {
    PHINode *phi = builder.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, from);
    phis.push_back(phi);
  }
  return phis;
}

static void addIncoming(llvm::ArrayRef<llvm::Value *> phis,
                        llvm::ArrayRef<llvm::Value *> given, BasicBlock *from) {
  for (auto [phi, value] : llvm::zip_equal(phis, given))
    llvm::cast<PHINode>(phi)->addIncoming(value, from);
}

/// The number of iterations of a loop: 0, 1, or 2 for two or more. Nothing if
/// it is not known.
static std::optional<int> countTurns(llvm::Value *begin, llvm::Value *end,
                                     llvm::Value *step) {
  auto *first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  auto *last = llvm::dyn_cast<llvm::ConstantInt>(end);
  auto *by = llvm::dyn_cast<llvm::ConstantInt>(step);
  if (!first || !last || !by)
    return std::nullopt;
  if (first->getSExtValue() >= last->getSExtValue())
    return 0;
  return first->getSExtValue() + by->getSExtValue() >= last->getSExtValue() ? 1
                                                                            : 2;
}

LogicalResult KernelTranslator::emitFor(scf::ForOp loop) {
  std::optional<int> turns =
      countTurns(get(loop.getLowerBound()), get(loop.getUpperBound()),
                 get(loop.getStep()));
  if (turns != 0 && turns != 1)
    return emitTurns(loop, turns.has_value());
  setAll(loop.getResults(), getAll(loop.getInitArgs()));
  if (turns == 0)
    return success();
  values[loop.getInductionVar()] = get(loop.getLowerBound());
  setAll(loop.getRegionIterArgs(), getAll(loop.getInitArgs()));
  if (failed(emitBlock(*loop.getBody())))
    return llvm::failure();
  setAll(loop.getResults(),
         getAll(loop.getBody()->getTerminator()->getOperands()));
  return success();
}

/// Emits a loop that tests for its end after the body. Unless `isEntered`,
/// there is also a test in front of the loop.
LogicalResult KernelTranslator::emitTurns(scf::ForOp loop, bool isEntered) {
  llvm::Value *first = get(loop.getLowerBound());
  llvm::Value *end = get(loop.getUpperBound());
  Values inits = getAll(loop.getInitArgs());
  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *body = makeBlock(), *after = makeBlock();
  if (isEntered)
    builder.CreateBr(body);
  else
    builder.CreateCondBr(builder.CreateICmpSLT(first, end), body, after);
  begin(body);
  Values counter = makePhis(first, before), running = makePhis(inits, before);
  values[loop.getInductionVar()] = counter.front();
  setAll(loop.getRegionIterArgs(), running);
  if (failed(emitBlock(*loop.getBody())))
    return llvm::failure();
  llvm::Value *next =
      builder.CreateNSWAdd(counter.front(), get(loop.getStep()));
  Values results = getAll(loop.getBody()->getTerminator()->getOperands());
  BasicBlock *last = builder.GetInsertBlock();
  builder.CreateCondBr(builder.CreateICmpSLT(next, end), body, after);
  addIncoming(counter, next, last);
  addIncoming(running, results, last);
  begin(after);
  if (!isEntered) {
    Values either = makePhis(inits, before);
    addIncoming(either, results, last);
    results = either;
  }
  setAll(loop.getResults(), results);
  return success();
}

LogicalResult KernelTranslator::emitIf(scf::IfOp branch) {
  BasicBlock *yes = makeBlock(), *no = makeBlock(), *after = makeBlock();
  builder.CreateCondBr(get(branch.getCondition()), yes, no);
  auto emitSide = [&](mlir::Block *block, BasicBlock *side,
                      Values &yielded) -> BasicBlock * {
    begin(side);
    if (block && failed(emitBlock(*block)))
      return nullptr;
    if (block)
      yielded = getAll(block->getTerminator()->getOperands());
    BasicBlock *last = builder.GetInsertBlock();
    builder.CreateBr(after);
    return last;
  };
  Values onYes, onNo;
  BasicBlock *lastYes = emitSide(branch.thenBlock(), yes, onYes);
  BasicBlock *lastNo = emitSide(branch.elseBlock(), no, onNo);
  if (!lastYes || !lastNo)
    return llvm::failure();
  begin(after);
  Values results = makePhis(onYes, lastYes);
  addIncoming(results, onNo, lastNo);
  setAll(branch.getResults(), results);
  return success();
}

LogicalResult KernelTranslator::emitWhile(scf::WhileOp loop) {
  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *test = makeBlock(), *body = makeBlock(), *after = makeBlock();
  builder.CreateBr(test);
  begin(test);
  Values running = makePhis(getAll(loop.getInits()), before);
  setAll(loop.getBeforeArguments(), running);
  if (failed(emitBlock(*loop.getBeforeBody())))
    return llvm::failure();
  scf::ConditionOp condition = loop.getConditionOp();
  Values tested = getAll(condition.getArgs());
  builder.CreateCondBr(get(condition.getCondition()), body, after);
  begin(body);
  setAll(loop.getAfterArguments(), tested);
  if (failed(emitBlock(*loop.getAfterBody())))
    return llvm::failure();
  addIncoming(running, getAll(loop.getYieldOp().getOperands()),
              builder.GetInsertBlock());
  builder.CreateBr(test);
  begin(after);
  setAll(loop.getResults(), tested);
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Value *KernelTranslator::addressOf(mlir::Value buffer,
                                         mlir::ValueRange indices) {
  auto type = llvm::cast<mlir::MemRefType>(buffer.getType());
  assert(indices.size() == 1 && type.getRank() == 1 &&
         "kernels compute addresses themselves");
  return builder.CreateGEP(toLLVM(type.getElementType()), get(buffer),
                           get(indices.front()));
}

/// A vector may begin at any element, so it has the alignment of a single
/// element.
llvm::Align KernelTranslator::alignmentOf(mlir::Value buffer) {
  auto type = llvm::cast<mlir::MemRefType>(buffer.getType());
  return code.getDataLayout().getABITypeAlign(toLLVM(type.getElementType()));
}

llvm::Align KernelTranslator::alignmentOf(mlir::Value buffer,
                                          std::optional<uint64_t> stated) {
  return stated ? llvm::Align(*stated) : alignmentOf(buffer);
}

llvm::Value *KernelTranslator::emit(memref::GetGlobalOp op) {
  if (llvm::Value *known = code.getNamedValue(op.getName()))
    return known;
  auto module = op->getParentOfType<mlir::ModuleOp>();
  auto global = module.lookupSymbol<memref::GlobalOp>(op.getName());
  llvm::Constant *data = toLLVMArray(
      llvm::cast<mlir::DenseElementsAttr>(*global.getInitialValue()),
      code.getContext());
  auto *constant = new llvm::GlobalVariable(
      code, data->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, data, op.getName(),
      /*InsertBefore=*/nullptr, llvm::GlobalValue::NotThreadLocal,
      machine.getBufferSpace());
  constant->setAlignment(machine.getConstantAlignment());
  return constant;
}

llvm::Value *KernelTranslator::emit(memref::LoadOp op) {
  return builder.CreateLoad(toLLVM(op.getType()),
                            addressOf(op.getMemRef(), op.getIndices()));
}

void KernelTranslator::emitStore(memref::StoreOp op) {
  builder.CreateStore(get(op.getValueToStore()),
                      addressOf(op.getMemRef(), op.getIndices()));
}

/// The op only gives a buffer another shape, so the pointer is the same.
llvm::Value *KernelTranslator::emit(memref::ReinterpretCastOp op) {
  assert(op.getStaticOffsets().front() == 0 && "buffers begin at their start");
  return get(op.getSource());
}

llvm::Value *KernelTranslator::emit(memref::ViewOp op) {
  return builder.CreatePtrAdd(get(op.getSource()), get(op.getByteShift()));
}

llvm::Value *KernelTranslator::emit(vector::LoadOp op) {
  return builder.CreateAlignedLoad(
      toLLVM(op.getType()), addressOf(op.getBase(), op.getIndices()),
      alignmentOf(op.getBase(), op.getAlignment()));
}

void KernelTranslator::emitStore(vector::StoreOp op) {
  builder.CreateAlignedStore(get(op.getValueToStore()),
                             addressOf(op.getBase(), op.getIndices()),
                             alignmentOf(op.getBase(), op.getAlignment()));
}

llvm::Value *KernelTranslator::emit(vector::MaskedLoadOp op) {
  return builder.CreateMaskedLoad(
      toLLVM(op.getType()), addressOf(op.getBase(), op.getIndices()),
      alignmentOf(op.getBase()), get(op.getMask()), get(op.getPassThru()));
}

void KernelTranslator::emitStore(vector::MaskedStoreOp op) {
  builder.CreateMaskedStore(get(op.getValueToStore()),
                            addressOf(op.getBase(), op.getIndices()),
                            alignmentOf(op.getBase()), get(op.getMask()));
}

llvm::Value *KernelTranslator::emit(vector::GatherOp op) {
  llvm::Value *places = builder.CreateGEP(
      toLLVM(op.getVectorType().getElementType()),
      addressOf(op.getBase(), op.getOffsets()), get(op.getIndices()));
  return builder.CreateMaskedGather(toLLVM(op.getType()), places,
                                    alignmentOf(op.getBase()),
                                    get(op.getMask()), get(op.getPassThru()));
}

void KernelTranslator::emitStore(vector::ScatterOp op) {
  llvm::Value *places = builder.CreateGEP(
      toLLVM(op.getVectorType().getElementType()),
      addressOf(op.getBase(), op.getOffsets()), get(op.getIndices()));
  builder.CreateMaskedScatter(get(op.getValueToStore()), places,
                              alignmentOf(op.getBase()), get(op.getMask()));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

llvm::Value *KernelTranslator::emit(vector::BroadcastOp op) {
  auto lanes = static_cast<unsigned>(op.getResultVectorType().getNumElements());
  return builder.CreateVectorSplat(lanes, get(op.getSource()));
}

llvm::Value *KernelTranslator::emit(vector::ConstantMaskOp op) {
  llvm::SmallVector<llvm::Constant *> lanes;
  for (int64_t lane = 0; lane < op.getType().getNumElements(); ++lane)
    lanes.push_back(builder.getInt1(lane < op.getMaskDimSizes().front()));
  return llvm::ConstantVector::get(lanes);
}

/// Makes a mask of the lanes below a number. Lanes are compared as 32 bits,
/// because the number fits into 32 bits, and a register has more lanes of 32
/// bits than of 64.
llvm::Value *KernelTranslator::emit(vector::CreateMaskOp op) {
  llvm::SmallVector<llvm::Constant *> lanes;
  for (int64_t lane = 0; lane < op.getType().getNumElements(); ++lane)
    lanes.push_back(builder.getInt32(static_cast<uint32_t>(lane)));
  llvm::Value *count =
      builder.CreateTrunc(get(op.getOperand(0)), builder.getInt32Ty());
  return builder.CreateICmpSLT(
      llvm::ConstantVector::get(lanes),
      builder.CreateVectorSplat(static_cast<unsigned>(lanes.size()), count));
}

llvm::Value *KernelTranslator::emit(vector::ExtractOp op) {
  return builder.CreateExtractElement(
      get(op.getSource()), static_cast<uint64_t>(op.getStaticPosition()[0]));
}

/// The only reduction in kernels is an "or" of lanes.
llvm::Value *KernelTranslator::emit(vector::ReductionOp op) {
  assert(op.getKind() == vector::CombiningKind::OR && !op.getAcc() &&
         "only lanes of masks are combined");
  return builder.CreateOrReduce(get(op.getVector()));
}

llvm::Value *KernelTranslator::emit(vector::ShuffleOp op) {
  llvm::SmallVector<int> order;
  for (int64_t place : op.getMask())
    order.push_back(static_cast<int>(place));
  return builder.CreateShuffleVector(get(op.getV1()), get(op.getV2()), order);
}
