//===- Blobs.h - The parameters of an artifact ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_BLOBS_H
#define WEIR_TARGET_ARTIFACT_BLOBS_H

#include "weir/Dialect/Weir/IR/Buckets.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/MappedFile.h"
#include "weir/Support/SafeTensors.h"
#include "weir/Target/Artifact/Translation.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

namespace weir {

/// Turns parameters into blobs of an image, in the order of requests. Each
/// parameter becomes only one blob. Derived parameters are computed. The
/// parameters that they are computed from become blobs only if they are
/// requested themselves.
class BlobTable {
public:
  explicit BlobTable(ArtifactImage &image) : image(image) {}

  /// Sets the module to which the names in later calls refer. A parameter
  /// shares its blob with an equal parameter of an earlier module.
  void setModule(mlir::ModuleOp module);

  /// The number of the blob of parameter `name`. Errors name the parameter and
  /// its file.
  mlir::FailureOr<uint32_t> get(mlir::FlatSymbolRefAttr name);

  /// The bucket `name` of the current module. Null if `name` is a parameter.
  BucketOp getBucket(mlir::FlatSymbolRefAttr name) {
    return modules.back().lookup<BucketOp>(name.getAttr());
  }
  llvm::SmallVector<BucketPart> listParts(BucketOp bucket) {
    return weir::listParts(bucket, modules.back());
  }

  /// Adds a blob with the machine code `bytes`. Returns the number of the blob.
  uint32_t addCode(llvm::StringRef name, llvm::StringRef bytes);

private:
  mlir::Operation *find(mlir::FlatSymbolRefAttr name);
  mlir::Operation *findSame(mlir::Operation *symbol);
  bool derivesSame(DerivedOp derived, DerivedOp earlier);
  std::string makeUnique(std::string name);
  mlir::FailureOr<artifact::BlobBytes> read(mlir::Operation *symbol);
  mlir::FailureOr<artifact::BlobBytes> readParameter(ParameterOp parameter);
  mlir::FailureOr<artifact::BlobBytes> derive(DerivedOp derived);
  mlir::FailureOr<artifact::BlobBytes> readFile(ParameterOp parameter);
  mlir::FailureOr<const SafeTensors *> open(ParameterOp parameter);
  mlir::FailureOr<artifact::BlobBytes> readAtOffset(ParameterOp parameter);
  mlir::FailureOr<const MappedFile *> map(ParameterOp parameter);

  ArtifactImage &image;
  /// The symbols of each module, in the order of the modules.
  std::deque<mlir::SymbolTable> modules;
  /// For each symbol, the equal symbol of the first module that has one.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> firsts;
  llvm::DenseMap<mlir::Operation *, uint32_t> numbers;
  llvm::DenseMap<mlir::Operation *, artifact::BlobBytes> known;
  /// The names of blobs.
  llvm::StringSet<> names;
  llvm::StringMap<const SafeTensors *> files;
  llvm::StringMap<const MappedFile *> maps;
};

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_BLOBS_H
