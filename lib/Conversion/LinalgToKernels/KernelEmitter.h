//===- KernelEmitter.h - Emits the function of one phase --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_KERNELEMITTER_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_KERNELEMITTER_H

#include "Overwrites.h"
#include "PointEmitter.h"

#include "weir/Conversion/LinalgToKernels.h"

namespace weir::kernels {

/// The alignment in bytes of each part of scratch.
inline constexpr int64_t scratchAlignment = 64;

/// The type of an element of `tensor` in memory.
mlir::Type getMemoryElement(mlir::Value tensor);

/// A cluster, and the types of the memory that it is called with.
struct ClusterMemory {
  mlir::func::FuncOp tensors;
  llvm::ArrayRef<mlir::MemRefType> operands, results;
};

/// Emits the function of one phase. Each target adds its scratch and divides
/// the nests in its own way.
class KernelEmitter {
public:
  KernelEmitter(ClusterMemory memory, KernelPlan &plan, int phase)
      : memory(memory), plan(plan), phase(phase), builder(memory.tensors),
        point(plan, builder, memory.tensors.getLoc()), code(point.code) {}
  virtual ~KernelEmitter() = default;

  mlir::FailureOr<KernelFunction> emit(const Overwritten &overwritten);

protected:
  /// Adds the types of the arguments that follow the buffers.
  virtual void addScratch(llvm::SmallVectorImpl<mlir::Type> &types) = 0;
  /// The memory of `tensor`, whose home is scratch; null if another phase
  /// writes it.
  virtual mlir::Value makeScratch(mlir::Value tensor, const Home &home) = 0;
  /// Emits all nests, and describes the function.
  virtual void emitBody() = 0;
  void describe(llvm::StringRef name, int64_t value);

private:
  void addArguments();
  mlir::MemRefType getBufferType(mlir::Value tensor, const Home &home) const;
  void makeBuffers();
  mlir::Value makeConstant(mlir::arith::ConstantOp constant, const Home &home);
  mlir::Value makeFlat(mlir::Value memory, const Home &home);
  void dropUnread();
  int64_t findOverwriter(const ClusterBuffer &read,
                         const Overwritten &overwritten);
  void describeOverwrites(const Overwritten &overwritten);

protected:
  ClusterMemory memory;
  KernelPlan &plan;
  int phase;
  mlir::OpBuilder builder;
  PointEmitter point;
  CodeLevels &code;
  KernelFunction kernel;

private:
  /// The argument that is the memory of a home.
  llvm::DenseMap<mlir::Value, unsigned> arguments;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_KERNELEMITTER_H
