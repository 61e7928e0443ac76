//===- TensorFile.h - A tensor in a file of any known kind ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_TENSORFILE_H
#define WEIR_SUPPORT_TENSORFILE_H

#include "weir/Support/HostTensor.h"

#include <string>

namespace weir {

/// Reads the tensor in the file `path`: a TensorProto of ONNX where the name
/// ends in .pb, else an array of numpy ("-": from standard input).
StatusOr<HostTensor> readTensorFile(const std::string &path);

} // namespace weir

#endif // WEIR_SUPPORT_TENSORFILE_H
