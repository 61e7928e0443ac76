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

/// The assembler of the CUDA toolkit, which is a program.
class Ptxas {
public:
  /// Finds it in the folder `bin` of $CUDA_HOME, by default /usr/local/cuda, or
  /// on the path. It is ended if it runs for longer than `limit`.
  static StatusOr<Ptxas>
  find(std::chrono::seconds limit = std::chrono::seconds(600));

  /// Identifies the program: what it says about its version.
  const std::string &getVersion() const { return version; }
  /// The machine code of each of `texts`, made at the same time. A GPU or a
  /// version of PTX that the program does not know is Unavailable.
  std::vector<StatusOr<std::string>>
  assemble(const std::vector<PtxText> &texts) const;

private:
  std::string path, version;
  std::chrono::seconds limit{};
};

} // namespace weir

#endif // WEIR_LIB_TARGET_NVPTX_PTXAS_H
