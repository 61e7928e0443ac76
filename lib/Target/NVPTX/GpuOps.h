//===- GpuOps.h - What threads of a GPU do, as LLVM IR ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Translates the ops of the gpu dialect in kernel functions: the numbers of the
// thread and of its block, barriers, shuffles and shared memory. There are two
// machines: a GPU, and a CPU that emulates one.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_NVPTX_GPUOPS_H
#define WEIR_LIB_TARGET_NVPTX_GPUOPS_H

#include "../CPU/KernelTranslator.h"
#include "weir/Artifact/GpuCode.h"

namespace weir {

/// The operations that differ between the two machines.
class ThreadOps : public MachineOps {
public:
  /// Constants have the alignment of buffers, so that vectors in them have it,
  /// too.
  llvm::MaybeAlign getConstantAlignment() const override {
    return llvm::Align(artifact::gpuBufferAlignment);
  }
  bool translate(llvm::IRBuilderBase &builder, mlir::Operation &op,
                 llvm::ArrayRef<llvm::Value *> operands,
                 llvm::SmallVectorImpl<llvm::Value *> &results) override;

protected:
  /// The number of the thread, as an i64. `getBlock` returns the number of its
  /// block.
  virtual llvm::Value *getThread(llvm::IRBuilderBase &builder) = 0;
  virtual llvm::Value *getBlock(llvm::IRBuilderBase &builder) = 0;
  virtual llvm::Value *getShared(llvm::IRBuilderBase &builder) = 0;
  virtual void emitBarrier(llvm::IRBuilderBase &builder) = 0;
  /// `value` is an integer of at most 64 bits, and `mask` an i32.
  virtual llvm::Value *emitShuffle(llvm::IRBuilderBase &builder,
                                   llvm::Value *value, llvm::Value *mask) = 0;
};

/// Instructions of NVIDIA's GPUs.
class NvptxOps final : public ThreadOps {
public:
  /// Sets the number of threads of a block.
  void setThreads(uint32_t count) { threads = count; }
  unsigned getBufferSpace() const override { return 1; }

private:
  llvm::Value *getThread(llvm::IRBuilderBase &builder) override;
  llvm::Value *getBlock(llvm::IRBuilderBase &builder) override;
  llvm::Value *getShared(llvm::IRBuilderBase &builder) override;
  void emitBarrier(llvm::IRBuilderBase &builder) override;
  llvm::Value *emitShuffle(llvm::IRBuilderBase &builder, llvm::Value *value,
                           llvm::Value *mask) override;

  uint32_t threads = 1;
};

/// Calls of the functions of an EmulatedThread. The last argument of the kernel
/// function points to it.
class EmulatedOps final : public ThreadOps {
public:
  bool sharesBuffers() const override { return true; }

private:
  llvm::Value *getThread(llvm::IRBuilderBase &builder) override;
  llvm::Value *getBlock(llvm::IRBuilderBase &builder) override;
  llvm::Value *getShared(llvm::IRBuilderBase &builder) override;
  void emitBarrier(llvm::IRBuilderBase &builder) override;
  llvm::Value *emitShuffle(llvm::IRBuilderBase &builder, llvm::Value *value,
                           llvm::Value *mask) override;
};

} // namespace weir

#endif // WEIR_LIB_TARGET_NVPTX_GPUOPS_H
