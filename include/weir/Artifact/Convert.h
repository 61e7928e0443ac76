//===- Convert.h - Between schema types and Support types -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_CONVERT_H
#define WEIR_ARTIFACT_CONVERT_H

#include "weir/Artifact/Schema.h"
#include "weir/Support/AttrMap.h"
#include "weir/Support/QueueRole.h"
#include "weir/Support/RandomFill.h"
#include "weir/Support/TensorDesc.h"

#include <memory>
#include <vector>

namespace weir::artifact {

using AttributeVector =
    flatbuffers::Vector<flatbuffers::Offset<artifact::Attribute>>;

/// Conversions from the schema to types of Support. The schema value must come
/// from a verified artifact.
TensorDesc toTensorDesc(const TensorType &type);
/// The attributes of a kernel; none if `attributes` is null.
AttrMap toAttrMap(const AttributeVector *attributes);
weir::QueueRole toQueueRole(QueueRole role);
RandomFill toFill(const Random &fill);
RandomFill toFill(const RandomT &fill);
/// The hash of a blob of elements of `type` that are not in the file.
uint64_t hashFill(DType type, const RandomFill &fill);

/// Conversions from types of Support to the schema.
std::unique_ptr<TensorTypeT> fromTensorDesc(const TensorDesc &desc);
std::vector<std::unique_ptr<AttributeT>> fromAttrMap(const AttrMap &attrs);
QueueRole fromQueueRole(weir::QueueRole role);
std::unique_ptr<RandomT> fromFill(const RandomFill &fill);

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_CONVERT_H
