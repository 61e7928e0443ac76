//===- ONNX.cpp - Reads ONNX models -----------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Import/ONNX.h"

#include "../ForeignFile.h"
#include "Importer.h"
#include "ModelHeader.h"
#include "weir/Dialect/Weir/IR/Metadata.h"

#include <fstream>

using namespace mlir;
using namespace weir;

/// A model begins with field 1, the version of the format, whose first byte
/// begins no text.
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

/// For a file from which no model could be read: says what else the file is, if
/// that can be recognised.
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
  return dataLoss(fmt::format("{}; copy or export it again", error.message()));
}

/// Keeps what the file says about the model, for those who find it in an
/// artifact.
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

StatusOr<OwningOpRef<ModuleOp>>
weir::importONNX(const std::string &path, const ONNXImportOptions &options,
                 MLIRContext *context) {
  WEIR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  auto model = onnx::readModel(file.bytes());
  if (!model)
    return explainFile(std::move(model).status(), file.bytes())
        .withContext(path);
  auto module = onnx::Importer(*model, path, file, options, context).run();
  if (!module)
    return std::move(module).status().withContext(path);
  WEIR_RETURN_IF_ERROR(keepMetadata(file.bytes(), **module).withContext(path));
  return module;
}
