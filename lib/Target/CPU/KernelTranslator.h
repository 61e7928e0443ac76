//===- KernelTranslator.h - Kernel functions as LLVM IR ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Translates loops over vectors to LLVM IR in one pass over the ops. The LLVM
// dialect would need a conversion for each dialect of a kernel, and then a
// translation. It would also describe each buffer by sizes and strides. Kernels
// compute addresses themselves, so a pointer is enough.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_KERNELTRANSLATOR_H
#define WEIR_LIB_TARGET_CPU_KERNELTRANSLATOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace weir {

/// What differs between the machines for which kernels are translated.
class MachineOps {
public:
  virtual ~MachineOps() = default;
  /// The address space of buffers and constants.
  virtual unsigned getBufferSpace() const { return 0; }
  /// The alignment of constants.
  virtual llvm::MaybeAlign getConstantAlignment() const { return {}; }
  /// Whether other threads access the buffers while a function runs, as on a
  /// GPU.
  virtual bool sharesBuffers() const { return false; }
  /// Translates an op that only some machines have, and sets `results` to its
  /// results. Returns false if this machine lacks the op.
  virtual bool translate(llvm::IRBuilderBase &, mlir::Operation &,
                         llvm::ArrayRef<llvm::Value *> /*operands*/,
                         llvm::SmallVectorImpl<llvm::Value *> & /*results*/) {
    return false;
  }
};

class KernelTranslator {
public:
  /// Adds functions to `code`. The data layout of `code` must be set.
  KernelTranslator(llvm::Module &code, MachineOps &machine)
      : code(code), machine(machine), builder(code.getContext()) {}

  /// Adds `kernel`, and the constants of its module that it reads. A buffer
  /// becomes a pointer, and an index an i64. The kernel must not contain math
  /// ops that LLVM would lower to calls (LowerMath.h).
  mlir::LogicalResult translate(mlir::func::FuncOp kernel);

private:
  using Values = llvm::SmallVector<llvm::Value *>;

  llvm::Value *get(mlir::Value value) const { return values.lookup(value); }
  Values getAll(mlir::ValueRange list) const;
  void setAll(mlir::ValueRange list, llvm::ArrayRef<llvm::Value *> translated);
  llvm::Type *toLLVM(mlir::Type type);

  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation &op);

  mlir::LogicalResult emitFor(mlir::scf::ForOp loop);
  mlir::LogicalResult emitTurns(mlir::scf::ForOp loop, bool isEntered);
  mlir::LogicalResult emitIf(mlir::scf::IfOp branch);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp loop);
  llvm::BasicBlock *makeBlock();
  void begin(llvm::BasicBlock *block);
  Values makePhis(llvm::ArrayRef<llvm::Value *> given, llvm::BasicBlock *from);

  /// The address of the element of `buffer` at `indices`. Without indices, the
  /// address of its first element.
  llvm::Value *addressOf(mlir::Value buffer, mlir::ValueRange indices);
  llvm::Align alignmentOf(mlir::Value buffer);
  /// The alignment of a vector in `buffer`. It is `stated` if that is given.
  llvm::Align alignmentOf(mlir::Value buffer, std::optional<uint64_t> stated);
  llvm::Value *emit(mlir::memref::GetGlobalOp op);
  llvm::Value *emit(mlir::memref::LoadOp op);
  llvm::Value *emit(mlir::memref::ReinterpretCastOp op);
  llvm::Value *emit(mlir::memref::ViewOp op);
  void emitStore(mlir::memref::StoreOp op);

  llvm::Value *emit(mlir::vector::BroadcastOp op);
  llvm::Value *emit(mlir::vector::ConstantMaskOp op);
  llvm::Value *emit(mlir::vector::CreateMaskOp op);
  llvm::Value *emit(mlir::vector::ExtractOp op);
  llvm::Value *emit(mlir::vector::GatherOp op);
  llvm::Value *emit(mlir::vector::LoadOp op);
  llvm::Value *emit(mlir::vector::MaskedLoadOp op);
  llvm::Value *emit(mlir::vector::ReductionOp op);
  llvm::Value *emit(mlir::vector::ShuffleOp op);
  void emitStore(mlir::vector::MaskedStoreOp op);
  void emitStore(mlir::vector::ScatterOp op);
  void emitStore(mlir::vector::StoreOp op);

  llvm::Module &code;
  MachineOps &machine;
  llvm::IRBuilder<> builder;
  llvm::Function *function = nullptr;
  llvm::DenseMap<mlir::Value, llvm::Value *> values;
};

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_KERNELTRANSLATOR_H
