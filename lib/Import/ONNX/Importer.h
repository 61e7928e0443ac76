//===- Importer.h - From an ONNX model to a weir module ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_IMPORTER_H
#define WEIR_LIB_IMPORT_ONNX_IMPORTER_H

#include "Handlers.h"
#include "Model.h"
#include "Weights.h"
#include "weir/Import/ONNX.h"
#include "weir/Support/ShapePlans.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace weir::onnx {

/// The name of the entry of every model.
inline constexpr llvm::StringLiteral entryName = "main";

/// The version of `domain` among `opsets`, or 0 if `opsets` does not have it.
int64_t findOpset(const std::vector<OpsetId> &opsets, std::string_view domain);

/// The names of the inputs of `model`.
llvm::StringSet<> listInputNames(const Model &model);

/// The name of the input that a flag refers to, and whether the prefix `main/`
/// was removed from `name`. The prefix is removed if none of `inputs` is called
/// `name`.
std::pair<std::string, bool> findInputName(const llvm::StringSet<> &inputs,
                                           const std::string &name);

/// Imports one model.
class Importer {
public:
  /// `model` is read from the mapped `file` at `path`. All arguments must
  /// outlive the importer. Inputs have the shapes of `plan`, and not those in
  /// `options`.
  Importer(const Model &model, const std::string &path, const MappedFile &file,
           const ONNXImportOptions &options, const ShapePlan &plan,
           DecodedTensors &decoded, mlir::MLIRContext *context);

  StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  using Opsets = std::vector<OpsetId>;

  /// The names in a graph, or in the body of a function, and what they stand
  /// for.
  struct Scope {
    /// The scope of the node that has this graph as a branch or body. Names
    /// that this scope does not define are looked up there.
    const Scope *parent = nullptr;
    /// The scope of the node that has this graph, or that calls this function.
    const Scope *caller = nullptr;
    const Function *function = nullptr;
    const Opsets *opsets = nullptr;
    /// The prefix of the names of nodes.
    std::string prefix;
    int depth = 0;
    llvm::StringMap<mlir::Value> values;
    /// The initialisers that nothing has read yet.
    llvm::StringMap<const TensorProto *> initializers;
    /// The names of the nodes, for errors. The keys are the names of their
    /// outputs.
    llvm::StringMap<std::string> producers;
    /// The attributes of the call, if this is the body of a function.
    NodeBuilder::Attributes attributes;
  };

  // Inputs.cpp
  Status readOptions();
  Status addInputs(Scope &scope);
  Status addInput(const ValueInfo &input, Scope &scope);
  Status bindInput(const ValueInfo &input, const std::string &path,
                   Scope &scope);
  Status checkOptionNames(const llvm::StringSet<> &inputs) const;
  StatusOr<mlir::RankedTensorType> inputType(const ValueInfo &input);
  StatusOr<std::vector<int64_t>> inputDims(const ValueInfo &input);
  Status nameDims();
  Status checkDims(const Scope &scope);
  std::string offerInputs(llvm::StringRef name) const;

  // Bodies.cpp
  using BodyHandler = StatusOr<std::vector<mlir::Value>> (Importer::*)(
      const Node &node, const std::string &name, Scope &scope);
  StatusOr<std::vector<mlir::Value>> importCall(const Node &node,
                                                const Function &function,
                                                const std::string &name,
                                                Scope &scope);
  Status checkCall(const Function &function, const Scope &scope) const;
  StatusOr<std::vector<mlir::Value>>
  importIf(const Node &node, const std::string &name, Scope &scope);
  StatusOr<std::vector<mlir::Value>>
  importLoop(const Node &node, const std::string &name, Scope &scope);
  StatusOr<std::vector<mlir::Value>>
  importScan(const Node &node, const std::string &name, Scope &scope);
  StatusOr<Scope> openBody(const Graph &graph, const std::string &name,
                           Scope &scope);
  StatusOr<std::vector<mlir::Value>> runBody(const Graph &graph,
                                             const std::string &name,
                                             llvm::ArrayRef<mlir::Value> inputs,
                                             Scope &shared);

  // Importer.cpp
  using BodyHandlers = std::map<std::string_view, BodyHandler>;
  static const BodyHandlers &getBodyHandlers();
  static BodyHandler findBodyHandler(const Node &node);
  Status countNode();
  Status addInitializers(const Graph &graph, Scope &scope);
  Status importNodes(const std::vector<Node> &nodes, Scope &scope);
  Status importNode(const Node &node, Scope &scope);
  StatusOr<std::vector<mlir::Value>>
  importNamed(const Node &node, const std::string &name, Scope &scope);
  StatusOr<mlir::Value> find(std::string_view name, Scope &scope);
  StatusOr<std::vector<mlir::Value>> findInputs(const Node &node, Scope &scope);
  StatusOr<NodeBuilder::Attributes> findAttributes(const Node &node,
                                                   const Scope &scope);
  Status define(std::string_view name, mlir::Value value, Scope &scope);
  Status checkSupport(const std::vector<Node> &nodes, const Scope &scope);
  bool isSupported(const Node &node, const Scope &scope) const;
  static std::string whyUnsupported(const Node &node, const Scope &scope);
  const Function *findFunction(const Node &node) const;
  std::string nameOf(const Node &node, const Scope &scope);
  void takeValueNames();
  std::string nameValue(std::string_view name, const Scope &scope);
  void nameResults(const Node &node, const Scope &scope,
                   llvm::ArrayRef<mlir::Value> results);
  Status finish(Scope &scope);

  const Model &model;
  const ONNXImportOptions &options;
  const ShapePlan &plan;
  DecodedTensors &decoded;
  mlir::MLIRContext *context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry;
  mlir::OpBuilder builder;
  Weights weights;
  llvm::StringMap<std::vector<int64_t>> shapes;
  llvm::StringMap<std::string> bound;
  /// The sizes of named dims, according to the given shapes.
  llvm::StringMap<int64_t> dimSizes;
  llvm::StringMap<unsigned> numbers;
  /// The unique names of all values. If another value asks for the same name,
  /// the search for a free name begins with the number stored here.
  llvm::StringMap<int> valueNames;
  /// The depth of the body that computes each named value.
  llvm::DenseMap<mlir::Value, int> depths;
  int64_t numNodes = 0;
  /// The number of tensors in all lists that nodes on sequences have made so
  /// far.
  size_t numListed = 0;
};

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_IMPORTER_H
