//===- KernelTranslator.h - Kernel functions as LLVM IR ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Translates loops over vectors to LLVM IR in one walk. The LLVM dialect would
// need a conversion for each dialect of a kernel, and then a translation. It
// would also describe each buffer by sizes and strides. Kernels compute
// addresses themselves, so a buffer is a pointer here.
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

/// The differences between the machines that kernels are translated for.
class MachineOps {
public:
  virtual ~MachineOps() = default;
  /// The address space of buffers and constants.
  virtual unsigned getBufferSpace() const { return 0; }
  /// The alignment of constants.
  virtual llvm::MaybeAlign getConstantAlignment() const { return {}; }
  /// Whether others access the buffers while a function runs, as other threads
  /// of a GPU do.
  virtual bool sharesBuffers() const { return false; }
  /// Sets `results` to the translation of an op that not every machine has.
  /// Returns false if this machine lacks it, too.
  virtual bool translate(llvm::IRBuilderBase &, mlir::Operation &,
                         llvm::ArrayRef<llvm::Value *> /*operands*/,
                         llvm::SmallVectorImpl<llvm::Value *> & /*results*/) {
    return false;
  }
};

class KernelTranslator {
public:
  /// Adds functions to `code`, whose data layout is set.
  KernelTranslator(llvm::Module &code, MachineOps &machine)
      : code(code), machine(machine), builder(code.getContext()) {}

  /// Adds `kernel`, and the constants of its module that it reads. Buffers
  /// become pointers, an index an i64. It contains no math ops that LLVM would
  /// lower to calls (LowerMath.h).
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

  /// The address of an element of `buffer`, or of its first one.
  llvm::Value *addressOf(mlir::Value buffer, mlir::ValueRange indices);
  llvm::Align alignmentOf(mlir::Value buffer);
  /// The alignment of a vector of `buffer`: `stated`, if it is given.
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
