//===- Model.h - The messages of an ONNX model ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The declarations of onnx.proto that Weir uses. Texts and tensors are views of
// the file's bytes, so reading a model copies no weights.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_MODEL_H
#define WEIR_LIB_IMPORT_ONNX_MODEL_H

#include "weir/Support/TensorProto.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::onnx {

struct Graph;

/// AttributeProto. `type` says which member holds the value.
struct Attribute {
  enum Type {
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8
  };

  std::string_view name;
  /// The attribute of the call to which this attribute refers. Only attributes
  /// in the body of a function have a reference.
  std::string_view reference;
  int64_t type = 0;
  float number = 0;
  int64_t integer = 0;
  std::string_view text;
  TensorProto tensor;
  std::shared_ptr<onnx::Graph> graph;
  std::vector<float> numbers;
  std::vector<int64_t> integers;
  std::vector<std::string_view> texts;

  Status set(const WireField &field);
};

/// NodeProto.
struct Node {
  std::vector<std::string_view> inputs, outputs;
  std::string_view name, opType, domain, overload;
  std::vector<Attribute> attributes;

  const Attribute *find(std::string_view name) const;
  Status set(const WireField &field);
};

/// TensorShapeProto.Dimension: a number, a name, or neither. Without either,
/// the size is unknown. Exporters may also write an unknown size as the number
/// -1 or the name "?". Two unknown sizes may differ.
struct Dim {
  std::optional<int64_t> size;
  std::string_view name;

  Status set(const WireField &field);
};

struct Shape {
  std::vector<Dim> dims;

  Status set(const WireField &field);
};

/// The shape as text, with the names of dims: "(batch, 3, ?, ?)".
std::string describe(const Shape &shape);

/// TypeProto.Tensor.
struct TensorType {
  int64_t elementType = 0;
  std::unique_ptr<Shape> shape;

  Status set(const WireField &field);
};

/// TypeProto. It has no tensor if it is a sequence, a map or an optional.
struct ValueType {
  std::unique_ptr<TensorType> tensor;

  Status set(const WireField &field);
};

/// ValueInfoProto: an input or output of a graph.
struct ValueInfo {
  std::string_view name;
  ValueType type;

  Status set(const WireField &field);
};

/// SparseTensorProto. Only the name is read, since these tensors are not
/// supported.
struct SparseTensor {
  TensorProto values;

  Status set(const WireField &field);
};

/// GraphProto.
struct Graph {
  std::string_view name;
  std::vector<Node> nodes;
  std::vector<TensorProto> initializers;
  std::vector<SparseTensor> sparseInitializers;
  std::vector<ValueInfo> inputs, outputs;

  Status set(const WireField &field);
};

/// OperatorSetIdProto.
struct OpsetId {
  std::string_view domain;
  int64_t version = 0;

  Status set(const WireField &field);
};

/// FunctionProto: an op that the model defines by nodes.
struct Function {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  /// Attributes with a default value.
  std::vector<Attribute> defaults;
  std::vector<Node> nodes;
  std::vector<OpsetId> opsets;

  Status set(const WireField &field);
};

/// ModelProto.
struct Model {
  std::vector<OpsetId> opsets;
  std::unique_ptr<Graph> graph;
  std::vector<Function> functions;

  Status set(const WireField &field);
};

/// Refuses names with control characters, because names are printed in reports
/// and on terminals.
Status checkNames(const Model &model);

/// The model in `file`. The bytes of `file` must outlive the model.
StatusOr<Model> readModel(std::span<const std::byte> file);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_MODEL_H
