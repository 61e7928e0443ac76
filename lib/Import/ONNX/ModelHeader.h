//===- ModelHeader.h - What a model says about itself -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_MODELHEADER_H
#define WEIR_LIB_IMPORT_ONNX_MODELHEADER_H

#include "weir/Support/ProtoWire.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weir::onnx {

/// The metadata of the model in `file`, as pairs of a key and a value. The
/// first pairs are the producer, the domain, the version and the description.
/// Their keys begin with "onnx.". After them come the entries of
/// `metadata_props`.
StatusOr<std::vector<std::pair<std::string, std::string>>>
readModelHeader(std::span<const std::byte> file);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_MODELHEADER_H
