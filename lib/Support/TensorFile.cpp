//===- TensorFile.cpp - A tensor in a file of any known kind ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/TensorFile.h"

#include "weir/Support/Npy.h"
#include "weir/Support/TensorProto.h"

using namespace weir;

StatusOr<HostTensor> weir::readTensorFile(const std::string &path) {
  return path.ends_with(".pb") ? readTensorProto(path) : readNpy(path);
}
