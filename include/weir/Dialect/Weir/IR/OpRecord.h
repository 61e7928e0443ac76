//===- OpRecord.h - What an op's TableGen record says of it -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPRECORD_H
#define WEIR_DIALECT_WEIR_IR_OPRECORD_H

#include "weir/Support/IndexSpec.h"
#include "weir/Support/ScalarExpr.h"
#include "weir/Support/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weir {

/// How the points of the iteration space that meet in one result element are
/// combined. None: they do not meet.
enum class Combiner { None, Sum, Product, Maximum, Minimum };

/// The spelling in kernel attributes: "none", "sum", ...
llvm::StringRef toString(Combiner combiner);

/// What an op asks of the layouts of its operands and result.
enum class LayoutRole {
  /// Everything is row-major.
  RowMajor,
  /// The result, and operands of its shape, have operand 0's layout.
  Follow,
  /// As Follow, and operand 0 is best channels-last.
  ChannelsLast,
};

/// In which precision an op that computes with f32 is computed where bf16 is
/// asked for (docs/precision.md).
enum class PrecisionRole {
  /// In f32.
  Wide,
  /// In bf16, with sums in f32: what such instructions make faster.
  Narrow,
  /// In bf16 between ops that are, in f32 elsewhere. It loses no more than the
  /// rounding of its result.
  Follow,
  /// As Follow, but it magnifies what its operand has lost: it takes an operand
  /// in f32 where that costs no copy.
  Sensitive,
};

/// A library kernel that serves an op.
struct KernelRow {
  /// The device kind.
  std::string device;
  std::string kernel;
  /// The element types of operand 0 that the kernel takes.
  std::vector<std::string> types;
  /// "name=value" for each parameter the kernel gets beside the attributes.
  std::vector<std::string> params;
  /// Whether the kernel takes epilogues along.
  bool acceptsPostOps;
};

/// A strided copy of a part of operand `operand` to a part of result `result`.
/// Offsets and strides are in elements.
struct ElementCopy {
  int64_t operand = 0;
  int64_t result = 0;
  llvm::SmallVector<int64_t> dims;
  int64_t fromOffset = 0;
  llvm::SmallVector<int64_t> fromStrides;
  int64_t toOffset = 0;
  llvm::SmallVector<int64_t> toStrides;
};

/// Whether `name` is an attribute that every op has to say where it runs, as
/// opposed to what it computes.
inline bool isPlacementAttr(llvm::StringRef name) {
  return name == "device" || name == "stage";
}

/// The parsed record of an op. Made once per op; a malformed record is a bug in
/// Weir and stops the program.
class OpRecord {
public:
  struct Fields {
    llvm::StringRef mnemonic, indexSpec, typeSpec, expression;
    Combiner combiner;
    llvm::StringRef fill;
    LayoutRole layout;
    PrecisionRole precision;
    std::vector<KernelRow> kernels;
    bool isComposite;
    bool isInternal;
  };
  explicit OpRecord(Fields fields);

  llvm::StringRef getMnemonic() const { return fields.mnemonic; }
  const IndexSpec &getIndexSpec() const { return *indexSpec; }
  /// What the type spec says of operand `index`, and of the result.
  llvm::StringRef getOperandType(size_t index) const;
  llvm::StringRef getResultType() const;
  /// The scalar expression; null unless a leaf.
  const ScalarExpr *getExpression() const {
    return expression ? &*expression : nullptr;
  }
  llvm::StringRef getExpressionText() const { return fields.expression; }
  Combiner getCombiner() const { return fields.combiner; }
  llvm::StringRef getFill() const { return fields.fill; }
  LayoutRole getLayoutRole() const { return fields.layout; }
  PrecisionRole getPrecisionRole() const { return fields.precision; }
  llvm::ArrayRef<KernelRow> getKernels() const { return fields.kernels; }

  /// Whether the op's meaning is a body of simpler ops.
  bool isComposite() const { return fields.isComposite; }
  /// Whether only passes make the op.
  bool isInternal() const { return fields.isInternal; }
  /// Whether each result element is one operand element, perhaps of another
  /// type, and which one shapes and attributes tell.
  bool movesElements() const {
    return fields.expression == "a" && fields.combiner == Combiner::None &&
           !indexSpec->hasIndirectDims();
  }
  /// Whether the op is one scalar expression over an iteration space.
  bool isLeaf() const { return expression.has_value(); }
  /// Whether each result element depends on the operands' elements at the same
  /// place alone.
  bool isPointwise() const { return pointwise; }

  /// The row for device kind `kind` and operand-0 element type `type`, or null.
  const KernelRow *findKernel(llvm::StringRef kind, llvm::StringRef type) const;

private:
  Fields fields;
  std::optional<IndexSpec> indexSpec;
  std::optional<ScalarExpr> expression;
  bool pointwise = false;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_OPRECORD_H
