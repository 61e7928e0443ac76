//===- Inputs.cpp - The inputs of an ONNX graph -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "weir/Dialect/Weir/IR/Elements.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/Counted.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/TensorFile.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::onnx;

llvm::StringSet<> weir::onnx::listInputNames(const Model &model) {
  llvm::StringSet<> names;
  for (const ValueInfo &input : model.graph->inputs)
    names.insert(input.name);
  return names;
}

std::pair<std::string, bool>
weir::onnx::findInputName(const llvm::StringSet<> &inputs,
                          const std::string &name) {
  StringRef rest = name;
  bool isQualified = !inputs.contains(name) && rest.consume_front(entryName) &&
                     rest.consume_front("/");
  return {isQualified ? rest.str() : name, isQualified};
}

std::string Importer::offerInputs(StringRef name) const {
  std::vector<std::string> names;
  for (const ValueInfo &input : model.graph->inputs)
    names.emplace_back(input.name);
  return offerNames(std::string_view(name), names, "inputs");
}

Status Importer::readOptions() {
  for (const ShapeOption &shape : plan.shapes)
    shapes[shape.input] = shape.dims;
  // A value for `main/NAME` overrides a value for `NAME`. Shapes follow the
  // same rule.
  const llvm::StringSet<> inputs = listInputNames(model);
  llvm::StringSet<> own;
  for (bool isOwn : {true, false})
    for (const std::string &text : options.bind) {
      WEIR_ASSIGN_OR_RETURN(const BindOption option, parseBindOption(text));
      auto [name, isQualified] = findInputName(inputs, option.input);
      if (isQualified != isOwn || (!isOwn && own.contains(name)))
        continue;
      if (isOwn)
        own.insert(name);
      if (!bound.try_emplace(name, option.file).second)
        return invalidArgument(
            fmt::format("--bind {}: '{}' is bound twice", text, name));
    }
  return checkOptionNames(inputs);
}

/// Checks that every name in an option is the name of an input, and that no
/// input has both a shape and a value.
Status Importer::checkOptionNames(const llvm::StringSet<> &inputs) const {
  auto check = [&](StringRef flag, StringRef name) {
    if (inputs.contains(name))
      return Status::ok();
    return invalidArgument(fmt::format(
        "{} names '{}', which is not an input of the graph; {}{}", flag.str(),
        name.str(), offerInputs(name), describeList(std::string_view(name))));
  };
  for (const auto &shape : shapes)
    WEIR_RETURN_IF_ERROR(check("--shape", shape.first()));
  for (const auto &file : bound) {
    WEIR_RETURN_IF_ERROR(check("--bind", file.first()));
    if (shapes.contains(file.first()))
      return invalidArgument(fmt::format(
          "--shape gives '{}' a shape, but --bind makes it a constant, which "
          "has the shape of its file; give one of the two flags",
          file.first().str()));
  }
  return Status::ok();
}

/// Collects the sizes of named dims. A size applies wherever the name occurs.
Status Importer::nameDims() {
  for (const ValueInfo &input : model.graph->inputs) {
    auto given = shapes.find(input.name);
    if (given == shapes.end() || !input.type.tensor ||
        !input.type.tensor->shape)
      continue;
    const std::vector<Dim> &dims = input.type.tensor->shape->dims;
    if (dims.size() != given->second.size())
      continue;
    for (auto [dim, size] : llvm::zip(dims, given->second)) {
      if (dim.size || dim.name.empty())
        continue;
      auto [known, isNew] = dimSizes.try_emplace(dim.name, size);
      if (!isNew && known->second != size)
        return invalidArgument(fmt::format(
            "--shape gives dim '{}' the sizes {} and {}; give it one", dim.name,
            known->second, size));
    }
  }
  return Status::ok();
}

/// The sizes of an input, from the user or the model. Other sizes are unknown.
StatusOr<std::vector<int64_t>> Importer::inputDims(const ValueInfo &input) {
  auto given = shapes.find(input.name);
  const Shape *shape = input.type.tensor->shape.get();
  if (!shape)
    return given != shapes.end() ? given->second
                                 : std::vector<int64_t>{unknownDim};
  if (given != shapes.end() && given->second.size() != shape->dims.size())
    return invalidArgument(fmt::format(
        "input '{0}' is {1}, which has {2}, found {3} in --shape={0}:{4}; "
        "sizes can be given, the number of dims is the model's",
        input.name, describe(*shape), counted(shape->dims.size(), "dim"),
        given->second.size(), shapeToString(given->second)));
  std::vector<int64_t> dims;
  for (auto [i, dim] : llvm::enumerate(shape->dims)) {
    auto named = dimSizes.find(dim.name);
    std::optional<int64_t> size = dim.size;
    if (given != shapes.end())
      size = given->second[i];
    else if (!size && named != dimSizes.end())
      size = named->second;
    if (dim.size && size != dim.size)
      return invalidArgument(fmt::format(
          "input '{0}' is {1}, of which dim {2} is {3}, found {4} in "
          "--shape={0}:{5}; give it {3}, or export the model with that dim "
          "open",
          input.name, describe(*shape), i, *dim.size, *size,
          shapeToString(given->second)));
    dims.push_back(size.value_or(unknownDim));
  }
  return dims;
}

/// The sizes of an input as text. Each size that the user must give is a `?`.
static std::string describeTemplate(const Shape *shape,
                                    llvm::ArrayRef<int64_t> dims) {
  return shape ? shapeToString(dims) : "...";
}

/// Reports all inputs with unknown dims at once, and lists the flags that set
/// the dims.
Status Importer::checkDims(const Scope &scope) {
  std::string list, flags;
  for (const ValueInfo &input : model.graph->inputs) {
    if (!input.type.tensor || bound.contains(input.name) ||
        scope.initializers.contains(input.name))
      continue;
    WEIR_ASSIGN_OR_RETURN(std::vector<int64_t> dims, inputDims(input));
    if (!llvm::is_contained(dims, unknownDim))
      continue;
    const Shape *shape = input.type.tensor->shape.get();
    list += fmt::format("{}'{}' {}", list.empty() ? "" : ", ", input.name,
                        shape ? "is " + describe(*shape)
                              : std::string("has no shape"));
    flags += fmt::format(" --shape={}:{}", input.name,
                         describeTemplate(shape, dims));
  }
  if (list.empty())
    return Status::ok();
  const bool hasDots = flags.find("...") != std::string::npos;
  return invalidArgument(fmt::format(
      "expected a number for each dim of the inputs, but {}; put {} in{}", list,
      !hasDots ? "a number in place of each ?"
      : flags.find('?') != std::string::npos
          ? "a number in place of each ?, and dims such as 1x8 in place of the "
            "dots,"
          : "dims such as 1x8 in place of the dots",
      flags));
}

StatusOr<RankedTensorType> Importer::inputType(const ValueInfo &input) {
  if (!input.type.tensor)
    return unimplemented(
        fmt::format("input '{}' is not a tensor; sequences, maps and optionals "
                    "are not supported: make each tensor in it an input",
                    input.name));
  int64_t number = input.type.tensor->elementType;
  std::optional<DType> type = fromONNXType(number);
  if (!type)
    return unimplemented(fmt::format(
        "input '{}' has elements of type {}, which Weir does not have",
        input.name, onnxTypeName(number)));
  WEIR_ASSIGN_OR_RETURN(std::vector<int64_t> dims, inputDims(input));
  if (auto bytes = rowMajorBytes(*type, dims); !bytes)
    return std::move(bytes).status().withContext(
        fmt::format("input '{}'", input.name));
  return makeTensorType(dims, toMLIRType(*type, context));
}

/// Whether a tensor of type `elementType` and shape `dims` fits an input.
static bool fits(const onnx::TensorType &type, int64_t elementType,
                 llvm::ArrayRef<int64_t> dims) {
  if (type.elementType != elementType)
    return false;
  if (!type.shape)
    return true;
  return type.shape->dims.size() == dims.size() &&
         llvm::all_of(llvm::zip(type.shape->dims, dims), [](auto pair) {
           auto &[dim, size] = pair;
           return dim.size.value_or(size) == size;
         });
}

/// Replaces the input by a constant.
Status Importer::bindInput(const ValueInfo &input, const std::string &path,
                           Scope &scope) {
  auto value = decoded.bound.find(input.name);
  if (value == decoded.bound.end()) {
    auto read = readTensorFile(path);
    if (!read)
      return offerForms(std::move(read).status(), path, "FILE.npy or FILE.pb");
    value = decoded.bound.try_emplace(input.name, *std::move(read)).first;
  }
  const HostTensor &tensor = value->second;
  if (const TensorType *type = input.type.tensor.get()) {
    const bool isTyped = fromONNXType(type->elementType) == tensor.type();
    if (!isTyped || !fits(*type, type->elementType, tensor.dims()))
      return invalidArgument(fmt::format(
          "--bind expects {2} of {1} for input '{0}', found {4} in '{3}'; "
          "convert or reshape it",
          input.name, type->shape ? describe(*type->shape) : "a tensor",
          onnxTypeName(type->elementType), path, tensor.desc().toString()));
  }
  auto location = NameLoc::get(builder.getStringAttr(input.name));
  auto constant =
      ConstantOp::create(builder, location, copyElements(tensor, context));
  return define(input.name, constant, scope);
}

/// Checks that the initialiser of an input has the type of the input.
static Status checkDefault(const ValueInfo &input, const TensorProto &value) {
  const onnx::TensorType *type = input.type.tensor.get();
  if (!type || fits(*type, value.elementType, value.dims))
    return Status::ok();
  return invalidArgument(fmt::format(
      "the initialiser of input '{}' expects {} of {}, as the input is "
      "declared, found {} of {}; correct one of them",
      input.name, type->shape ? describe(*type->shape) : "a tensor",
      onnxTypeName(type->elementType), shapeToString(value.dims),
      onnxTypeName(value.elementType)));
}

Status Importer::addInput(const ValueInfo &input, Scope &scope) {
  if (input.name.empty())
    return invalidArgument("an input has no name; give it one");
  if (auto file = bound.find(input.name); file != bound.end()) {
    scope.initializers.erase(input.name);
    return bindInput(input, file->second, scope);
  }
  // An initialiser with the name of an input is its default value.
  if (auto value = scope.initializers.find(input.name);
      value != scope.initializers.end())
    return checkDefault(input, *value->second);
  WEIR_ASSIGN_OR_RETURN(RankedTensorType type, inputType(input));
  auto location = NameLoc::get(builder.getStringAttr(input.name));
  return define(input.name, entry.getBody().addArgument(type, location), scope);
}

Status Importer::addInputs(Scope &scope) {
  WEIR_RETURN_IF_ERROR(nameDims());
  WEIR_RETURN_IF_ERROR(checkDims(scope));
  for (const ValueInfo &input : model.graph->inputs)
    WEIR_RETURN_IF_ERROR(addInput(input, scope));
  return Status::ok();
}
