//===- Translation.h - Translates the exec dialect to an artifact ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_TRANSLATION_H
#define WEIR_TARGET_ARTIFACT_TRANSLATION_H

#include "weir/Artifact/Writer.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <functional>
#include <memory>

namespace weir {

class BlobTable;
class CacheFile;
class MappedFile;
class SafeTensors;
struct CompiledKernels;

/// A model and the bytes of its blobs, ready for `artifact::writeFile`.
class ArtifactImage {
public:
  ArtifactImage();
  ArtifactImage(ArtifactImage &&);
  ArtifactImage &operator=(ArtifactImage &&);
  ~ArtifactImage();

  artifact::ModelT model;
  /// The bytes of each of `model.blobs`.
  std::vector<artifact::BlobBytes> blobs;
  /// Whether `model` has the hashes of `blobs`.
  artifact::BlobHashes hashes = artifact::BlobHashes::Unknown;
  /// The number of variants and blobs after each translated module, including
  /// those of the modules before it.
  struct Part {
    size_t numVariants, numBlobs;
  };
  std::vector<Part> parts;
  /// Removes what the last module added.
  void dropLast();

  /// The number of generated kernels of all variants, and the number of kernels
  /// that the cache had.
  size_t numKernels = 0, numFound = 0;
  /// A description of the GPUs that have code; empty if there is no code for
  /// GPUs.
  std::string gpuImages;

  /// The owners of the blobs' bytes: parameter files, and bytes of values that
  /// are part of the text.
  std::vector<std::unique_ptr<SafeTensors>> files;
  std::vector<std::unique_ptr<MappedFile>> maps;
  std::deque<std::vector<char>> values;
};

/// The tensors of the original model, by the symbols of its entries.
using EntryTensors = llvm::StringMap<ModelTensors>;

/// Checks the code of kernel functions in a module nested in `module`. If it
/// fails, so does the translation.
using CheckCodeFn = std::function<mlir::LogicalResult(
    mlir::ModuleOp module, const CompiledKernels &compiled)>;

/// Translates modules to an artifact: their entries, whose memory must be
/// planned, and the parameters that these use. The modules are one graph for
/// different devices, and share parameters.
class ArtifactTranslation {
public:
  /// Keeps code in `cache`, unless it is null. Calls `checkCode` with the code,
  /// unless it is empty.
  explicit ArtifactTranslation(const EntryTensors &tensors,
                               CacheFile *cache = nullptr,
                               CheckCodeFn checkCode = {});
  ~ArtifactTranslation();

  /// Adds `module` as one variant, or as one for each target CPU. Paths of
  /// parameter files are relative to the folder in its `weir.source_dir`.
  /// Errors go to the context's handler. After an error, the image has the
  /// earlier modules, and no other module may be added.
  mlir::LogicalResult add(mlir::ModuleOp module);

  ArtifactImage takeImage() { return std::move(image); }

private:
  const EntryTensors &tensors;
  CacheFile *cache;
  CheckCodeFn checkCode;
  ArtifactImage image;
  std::unique_ptr<BlobTable> blobs;
};

/// Checks that the runtime accepts `image`. An InvalidArgument error means that
/// the graph or the flags ask for too much. Any other error is a bug in the
/// compiler.
Status checkImage(ArtifactImage &image);

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_TRANSLATION_H
