//===- OpRecord.h - The contents of an op's TableGen record -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPRECORD_H
#define WEIR_DIALECT_WEIR_IR_OPRECORD_H

#include "weir/Support/IndexCheckAttrs.h"
#include "weir/Support/IndexSpec.h"
#include "weir/Support/KernelRow.h"
#include "weir/Support/ScalarExpr.h"
#include "weir/Support/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weir {

/// How values are combined if several points of the iteration space contribute
/// to one result element. None: only one point contributes to each element.
enum class Combiner { None, Sum, Product, Maximum, Minimum };

/// The spelling in kernel attributes: "none", "sum", ...
llvm::StringRef toString(Combiner combiner);

/// What an op requires of the layouts of its operands and result.
enum class LayoutRole {
  /// Everything is row-major.
  RowMajor,
  /// The result, and operands of its shape, have operand 0's layout.
  Follow,
  /// Like Follow, and channels-last is best for operand 0.
  ChannelsLast,
  /// Operands have any layout; the result is row-major.
  Free,
};

/// The precision of an op on f32 when bf16 is requested (docs/precision.md).
enum class PrecisionRole {
  /// f32.
  Wide,
  /// bf16 with sums in f32, because bf16 instructions make the op faster.
  Narrow,
  /// bf16 if its neighbours are in bf16, otherwise f32. The op loses no more
  /// than the rounding of its result.
  Follow,
  /// Like Follow, but the op magnifies the rounding error of its operand. So it
  /// takes an operand in f32 if that costs no copy.
  Sensitive,
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

/// An operand whose values are indices along dims.
struct IndexOperand {
  unsigned number;
  /// The size of the dim, or one size for each element of the operand's last
  /// dim. Every value must be in [-size, size).
  llvm::SmallVector<int64_t> sizes;
  /// The label that is ignored. It is set if the values are labels. A label
  /// must be this label or in [0, size).
  std::optional<int64_t> ignored = std::nullopt;

  /// The range of the elements at `position` in the last dim.
  IndexRange rangeAt(size_t position, bool isUnsigned) const {
    return {sizes[position % sizes.size()], isUnsigned, ignored};
  }
};

/// Whether `name` is one of the attributes that say where an op runs, not what
/// it computes. Every op has them.
inline bool isPlacementAttr(llvm::StringRef name) {
  return name == "device" || name == "stage";
}

/// The parsed record of an op, created once per op. A malformed record is a bug
/// in Weir and ends the program.
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
    bool isRelayout;
    llvm::StringRef applies;
    std::vector<std::string> operandNames;
    std::vector<std::string> otherNames;
  };
  explicit OpRecord(Fields fields);

  llvm::StringRef getMnemonic() const { return fields.mnemonic; }
  llvm::StringRef getTypeSpec() const { return fields.typeSpec; }
  /// Whether an index spec describes the shapes of the op and, if it is a leaf,
  /// which elements it reads. An op without one infers its shapes itself. Its
  /// body, its copies or `isReinterpretation` then say what it reads.
  bool hasIndexSpec() const { return indexSpec.has_value(); }
  const IndexSpec &getIndexSpec() const {
    assert(indexSpec && "no index spec describes this op");
    return *indexSpec;
  }
  /// The part of the type spec for operand `index`, and for result `index`.
  llvm::StringRef getOperandType(size_t index) const;
  llvm::StringRef getResultType(size_t index = 0) const;
  /// The scalar expression; null unless the op is a leaf.
  const ScalarExpr *getExpression() const {
    return expression ? &*expression : nullptr;
  }
  llvm::StringRef getExpressionText() const { return fields.expression; }
  Combiner getCombiner() const { return fields.combiner; }
  llvm::StringRef getFill() const { return fields.fill; }
  LayoutRole getLayoutRole() const { return fields.layout; }
  PrecisionRole getPrecisionRole() const { return fields.precision; }
  llvm::ArrayRef<KernelRow> getKernels() const { return fields.kernels; }

  /// The name of operand `index`. All operands of a variadic operand have its
  /// name.
  llvm::StringRef getOperandName(size_t index) const {
    return fields.operandNames.empty()
               ? llvm::StringRef()
               : fields.operandNames[std::min(index,
                                              fields.operandNames.size() - 1)];
  }

  /// Whether the op is defined by a body of simpler ops.
  bool isComposite() const { return fields.isComposite; }
  /// Whether passes insert this op to change a layout.
  bool isRelayout() const { return fields.isRelayout; }
  /// The op whose use on its own result is probably a mistake. This op is that
  /// op, or applies that op to operand 0 first. Empty if there is no such op.
  llvm::StringRef getAppliedOp() const { return fields.applies; }
  /// The names of the op in other systems.
  llvm::ArrayRef<std::string> getOtherNames() const {
    return fields.otherNames;
  }
  /// Whether each result element is a copy of one operand element, perhaps
  /// cast, whose position follows from shapes and attributes.
  bool movesElements() const {
    return fields.expression == "a" && fields.combiner == Combiner::None &&
           !indexSpec->getFixed() && !indexSpec->hasIndirectDims();
  }
  /// Whether the op is defined by one scalar expression over an iteration
  /// space.
  bool isLeaf() const { return expression.has_value(); }
  /// Whether each result element depends only on the operands' elements at the
  /// same position.
  bool isPointwise() const { return pointwise; }

private:
  Fields fields;
  std::optional<IndexSpec> indexSpec;
  std::optional<ScalarExpr> expression;
  bool pointwise = false;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_OPRECORD_H
