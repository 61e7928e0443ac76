//===- Ptxas.h - Makes machine code of PTX ----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_NVPTX_PTXAS_H
#define WEIR_LIB_TARGET_NVPTX_PTXAS_H

#include "weir/Target/NVPTX/TargetGpu.h"

namespace weir {

/// The assembler of the CUDA toolkit, which is a program.
class Ptxas {
public:
  /// Finds it in the folder `bin` of $CUDA_HOME, by default /usr/local/cuda, or
  /// on the path.
  static StatusOr<Ptxas> find();

  /// Identifies the program: what it says about its version.
  const std::string &getVersion() const { return version; }
  /// The machine code of `ptx` for `gpu`.
  StatusOr<std::string> assemble(const std::string &ptx,
                                 const TargetGpu &gpu) const;

private:
  std::string path, version;
};

} // namespace weir

#endif // WEIR_LIB_TARGET_NVPTX_PTXAS_H
