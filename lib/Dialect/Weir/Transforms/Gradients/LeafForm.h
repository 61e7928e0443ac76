//===- LeafForm.h - Leaves that are not ops yet -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_LEAFFORM_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_LEAFFORM_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Support/ScalarAlgebra.h"

#include <string>
#include <vector>

namespace weir {

/// What a leaf computes: the gradient of a leaf before an op is chosen for it.
struct LeafForm {
  /// The iteration space, with names that the text of a fixed spec allows.
  BoundSpec spec;
  /// The operands of `spec`.
  llvm::SmallVector<mlir::Value> operands;
  /// The expression of these operands.
  std::string expression;
  Combiner combiner = Combiner::None;
  /// The element type of the result.
  mlir::Type elementType;
};

/// The spec of `op`, whose loops have names that the text of a fixed spec
/// allows.
BoundSpec getNamedSpec(WeirOpInterface op);

/// A registered op whose record describes it as a leaf.
struct LeafRecord {
  llvm::StringRef name;
  const OpRecord *record;
};

/// The leaves of the dialect, in the order of their names.
std::vector<LeafRecord> listLeaves(mlir::MLIRContext *context);

/// Creates ops in the place of a gradient: with the name, the device and the
/// stage of the op that is differentiated.
class GradientBuilder {
public:
  /// Ops are created at the insertion point of `builder`.
  GradientBuilder(mlir::OpBuilder &builder, mlir::Location location,
                  mlir::Operation *original, llvm::ArrayRef<LeafRecord> leaves)
      : builder(builder), location(location), original(original),
        leaves(leaves) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  /// The leaves that gradients may become.
  llvm::ArrayRef<LeafRecord> getLeaves() const { return leaves; }
  mlir::Location getLocation() const { return location; }

  template <typename OpTy>
  mlir::Value make(mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return create(OpTy::getOperationName(), operands, attributes);
  }
  /// The result of the op `name`.
  mlir::Value create(llvm::StringRef name, mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// The same, or null if the op does not take these operands or its result is
  /// not of type `expected`. If that is null, any type is expected.
  mlir::Value tryCreate(llvm::StringRef name, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes,
                        mlir::Type expected);

  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> order);
  mlir::Value expand(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value pad(mlir::Value x, llvm::ArrayRef<int64_t> pads);
  /// A `leaf`; null if it does not take the operands.
  mlir::Value leaf(mlir::ValueRange operands, llvm::StringRef spec,
                   llvm::StringRef expression, Combiner combiner,
                   mlir::Type type);
  /// A tensor of zeros.
  mlir::Value zeros(mlir::RankedTensorType type);
  mlir::NamedAttribute ints(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);

private:
  /// `made` with the annotations of the original.
  mlir::Value annotated(mlir::Value made);

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Operation *original;
  llvm::ArrayRef<LeafRecord> leaves;
};

/// The first operand that is what operand `number` of a leaf is: the same
/// value, read at the same indices. A derivative for it counts for all of them.
unsigned findFirstAlike(WeirOpInterface op, unsigned number,
                        const BoundSpec &spec);

/// The derivative of leaf `op` for operand `number`, times `gradient`, that of
/// the result; null if it is zero. Fails if the formula is too long for a leaf.
/// The leaf's combiner is `None` or `Sum`, and no index of the operand is
/// indirect.
mlir::FailureOr<std::optional<LeafForm>>
differentiateLeaf(WeirOpInterface op, unsigned number, mlir::Value gradient);

/// Whether the gradient of the first result of `op` reaches `operand`: it does
/// not through rounding and comparisons. Builds ops behind `op`.
bool passesGradient(WeirOpInterface op, mlir::Value operand);

/// Builds ops that compute `form`. If it is what some record describes, an op
/// of that record is built, on operands whose dims are permuted, split and
/// merged as needed; otherwise a `leaf`. Null if no leaf takes the form,
/// because points leave an operand and nothing that stands there would have no
/// effect.
mlir::Value buildForm(GradientBuilder &builder, LeafForm form);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_LEAFFORM_H
