//===- Model.cpp - The messages of an ONNX model ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The field numbers are those of onnx.proto.
//
//===----------------------------------------------------------------------===//

#include "Model.h"

using namespace weir;
using namespace weir::onnx;

Status Attribute::set(const WireField &field) {
  switch (field.number) {
  case 1:
    return read(field, name);
  case 2:
    return read(field, number);
  case 3:
    return read(field, integer);
  case 4:
    return read(field, text);
  case 5:
    return read(field, tensor);
  case 6:
    if (!graph)
      graph = std::make_shared<onnx::Graph>();
    return read(field, *graph);
  case 7:
    return read(field, numbers);
  case 8:
    return read(field, integers);
  case 9:
    return read(field, texts);
  case 20:
    return read(field, type);
  case 21:
    return read(field, reference);
  default:
    return Status::ok();
  }
}

const Attribute *Node::find(std::string_view name) const {
  for (const Attribute &attribute : attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

Status Node::set(const WireField &field) {
  switch (field.number) {
  case 1:
    return read(field, inputs);
  case 2:
    return read(field, outputs);
  case 3:
    return read(field, name);
  case 4:
    return read(field, opType);
  case 5:
    return read(field, attributes);
  case 7:
    return read(field, domain);
  case 8:
    return read(field, overload);
  default:
    return Status::ok();
  }
}

Status Dim::set(const WireField &field) {
  if (field.number == 1) {
    WEIR_RETURN_IF_ERROR(read(field, size.emplace()));
    if (*size < 0)
      size.reset();
  } else if (field.number == 2) {
    WEIR_RETURN_IF_ERROR(read(field, name));
    if (name == "?")
      name = {};
  }
  return Status::ok();
}

Status Shape::set(const WireField &field) {
  return field.number == 1 ? read(field, dims) : Status::ok();
}

std::string onnx::describe(const Shape &shape) {
  std::string text;
  for (const Dim &dim : shape.dims) {
    text += text.empty() ? "(" : ", ";
    text += dim.size           ? std::to_string(*dim.size)
            : dim.name.empty() ? "?"
                               : std::string(dim.name);
  }
  return text.empty() ? "a scalar" : text + ")";
}

Status TensorType::set(const WireField &field) {
  switch (field.number) {
  case 1:
    return read(field, elementType);
  case 2:
    return read(field, shape);
  default:
    return Status::ok();
  }
}

Status ValueType::set(const WireField &field) {
  return field.number == 1 ? read(field, tensor) : Status::ok();
}

Status ValueInfo::set(const WireField &field) {
  switch (field.number) {
  case 1:
    return read(field, name);
  case 2:
    return read(field, type);
  default:
    return Status::ok();
  }
}

Status SparseTensor::set(const WireField &field) {
  return field.number == 1 ? read(field, values) : Status::ok();
}

Status Graph::set(const WireField &field) {
  switch (field.number) {
  case 1:
    return read(field, nodes);
  case 2:
    return read(field, name);
  case 5:
    return read(field, initializers);
  case 11:
    return read(field, inputs);
  case 12:
    return read(field, outputs);
  case 15:
    return read(field, sparseInitializers);
  default:
    return Status::ok();
  }
}

Status OpsetId::set(const WireField &field) {
  switch (field.number) {
  case 1:
    return read(field, domain);
  case 2:
    return read(field, version);
  default:
    return Status::ok();
  }
}

Status Function::set(const WireField &field) {
  switch (field.number) {
  case 1:
    return read(field, name);
  case 4:
    return read(field, inputs);
  case 5:
    return read(field, outputs);
  case 7:
    return read(field, nodes);
  case 9:
    return read(field, opsets);
  case 10:
    return read(field, domain);
  case 11:
    return read(field, defaults);
  case 13:
    return read(field, overload);
  default:
    return Status::ok();
  }
}

Status Model::set(const WireField &field) {
  switch (field.number) {
  case 7:
    return read(field, graph);
  case 8:
    return read(field, opsets);
  case 25:
    return read(field, functions);
  default:
    return Status::ok();
  }
}

StatusOr<Model> onnx::readModel(std::span<const std::byte> file) {
  Model model;
  Status status = readMessage(
      file, 0, [&](const WireField &field) { return model.set(field); });
  if (!status.isOk() && parseTensorProto(file))
    return invalidArgument(
        "it is a tensor of ONNX, not a model; give it to graph-run "
        "with --input NAME=FILE");
  if (!status.isOk())
    return std::move(status).withContext("it cannot be read as an ONNX model");
  if (!model.graph)
    return invalidArgument(
        "it is not an ONNX model: it has no graph; a SavedModel of "
        "TensorFlow becomes one with tf2onnx");
  if (model.opsets.empty())
    return dataLoss("it names no opset");
  return model;
}
