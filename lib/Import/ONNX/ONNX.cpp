//===- ONNX.cpp - Reads ONNX models -----------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Import/ONNX.h"

#include "../ForeignFile.h"
#include "Importer.h"
#include "ModelHeader.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/Metadata.h"
#include "weir/Dialect/Weir/Transforms/UniqueNames.h"

#include <fstream>

using namespace mlir;
using namespace weir;

/// A model begins with field 1, the version of the format. No text begins with
/// the first byte of this field.
bool weir::isONNXFile(const std::string &path) {
  constexpr char firstByte = 0x08;
  if (path == "-")
    return false;
  if (path.ends_with(".onnx"))
    return true;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return false;
  std::ifstream file(path, std::ios::binary);
  return file.get() == firstByte;
}

/// The error about a file from which no model could be read. If the kind of the
/// file is recognised, the error names it.
static Status explainFile(Status error, std::span<const std::byte> file) {
  const std::string_view bytes(reinterpret_cast<const char *>(file.data()),
                               file.size());
  if (bytes.empty())
    return dataLoss("expected an ONNX model, found an empty file; copy or "
                    "export it again");
  if (std::optional<ForeignFile> foreign = recogniseForeign(bytes))
    return dataLoss(fmt::format("expected an ONNX model, found {}; {}",
                                foreign->what, foreign->repair));
  if (!isBinary(bytes))
    return dataLoss("expected an ONNX model, found text; if it is a graph in "
                    "textual IR, give it a name that does not end in .onnx");
  // The file is complete, but it is not a model.
  if (error.code() == StatusCode::InvalidArgument)
    return error;
  return dataLoss(fmt::format("{}; copy or export it again", error.message()));
}

/// Keeps the metadata of the model, which the artifact will contain.
static Status keepMetadata(std::span<const std::byte> file, ModuleOp module) {
  WEIR_ASSIGN_OR_RETURN(const auto header, onnx::readModelHeader(file));
  Builder builder(module.getContext());
  SmallVector<Attribute> pairs;
  for (const auto &[key, value] : header)
    pairs.push_back(builder.getStrArrayAttr({key, value}));
  if (!pairs.empty())
    module->setAttr(attrs::metadata, builder.getArrayAttr(pairs));
  return Status::ok();
}

/// The plans of the model for the shapes that were given.
static StatusOr<std::vector<ShapePlan>>
findPlans(const onnx::Model &model, const ONNXImportOptions &options) {
  GivenShapes given;
  const llvm::StringSet<> inputs = onnx::listInputNames(model);
  for (const std::string &text : options.shapes) {
    WEIR_ASSIGN_OR_RETURN(ShapeOption shape, parseShapeOption(text));
    auto [name, isQualified] = onnx::findInputName(inputs, shape.input);
    shape.input = name;
    (isQualified ? given.own : given.shared).push_back(std::move(shape));
  }
  return planShapes(given);
}

/// Renames the function of `module`, because the entry has several plans. The
/// new name contains the shapes of `plan`.
static void nameEntry(ModuleOp module, const ShapePlan &plan) {
  auto entry = *module.getOps<func::FuncOp>().begin();
  entry.setName(nameShapePlan(onnx::entryName, plan));
  entry->setAttr(attrs::entry,
                 StringAttr::get(module.getContext(), onnx::entryName));
}

/// Moves the entry of `from` into `into`, and the parameters that `into` does
/// not have. Both modules come from one model, so parameters with the same name
/// are usually equal. They differ only if the shapes change what the model
/// computes. A parameter that differs gets a new name.
static void merge(ModuleOp into, ModuleOp from) {
  llvm::StringMap<ParameterOp> known;
  UniqueNames taken;
  for (ModuleOp module : {into, from})
    for (auto symbol : module.getOps<SymbolOpInterface>())
      taken.take(symbol.getName());
  for (auto parameter : into.getOps<ParameterOp>())
    known[parameter.getSymName()] = parameter;
  Operation *first = *into.getOps<func::FuncOp>().begin();
  llvm::StringMap<std::string> renamed;
  for (auto parameter :
       llvm::make_early_inc_range(from.getOps<ParameterOp>())) {
    const std::string name = parameter.getSymName().str();
    ParameterOp other = known.lookup(name);
    if (other && other->getAttrDictionary() == parameter->getAttrDictionary())
      continue;
    if (other)
      parameter.setSymName(renamed[name] = taken.add(name));
    parameter->moveBefore(first);
  }
  auto entry = *from.getOps<func::FuncOp>().begin();
  auto rename = [&](auto op) {
    if (auto name = renamed.find(op.getParameter()); name != renamed.end())
      op.setParameter(name->second);
  };
  llvm::for_each(entry.getOps<ReadOp>(), rename);
  llvm::for_each(entry.getOps<AssignOp>(), rename);
  entry->moveBefore(into.getBody(), into.getBody()->end());
}

/// Imports the model once for each plan. Plans may differ where the model
/// depends on shapes. For example, they may take different branches of an If.
static StatusOr<OwningOpRef<ModuleOp>>
importPlans(const onnx::Model &model, const std::string &path,
            const MappedFile &file, const ONNXImportOptions &options,
            MLIRContext *context) {
  WEIR_ASSIGN_OR_RETURN(const auto plans, findPlans(model, options));
  onnx::DecodedTensors decoded;
  OwningOpRef<ModuleOp> all;
  for (const ShapePlan &plan : plans) {
    WEIR_ASSIGN_OR_RETURN(
        OwningOpRef<ModuleOp> module,
        onnx::Importer(model, path, file, options, plan, decoded, context)
            .run());
    if (plans.size() > 1)
      nameEntry(*module, plan);
    if (all)
      merge(*all, *module);
    else
      all = std::move(module);
  }
  return all;
}

StatusOr<OwningOpRef<ModuleOp>>
weir::importONNX(const std::string &path, const ONNXImportOptions &options,
                 MLIRContext *context) {
  WEIR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  auto model = onnx::readModel(file.bytes());
  if (!model)
    return explainFile(std::move(model).status(), file.bytes())
        .withContext(path);
  WEIR_RETURN_IF_ERROR(onnx::checkNames(*model).withContext(path));
  auto module = importPlans(*model, path, file, options, context);
  if (!module)
    return std::move(module).status().withContext(path);
  WEIR_RETURN_IF_ERROR(keepMetadata(file.bytes(), **module).withContext(path));
  return module;
}
