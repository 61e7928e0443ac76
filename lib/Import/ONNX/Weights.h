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

/// Decoded tensors. All plans of one model share them.
struct DecodedTensors {
  /// The elements of tensors that the model stores in another format than
  /// Weir's.
  llvm::DenseMap<const TensorProto *, mlir::ElementsAttr> elements;
  /// The values of bound inputs. Each file is read only once, because it may be
  /// standard input.
  llvm::StringMap<HostTensor> bound;
};

/// Turns initialisers into values. Small ones become constants. Large ones
/// become parameters, which record where the bytes are: in the model, or in a
/// file beside it.
///
/// All integers are constants while the graph is built, because shapes may be
/// computed from them. Afterwards, `finish` turns large integers that are still
/// used into parameters. It does the same to small weights that will be trained
/// or whose gradients are wanted.
///
/// If no initialiser of a model is a weight, its weights are in Constant nodes.
/// These weights become parameters if they will be trained or replaced.
class Weights {
public:
  /// `file` is the mapped model at `path`. All arguments must outlive this
  /// object.
  Weights(mlir::ModuleOp module, const std::string &path,
          const MappedFile &file, const ONNXImportOptions &options,
          DecodedTensors &decoded);

  /// Finds the weights in Constant nodes of `graph`. Must be called before
  /// `add`.
  void findConstants(const Graph &graph);
  /// Whether `tensor`, the value of a Constant node, is a weight.
  bool isWeight(const TensorProto &tensor) const {
    return constantNames.contains(&tensor);
  }
  /// Adds the value of `tensor` under the name `name`.
  StatusOr<mlir::Value> add(const TensorProto &tensor, llvm::StringRef name,
                            mlir::OpBuilder &builder);
  bool areTrained() const { return options.forTraining; }
  /// The number of runs before this one, which a variable counts.
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
  /// Small weights for which --weights has no values.
  std::vector<std::pair<ConstantOp, const TensorProto *>> keptConstants;
  /// The patterns of the tensors whose gradients are wanted.
  std::vector<Glob> differentiated;
  /// Scalars that match a pattern in `differentiated` but stay constants.
  std::vector<std::pair<ConstantOp, const TensorProto *>> leftScalars;
  /// The names of weights in Constant nodes.
  llvm::DenseMap<const TensorProto *, std::string_view> constantNames;
  /// The value of `getNumRuns`; null until it is first needed.
  mlir::Value numRuns;
};

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_WEIGHTS_H
