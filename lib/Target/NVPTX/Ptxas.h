//===- Ptxas.h - Makes machine code of PTX ----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_NVPTX_PTXAS_H
#define WEIR_LIB_TARGET_NVPTX_PTXAS_H

#include "weir/Target/NVPTX/TargetGpu.h"

#include <chrono>

namespace weir {

/// PTX for a GPU.
struct PtxText {
  TargetGpu gpu;
  std::string text;
};

/// The assembler program of the CUDA toolkit.
class Ptxas {
public:
  /// Finds the program in the folder `bin` of $CUDA_HOME, or on the path. The
  /// default of $CUDA_HOME is /usr/local/cuda. The program is killed if it runs
  /// for longer than `limit`.
  static StatusOr<Ptxas>
  find(std::chrono::seconds limit = std::chrono::seconds(600));

  /// The output of the program for --version, which identifies it.
  const std::string &getVersion() const { return version; }
  /// Makes machine code of each of `texts`. They are assembled at the same
  /// time. The error is Unavailable if the program does not know the GPU or the
  /// version of PTX.
  std::vector<StatusOr<std::string>>
  assemble(const std::vector<PtxText> &texts) const;

private:
  std::string path, version;
  std::chrono::seconds limit{};
};

} // namespace weir

#endif // WEIR_LIB_TARGET_NVPTX_PTXAS_H
