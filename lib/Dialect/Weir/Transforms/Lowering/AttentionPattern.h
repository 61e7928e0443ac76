//===- AttentionPattern.h - Recognises attention ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Exporters write attention as a product of queries and keys, a factor, a mask,
// a softmax, and a product with values. The ops are in groups, so values are
// followed through the arguments and results of groups.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_ATTENTIONPATTERN_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_ATTENTIONPATTERN_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

#include <optional>
#include <string>

namespace weir {

/// Which scores are masked because their key comes after the query.
enum class CausalMask {
  None,
  /// Query i sees the keys 0 to i.
  TopLeft,
  /// The last query sees all keys, and each earlier query sees one key less.
  BottomRight,
};

struct Attention {
  /// The product of queries and transposed keys.
  WeirOpInterface scores;
  /// The ops between the two products, up to the softmax and its casts, the
  /// last one first.
  llvm::SmallVector<WeirOpInterface> between;
  WeirOpInterface softmax;
  /// The product with the values, which are its second operand.
  WeirOpInterface product;
  /// The factor of the scores.
  double scale = 1;
  /// The value that is added to the scaled scores, or null. The value may be
  /// inside of a group.
  mlir::Value bias;
  CausalMask causal = CausalMask::None;
  /// The op that chooses between scores and a low number; null if there is none
  /// or if `causal` expresses it.
  WeirOpInterface choice;
  /// The condition of this choice, which may be inside of a group.
  mlir::Value condition;
  /// The number of the operand of `choice` that holds the scores. The other
  /// operand is the low number.
  unsigned chosen = 0;
  /// The reason why one kernel cannot compute the whole attention; empty if
  /// none is known.
  std::string refusal;
};

/// The attention that ends with `product`, or nothing. All of its ops are in
/// groups of one device.
std::optional<Attention> findAttention(WeirOpInterface product);

/// The description of a tensor by another one: the dims of the other tensor in
/// another order, times a factor.
struct ScaledTranspose {
  mlir::Value base;
  /// Dim i of the tensor is dim `order[i]` of the base.
  llvm::SmallVector<int64_t> order;
  double scale = 1;
  /// The groups that compute the tensor from its base, the last one first.
  llvm::SmallVector<GroupOp> groups;
};

/// Describes `value`, an operand of a group, by an earlier tensor of the same
/// element type. Looks through groups that do nothing but cast, scale and
/// transpose.
ScaledTranspose findScaledTranspose(mlir::Value value);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_ATTENTIONPATTERN_H
