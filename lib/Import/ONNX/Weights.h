//===- Weights.h - Converts initialisers to weir values ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_WEIGHTS_H
#define WEIR_LIB_IMPORT_ONNX_WEIGHTS_H

#include "Model.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Import/ONNX.h"
#include "weir/Support/Glob.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/MappedFile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <filesystem>

namespace weir::onnx {

/// Tensors that the plans of one model share.
struct DecodedTensors {
  /// The elements of those that are not stored as Weir stores them.
  llvm::DenseMap<const TensorProto *, mlir::ElementsAttr> elements;
  /// The values of inputs that are bound. Each file is read once, as standard
  /// input can be.
  llvm::StringMap<HostTensor> bound;
};

/// Turns initialisers into values. Small ones are constants. The bytes of large
/// ones stay in the model or in a file beside it, and a parameter records their
/// place.
///
/// Integers are constants while the graph is built, even large ones, because
/// shapes may be computed from them. `finish` turns the large ones that are
/// still used into parameters. It does so with small weights, too, if they are
/// to be trained or their gradients are wanted.
///
/// A model without weights among its initialisers has them in Constant nodes.
/// They are parameters if they are to be trained or replaced.
class Weights {
public:
  /// `file` is the mapped model at `path`. All must outlive this object.
  Weights(mlir::ModuleOp module, const std::string &path,
          const MappedFile &file, const ONNXImportOptions &options,
          DecodedTensors &decoded);

  /// Finds the weights in Constant nodes of `graph`. To be called before `add`.
  void findConstants(const Graph &graph);
  /// Whether `tensor`, of a Constant node, is a weight.
  bool isWeight(const TensorProto &tensor) const {
    return constantNames.contains(&tensor);
  }
  /// The value of `tensor`, with the name `name`.
  StatusOr<mlir::Value> add(const TensorProto &tensor, llvm::StringRef name,
                            mlir::OpBuilder &builder);
  bool areTrained() const { return options.forTraining; }
  /// How many runs there were before this one: a variable that counts them.
  mlir::Value getNumRuns(mlir::OpBuilder &builder);
  Status finish();

private:
  /// Bytes in a file whose path is relative to the model's folder.
  struct Place {
    std::string file;
    uint64_t offset;
    std::span<const std::byte> bytes;
  };
  StatusOr<std::optional<Place>> locate(const TensorProto &tensor);
  StatusOr<Place> locateExternal(const TensorProto &tensor);
  static StatusOr<HostTensor> decode(const TensorProto &tensor,
                                     const std::optional<Place> &place);
  StatusOr<const MappedFile *> openBeside(const std::string &location);
  StatusOr<mlir::Value> addParameter(const TensorProto &tensor,
                                     mlir::Location location,
                                     const std::optional<Place> &place,
                                     mlir::OpBuilder &builder);
  std::string makeSymbol(llvm::StringRef name);
  bool isDifferentiated(const TensorProto &tensor, ConstantOp constant);
  std::string_view nameOf(const TensorProto &tensor) const;
  void nameKept();
  void warnOfUnread();
  void warnOfScalars();

  mlir::ModuleOp module;
  std::filesystem::path path;
  const MappedFile &file;
  const ONNXImportOptions &options;
  DecodedTensors &decoded;
  llvm::StringMap<MappedFile> others;
  llvm::StringSet<> symbols;
  std::vector<std::pair<ConstantOp, const TensorProto *>> laterParameters;
  /// Small weights that --weights gives no values.
  std::vector<std::pair<ConstantOp, const TensorProto *>> keptConstants;
  /// The tensors whose gradients are wanted.
  std::vector<Glob> differentiated;
  /// Scalars that fit one of these but stay constants.
  std::vector<std::pair<ConstantOp, const TensorProto *>> leftScalars;
  /// The names of weights in Constant nodes.
  llvm::DenseMap<const TensorProto *, std::string_view> constantNames;
  /// Null until something asks for it.
  mlir::Value numRuns;
};

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_WEIGHTS_H
