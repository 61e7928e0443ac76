//===- Handlers.h - Which ONNX ops Weir knows -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each family of ops has a file with its handlers and a table of rows. This
// header declares the functions that return the tables.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_HANDLERS_H
#define WEIR_LIB_IMPORT_ONNX_HANDLERS_H

#include "NodeBuilder.h"

#include <limits>

namespace weir::onnx {

/// Builds a node and returns its outputs.
using Handler = Results (*)(NodeBuilder &node);

/// A handler that imports `opType` in the opsets from `since` to `until`.
struct HandlerRow {
  std::string_view opType;
  int64_t since;
  Handler handler;
  int64_t until = std::numeric_limits<int64_t>::max();
};
using HandlerRows = llvm::ArrayRef<HandlerRow>;

/// The newest opset that the handlers support.
inline constexpr int64_t newestOpset = 28;
/// The oldest opset that the handlers support.
inline constexpr int64_t oldestOpset = 1;

HandlerRows attentionRows();
HandlerRows contractionRows();
HandlerRows convolutionRows();
HandlerRows elementwiseRows();
HandlerRows fourierRows();
HandlerRows generatorRows();
HandlerRows indexingRows();
HandlerRows knownValueRows();
HandlerRows normalizationRows();
HandlerRows paddingRows();
HandlerRows poolingRows();
HandlerRows quantizationRows();
HandlerRows randomRows();
HandlerRows recurrentRows();
HandlerRows reductionRows();
HandlerRows samplingRows();
HandlerRows sequenceRows();
HandlerRows shapeRows();

/// The handler of an op of the standard domain, or null.
Handler findHandler(std::string_view opType, int64_t opset);

/// Whether `domain` is the domain of the ops of the ONNX standard.
bool isStandard(std::string_view domain);

/// Whether an op of the standard domain has a handler at some opset.
bool hasHandler(std::string_view opType);

/// What to do about ops of `domain` that Weir does not have.
std::string_view repairUnsupported(std::string_view domain);

/// Describes the support of `opType`: "Softmax is supported from opset 13 on",
/// or "Weir has no Softmxa; did you mean 'Softmax'?". `opType` must not be in
/// `opsWithBodies`.
std::string describeSupport(std::string_view opType,
                            llvm::ArrayRef<std::string> opsWithBodies);

/// Imports a node as one weir op with the node's inputs as operands.
template <typename OpTy> Results importAs(NodeBuilder &node) {
  return {node.make<OpTy>(node.allInputs())};
}

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_HANDLERS_H
