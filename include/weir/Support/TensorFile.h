//===- TensorFile.h - A tensor in a file of any known format ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_TENSORFILE_H
#define WEIR_SUPPORT_TENSORFILE_H

#include "weir/Support/HostTensor.h"

#include <string>

namespace weir {

/// Reads the tensor in the file `path`. A file whose name ends in .pb is a
/// TensorProto of ONNX; any other file is a numpy array ("-": from standard
/// input).
StatusOr<HostTensor> readTensorFile(const std::string &path);

} // namespace weir

#endif // WEIR_SUPPORT_TENSORFILE_H
