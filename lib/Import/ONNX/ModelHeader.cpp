//===- ModelHeader.cpp - What a model says about itself ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ModelHeader.h"

#include "weir/Support/TensorProto.h"

using namespace weir;

namespace {
/// ModelProto without the graph.
struct Header {
  std::string_view producerName, producerVersion, domain, description;
  int64_t version = 0;
  std::vector<StringEntry> metadata;

  Status set(const WireField &field) {
    switch (field.number) {
    case 2:
      return read(field, producerName);
    case 3:
      return read(field, producerVersion);
    case 4:
      return read(field, domain);
    case 5:
      return read(field, version);
    case 6:
      return read(field, description);
    case 14:
      return read(field, metadata);
    default:
      return Status::ok();
    }
  }
};
} // namespace

StatusOr<std::vector<std::pair<std::string, std::string>>>
onnx::readModelHeader(std::span<const std::byte> file) {
  Header header;
  WEIR_RETURN_IF_ERROR(readMessage(
      file, 0, [&](const WireField &field) { return header.set(field); }));
  std::vector<std::pair<std::string, std::string>> all;
  auto add = [&](const char *key, std::string_view value) {
    if (!value.empty())
      all.emplace_back(key, value);
  };
  add("onnx.producer_name", header.producerName);
  add("onnx.producer_version", header.producerVersion);
  add("onnx.domain", header.domain);
  add("onnx.doc_string", header.description);
  if (header.version)
    add("onnx.model_version", std::to_string(header.version));
  for (const StringEntry &entry : header.metadata)
    all.emplace_back(entry.key, entry.value);
  return all;
}
