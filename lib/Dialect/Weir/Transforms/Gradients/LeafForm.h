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

/// The description of a leaf for which no op is chosen yet. The gradient of a
/// leaf has this form.
struct LeafForm {
  /// The iteration space. Its loops have names that are valid in an index spec
  /// with fixed sizes.
  BoundSpec spec;
  /// The operands of `spec`.
  llvm::SmallVector<mlir::Value> operands;
  /// The expression of these operands.
  std::string expression;
  Combiner combiner = Combiner::None;
  /// The element type of the result.
  mlir::Type elementType;
};

/// The spec of `op`. Its loops have names that are valid in an index spec with
/// fixed sizes.
BoundSpec getNamedSpec(WeirOpInterface op);

/// A registered op whose record describes it as a leaf.
struct LeafRecord {
  llvm::StringRef name;
  const OpRecord *record;
};

/// The leaves of the dialect, in the order of their names.
std::vector<LeafRecord> listLeaves(mlir::MLIRContext *context);

/// Creates the ops of a gradient. The ops get a name, the device and the stage
/// from the op that is differentiated.
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
  /// Creates the op `name`, and returns its result.
  mlir::Value create(llvm::StringRef name, mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// Does the same as `create`. Returns null if the op does not take these
  /// operands, or if its result does not have the type `expected`. A null
  /// `expected` accepts any type.
  mlir::Value tryCreate(llvm::StringRef name, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes,
                        mlir::Type expected);

  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> order);
  mlir::Value expand(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value pad(mlir::Value x, llvm::ArrayRef<int64_t> pads);
  /// Creates a `leaf`. Returns null if it does not take the operands.
  mlir::Value leaf(mlir::ValueRange operands, llvm::StringRef spec,
                   llvm::StringRef expression, Combiner combiner,
                   mlir::Type type);
  /// A tensor of zeros.
  mlir::Value zeros(mlir::RankedTensorType type);
  mlir::NamedAttribute ints(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);

private:
  /// Gives `made` the annotations of the original op.
  mlir::Value annotated(mlir::Value made);

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Operation *original;
  llvm::ArrayRef<LeafRecord> leaves;
};

/// The first operand of a leaf that is the same value as operand `number` and
/// is read at the same indices. The derivative for this first operand includes
/// all such operands.
unsigned findFirstAlike(WeirOpInterface op, unsigned number,
                        const BoundSpec &spec);

/// The derivative of the leaf `op` for operand `number`, times `gradient`, the
/// gradient of the result; null if the derivative is zero. Fails if the formula
/// is too long for a leaf. The combiner of `op` is `None` or `Sum`, and no
/// index of the operand is indirect.
mlir::FailureOr<std::optional<LeafForm>>
differentiateLeaf(WeirOpInterface op, unsigned number, mlir::Value gradient);

/// Whether the gradient of the first result of `op` reaches `operand`. Rounding
/// and comparisons pass no gradient. Builds ops after `op` to find out.
bool passesGradient(WeirOpInterface op, mlir::Value operand);

/// Builds ops that compute `form`. If a record describes the form, builds an op
/// of that record, on operands whose dims are permuted, split and merged as
/// needed. Otherwise builds a `leaf`. Returns null if no leaf can compute the
/// form. This happens if points leave an operand, and any padding value would
/// change the result.
mlir::Value buildForm(GradientBuilder &builder, LeafForm form);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_LEAFFORM_H
