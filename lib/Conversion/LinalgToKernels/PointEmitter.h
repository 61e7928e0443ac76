//===- PointEmitter.h - Emits the value of a tensor at a point --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A point is one element, or the adjacent elements of a vector. Tensors without
// a home are evaluated where they are read.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_POINTEMITTER_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_POINTEMITTER_H

#include "KernelPlan.h"
#include "LaneMemory.h"

namespace weir::kernels {

class PointEmitter {
public:
  PointEmitter(KernelPlan &plan, mlir::OpBuilder &builder,
               mlir::Location location)
      : plan(plan), code(plan.symbols, builder, location), lanes(code),
        memory(code, lanes) {}

  const KernelPlan &plan;
  CodeLevels code;
  LaneEmitter lanes;
  LaneMemory memory;

  /// Sets the memory of the home of `tensor`, a one-dimensional buffer.
  void setBuffer(mlir::Value tensor, mlir::Value buffer) {
    buffers[tensor] = buffer;
  }
  /// The place of an element of a tensor that is in memory.
  Place getPlace(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at) const;

  /// The value of `tensor` at `at`: a scalar if all lanes are equal, else a
  /// vector.
  mlir::Value read(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                   const Mask &mask = {});
  /// Like `read`, but computes the value even if the tensor is in memory.
  mlir::Value compute(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                      const Mask &mask = {});
  /// The value of the source of `assignment` at `at`.
  mlir::Value evaluate(const Assignment &assignment,
                       llvm::ArrayRef<LinearIndex> at, const Mask &mask = {});
  /// The value that the body of `op` yields at `loops`. `running` is the
  /// running value; if it is null, the running value is read. Sets `next` to
  /// the next running value.
  mlir::Value computeBody(mlir::linalg::GenericOp op,
                          llvm::ArrayRef<LinearIndex> loops, const Mask &mask,
                          mlir::Value running = {},
                          mlir::Value *next = nullptr);
  mlir::Value load(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
                   const Mask &mask);
  /// Stores a scalar or vector to the home of `tensor`.
  void store(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
             mlir::Value value, const Mask &mask) {
    memory.store(getPlace(tensor, at), value, mask);
  }
  /// Records that the element of `tensor` at `at` is `value`, so that it is
  /// never loaded.
  void keep(mlir::Value tensor, llvm::ArrayRef<LinearIndex> at,
            mlir::Value value);

private:
  mlir::Value readPadded(mlir::tensor::PadOp op, llvm::ArrayRef<LinearIndex> at,
                         const Mask &mask);
  mlir::Value readInserted(mlir::tensor::InsertSliceOp op,
                           llvm::ArrayRef<LinearIndex> at, const Mask &mask);
  /// A new copy of a constant of the cluster.
  mlir::Value copyConstant(mlir::Value value);
  mlir::Value readConstant(mlir::Operation *op);
  /// Reads `tensor` if all `guards` hold. If not, the value has no meaning.
  /// Sets `inside` to the condition that all guards hold.
  mlir::Value readGuarded(mlir::Value tensor, Indices at,
                          llvm::ArrayRef<Guard> guards, Mask mask,
                          mlir::Value &inside);
  mlir::Value emitBodyOp(mlir::Operation &op,
                         llvm::DenseMap<mlir::Value, mlir::Value> &values);
  mlir::Value emitExtract(mlir::tensor::ExtractOp op,
                          llvm::ArrayRef<LinearIndex> loops,
                          llvm::DenseMap<mlir::Value, mlir::Value> &values,
                          const Mask &mask);

  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  /// The values that `keep` has recorded, by home and address.
  llvm::DenseMap<mlir::Value,
                 llvm::SmallVector<std::pair<LinearIndex, mlir::Value>>>
      kept;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_POINTEMITTER_H
