//===- SmallModel.h - A model for tests -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_ARTIFACT_SMALLMODEL_H
#define WEIR_TEST_UNIT_ARTIFACT_SMALLMODEL_H

#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Writer.h"

#include <cstddef>
#include <string>
#include <vector>

namespace weir::artifact {

/// Two devices: cpu:0, in the host's memory, multiplies x by the parameter w.
/// The product is copied to cpu:1, which has its own memory, adds the variable
/// b and writes y there. Repeats clear scratch and count an event up.
struct SmallModel {
  ModelT model;
  std::vector<std::vector<std::byte>> blobs;

  SmallModel();
  VariantT &variant() { return *model.variants[0]; }
  KernelT &kernel(size_t index) { return *variant().kernels[index]; }
  EntryT &entry() { return *variant().entries[0]; }
  Command &command(size_t program, size_t index) {
    return entry().programs[program]->commands[index];
  }
  void setIndex(size_t program, size_t index, uint32_t value);
  void setValue(size_t program, size_t index, int32_t value);
  /// Makes the variable a bucket "all": 16 zeros before it, another variable
  /// "c" of 4 bytes behind it, and `gap` zeros at the end.
  VariableT &makeBucket(uint64_t gap = 12);
  /// Gives blob `index` random elements.
  void fill(size_t index);
  std::vector<BlobBytes> blobBytes() const {
    return {blobs.begin(), blobs.end()};
  }
  std::vector<std::byte> serialized() { return *toBytes(model, blobBytes()); }
};

/// Makes the checksum in the header of `file` that of its bytes.
void fixChecksum(std::vector<std::byte> &file);

} // namespace weir::artifact

#endif // WEIR_TEST_UNIT_ARTIFACT_SMALLMODEL_H
