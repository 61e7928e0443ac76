//===- Blobs.h - The parameters of an artifact ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_BLOBS_H
#define WEIR_TARGET_ARTIFACT_BLOBS_H

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/MappedFile.h"
#include "weir/Support/SafeTensors.h"
#include "weir/Target/Artifact/Translation.h"

#include "llvm/ADT/StringMap.h"

namespace weir {

/// Turns parameters into blobs of an image, each once, in the order of
/// requests. Derived parameters are computed. Their sources become blobs only
/// if they are requested themselves.
class BlobTable {
public:
  BlobTable(mlir::ModuleOp module, ArtifactImage &image);

  /// The blob of parameter `name`. Errors name the parameter and its file.
  mlir::FailureOr<uint32_t> get(mlir::FlatSymbolRefAttr name);

  /// A blob that holds the machine code `bytes`.
  uint32_t addCode(llvm::StringRef name, llvm::StringRef bytes);

private:
  mlir::FailureOr<artifact::BlobBytes> read(mlir::FlatSymbolRefAttr name);
  mlir::FailureOr<artifact::BlobBytes> readParameter(ParameterOp parameter);
  mlir::FailureOr<artifact::BlobBytes> derive(DerivedOp derived);
  mlir::FailureOr<artifact::BlobBytes> readFile(ParameterOp parameter);
  mlir::FailureOr<const SafeTensors *> open(ParameterOp parameter);
  mlir::FailureOr<artifact::BlobBytes> readAtOffset(ParameterOp parameter);
  mlir::FailureOr<const MappedFile *> map(ParameterOp parameter);

  ArtifactImage &image;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Attribute, uint32_t> numbers;
  llvm::DenseMap<mlir::Attribute, artifact::BlobBytes> known;
  llvm::StringMap<const SafeTensors *> files;
  llvm::StringMap<const MappedFile *> maps;
};

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_BLOBS_H
