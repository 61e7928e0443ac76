//===- GpuOps.cpp - What threads of a GPU do, as LLVM IR --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GpuOps.h"

#include "GpuEmulation.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include <cstddef>

using namespace llvm;
using namespace weir;
namespace gpu = mlir::gpu;

bool ThreadOps::translate(IRBuilderBase &builder, mlir::Operation &op,
                          ArrayRef<Value *> operands,
                          SmallVectorImpl<Value *> &results) {
  return TypeSwitch<mlir::Operation *, bool>(&op)
      .Case([&](gpu::ThreadIdOp) {
        results.push_back(getThread(builder));
        return true;
      })
      .Case([&](gpu::BlockIdOp) {
        results.push_back(getBlock(builder));
        return true;
      })
      .Case([&](gpu::DynamicSharedMemoryOp) {
        results.push_back(getShared(builder));
        return true;
      })
      .Case([&](gpu::BarrierOp) {
        emitBarrier(builder);
        return true;
      })
      .Case([&](gpu::ShuffleOp) {
        Type *type = operands[0]->getType();
        Type *bits = builder.getIntNTy(type->getScalarSizeInBits());
        Value *value = builder.CreateBitCast(operands[0], bits);
        value = emitShuffle(builder, value, operands[1]);
        results.push_back(builder.CreateBitCast(value, type));
        results.push_back(builder.getTrue());
        return true;
      })
      .Default([](mlir::Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

static constexpr unsigned sharedSpace = 3;
static constexpr uint64_t sharedAlignment = 16;

/// Reads a register, and gives LLVM the range of its value: [0, count).
static Value *readNumber(IRBuilderBase &builder, Intrinsic::ID name,
                         uint32_t count) {
  CallInst *number = builder.CreateIntrinsic(name, {});
  number->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, count)));
  return builder.CreateZExt(number, builder.getInt64Ty(), "",
                            /*IsNonNeg=*/true);
}

Value *NvptxOps::getThread(IRBuilderBase &builder) {
  return readNumber(builder, Intrinsic::nvvm_read_ptx_sreg_tid_x, threads);
}

Value *NvptxOps::getBlock(IRBuilderBase &builder) {
  // A launch has at most 2^31 - 1 blocks.
  return readNumber(builder, Intrinsic::nvvm_read_ptx_sreg_ctaid_x, 0x7fffffff);
}

Value *NvptxOps::getShared(IRBuilderBase &builder) {
  Module &module = *builder.GetInsertBlock()->getModule();
  constexpr StringLiteral name = "weir_shared";
  if (Value *known = module.getNamedValue(name))
    return known;
  auto *memory = new GlobalVariable(
      module, ArrayType::get(builder.getInt8Ty(), 0), /*isConstant=*/false,
      GlobalValue::ExternalLinkage, /*Initializer=*/nullptr, name,
      /*InsertBefore=*/nullptr, GlobalValue::NotThreadLocal, sharedSpace);
  memory->setAlignment(Align(sharedAlignment));
  return memory;
}

void NvptxOps::emitBarrier(IRBuilderBase &builder) {
  builder.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                          {builder.getInt32(0)});
}

/// The instruction exchanges 32 bits, so 64 bits need two instructions.
Value *NvptxOps::emitShuffle(IRBuilderBase &builder, Value *value,
                             Value *mask) {
  auto exchange = [&](Value *bits) -> Value * {
    return builder.CreateIntrinsic(
        Intrinsic::nvvm_shfl_sync_bfly_i32,
        {builder.getInt32(~0u), bits, mask, builder.getInt32(31)});
  };
  Type *type = value->getType(), *word = builder.getInt32Ty();
  if (type->getScalarSizeInBits() <= 32)
    return builder.CreateTrunc(exchange(builder.CreateZExt(value, word)), type);
  Value *low = exchange(builder.CreateTrunc(value, word));
  Value *high =
      exchange(builder.CreateTrunc(builder.CreateLShr(value, 32), word));
  return builder.CreateOr(
      builder.CreateZExt(low, type),
      builder.CreateShl(builder.CreateZExt(high, type), 32));
}

//===----------------------------------------------------------------------===//
// Emulation
//===----------------------------------------------------------------------===//

static Value *getContext(IRBuilderBase &builder) {
  Function *function = builder.GetInsertBlock()->getParent();
  return function->getArg(static_cast<unsigned>(function->arg_size() - 1));
}

static Value *loadField(IRBuilderBase &builder, Type *type, size_t offset) {
  return builder.CreateLoad(
      type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                               getContext(builder), offset));
}

Value *EmulatedOps::getThread(IRBuilderBase &builder) {
  return loadField(builder, builder.getInt64Ty(),
                   offsetof(EmulatedThread, thread));
}

Value *EmulatedOps::getBlock(IRBuilderBase &builder) {
  return loadField(builder, builder.getInt64Ty(),
                   offsetof(EmulatedThread, block));
}

Value *EmulatedOps::getShared(IRBuilderBase &builder) {
  return loadField(builder, builder.getPtrTy(),
                   offsetof(EmulatedThread, shared));
}

/// Calls the function of the thread whose address is at `offset`. LLVM must not
/// merge calls from different places.
static CallInst *callThread(IRBuilderBase &builder, FunctionType *type,
                            size_t offset, ArrayRef<Value *> operands) {
  CallInst *call = builder.CreateCall(
      type, loadField(builder, builder.getPtrTy(), offset), operands);
  call->setConvergent();
  call->addFnAttr(Attribute::NoMerge);
  return call;
}

void EmulatedOps::emitBarrier(IRBuilderBase &builder) {
  Type *pointer = builder.getPtrTy();
  auto *type = FunctionType::get(builder.getVoidTy(), {pointer}, false);
  callThread(builder, type, offsetof(EmulatedThread, barrier),
             {getContext(builder)});
}

Value *EmulatedOps::emitShuffle(IRBuilderBase &builder, Value *value,
                                Value *mask) {
  Type *pointer = builder.getPtrTy(), *word = builder.getInt64Ty();
  auto *type = FunctionType::get(word, {pointer, word, word}, false);
  Value *other =
      callThread(builder, type, offsetof(EmulatedThread, shuffle),
                 {getContext(builder), builder.CreateZExt(value, word),
                  builder.CreateZExt(mask, word)});
  return builder.CreateTrunc(other, value->getType());
}
