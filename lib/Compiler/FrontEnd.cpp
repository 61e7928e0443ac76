//===- FrontEnd.cpp - Reads what is compiled --------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FrontEnd.h"

#include "GraphText.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Import/ONNX.h"
#include "weir/Import/Text.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/SafeTensors.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace weir;

/// The files that `options` name.
static void addFiles(const CompileOptions &options, FileUses &files) {
  if (!options.topology.empty())
    files.reads("the topology", options.topology);
  for (const std::string &bind : options.bind)
    files.reads("a value of --bind", parseBindOption(bind)->file);
  if (!options.weights.empty())
    files.reads("--weights", options.weights);
}

static void setSourceFolder(ModuleOp module, StringRef folder) {
  module->setAttr(attrs::sourceDir,
                  StringAttr::get(module.getContext(), folder));
}

static StatusOr<OwningOpRef<ModuleOp>> readText(const std::string &path,
                                                llvm::SourceMgr &sources,
                                                MLIRContext &context) {
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<llvm::MemoryBuffer> buffer,
                        readGraphText(path));
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return importText(sources, &context);
}

/// Reads an ONNX model. The importer applies shapes and bound inputs, so they
/// are removed from the options.
static StatusOr<OwningOpRef<ModuleOp>>
readONNX(const std::string &path, SourceGraph &graph, MLIRContext &context) {
  CompileOptions &options = graph.options;
  // The emitted text is compiled later, and the model file may have changed by
  // then.
  const bool isText = options.emit < EmitPhase::Artifact;
  std::vector<std::string> weightFiles;
  ONNXImportOptions how;
  how.shapes = std::exchange(options.shapes, {});
  how.bind = std::exchange(options.bind, {});
  how.hashWeights = isText;
  how.forTraining = !options.train.empty() && options.emit > EmitPhase::Import;
  how.gradients = options.gradients;
  // A later pass reports errors in the file of weights.
  if (!options.weights.empty())
    if (auto weights = SafeTensors::open(options.weights); weights.isOk())
      for (const auto &[name, tensor] : weights->entries())
        how.parameters.insert(name);
  how.weightFiles = &weightFiles;
  auto module = importONNX(path, how, &context);
  for (const std::string &file : weightFiles)
    graph.files.reads("weights of the model", file);
  return module;
}

StatusOr<SourceGraph> weir::readGraph(const std::string &path,
                                      const CompileOptions &options,
                                      llvm::SourceMgr &sources,
                                      MLIRContext &context) {
  SourceGraph graph;
  graph.options = options;
  graph.files.reads("the graph", path);
  addFiles(options, graph.files);
  WEIR_ASSIGN_OR_RETURN(graph.module, isONNXFile(path)
                                          ? readONNX(path, graph, context)
                                          : readText(path, sources, context));
  // Paths of parameter files are relative to the file that names them.
  if (graph.module)
    setSourceFolder(*graph.module, path == "-"
                                       ? StringRef()
                                       : llvm::sys::path::parent_path(path));
  return graph;
}

SourceGraph weir::takeGraph(OwningOpRef<ModuleOp> module,
                            const CompileOptions &options) {
  SourceGraph graph;
  graph.options = options;
  addFiles(options, graph.files);
  nameOps(*module);
  setSourceFolder(*module, "");
  if (succeeded(verify(*module)))
    graph.module = std::move(module);
  return graph;
}
