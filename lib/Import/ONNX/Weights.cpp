//===- Weights.cpp - Converts initialisers to weir values -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "weir/Dialect/Weir/IR/Elements.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"
#include "weir/Dialect/Weir/Transforms/Lifting/ParameterFiles.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;
using namespace weir::onnx;

/// The most bytes of a value that becomes a constant.
static constexpr size_t maxConstantBytes = 1 << 10;
/// The most bytes of integers whose values are known while the graph is built.
static constexpr size_t maxKnownBytes = 1 << 20;

Weights::Weights(ModuleOp module, const std::string &path,
                 const MappedFile &file, const ONNXImportOptions &options,
                 DecodedTensors &decoded)
    : module(module), path(path), file(file), options(options),
      decoded(decoded) {
  for (auto symbol : module.getOps<SymbolOpInterface>())
    symbols.insert(symbol.getName());
  // A malformed glob is skipped, because weir-add-gradients reports it.
  for (StringRef rule : options.gradients)
    if (auto glob = Glob::parse(std::string_view(rule.rsplit('=').second));
        glob.isOk())
      differentiated.push_back(*std::move(glob));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The number that an external tensor has under `key`, or `otherwise` if it has
/// none.
static StatusOr<uint64_t> readNumber(const TensorProto &tensor,
                                     std::string_view key, uint64_t otherwise) {
  std::string_view text = tensor.external(key);
  if (text.empty())
    return otherwise;
  uint64_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size())
    return number;
  return invalidArgument(fmt::format("the {} of its external data is '{}', "
                                     "expected a number of bytes from 0 to "
                                     "2^64 - 1",
                                     key, text));
}

/// Opens a file in the model's folder. Other files are refused, because a model
/// must not make its reader read arbitrary files.
StatusOr<const MappedFile *> Weights::openBeside(const std::string &location) {
  if (auto known = others.find(location); known != others.end())
    return &known->second;
  std::filesystem::path relative(location);
  std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  std::filesystem::path root = std::filesystem::canonical(folder, error);
  std::filesystem::path target =
      std::filesystem::weakly_canonical(folder / relative, error);
  auto [inRoot, rest] =
      std::mismatch(root.begin(), root.end(), target.begin(), target.end());
  if (location.empty())
    return invalidArgument("its external data names no file; give it a "
                           "'location' in the model's folder");
  if (location.find('\0') != location.npos || relative.is_absolute() ||
      inRoot != root.end() || rest == target.end())
    return invalidArgument(fmt::format(
        "its external data is in '{}', which is not in the model's folder; put "
        "the file there and name it relative to the folder",
        location));
  StatusOr<MappedFile> opened = MappedFile::open(target.string());
  if (!opened)
    return Status(
        opened.status().code(),
        fmt::format("{}; the model keeps weights in that file, put it "
                    "there",
                    opened.status().message()));
  if (options.weightFiles)
    options.weightFiles->push_back(target.string());
  return &others.try_emplace(location, *std::move(opened)).first->second;
}

StatusOr<Weights::Place> Weights::locateExternal(const TensorProto &tensor) {
  const std::string location(tensor.external("location"));
  WEIR_ASSIGN_OR_RETURN(const MappedFile *other, openBeside(location));
  WEIR_ASSIGN_OR_RETURN(size_t size, tensor.byteSize());
  WEIR_ASSIGN_OR_RETURN(uint64_t offset, readNumber(tensor, "offset", 0));
  WEIR_ASSIGN_OR_RETURN(uint64_t length, readNumber(tensor, "length", size));
  std::span<const std::byte> bytes = other->bytes();
  if (length != size)
    return dataLoss(fmt::format("its external data has {} bytes, expected {}",
                                length, size));
  if (offset > bytes.size() || size > bytes.size() - offset)
    return dataLoss(fmt::format(
        "its external data is {} bytes from byte {} on of '{}', which has {}; "
        "the file is cut off or another one",
        size, offset, location, bytes.size()));
  return Place{location, offset, bytes.subspan(offset, size)};
}

/// The place of the elements in a file, if they are stored in Weir's format.
StatusOr<std::optional<Weights::Place>>
Weights::locate(const TensorProto &tensor) {
  if (tensor.isExternal()) {
    WEIR_ASSIGN_OR_RETURN(Place place, locateExternal(tensor));
    return std::optional<Place>(std::move(place));
  }
  std::optional<std::span<const std::byte>> bytes = tensor.plainBytes();
  if (!bytes)
    return std::optional<Place>();
  auto offset = static_cast<uint64_t>(bytes->data() - file.bytes().data());
  return std::optional<Place>(
      Place{path.filename().string(), bytes->empty() ? 0 : offset, *bytes});
}

//===----------------------------------------------------------------------===//
// Constant nodes
//===----------------------------------------------------------------------===//

/// Whether `tensor` can be a weight: it has floats and dims.
static bool mayBeTrained(const TensorProto &tensor) {
  StatusOr<DType> type = tensor.type();
  return type.isOk() && isFloat(*type) && !tensor.dims.empty();
}

/// Whether `tensor` has a single element, as factors and limits do.
static bool isSingle(const TensorProto &tensor) {
  return llvm::all_of(tensor.dims, [](int64_t size) { return size == 1; });
}

/// Warns that some constants stay untrained.
static void warnOfKept(llvm::ArrayRef<std::string_view> names,
                       std::string_view why, ModuleOp module) {
  constexpr size_t maxListed = 5;
  if (names.empty())
    return;
  mlir::emitWarning(module.getLoc()) << fmt::format(
      "--train: values of Constant nodes stay as they are, because {}: '{}'{}; "
      "make those that are weights initialisers",
      why, fmt::join(names.take_front(maxListed), "', '"),
      names.size() > maxListed
          ? fmt::format(" and {} more", names.size() - maxListed)
          : "");
}

void Weights::findConstants(const Graph &graph) {
  const bool areInitializers = llvm::any_of(graph.initializers, mayBeTrained);
  std::vector<std::string_view> large, single;
  for (const Node &node : graph.nodes) {
    const onnx::Attribute *value =
        node.opType == "Constant" ? node.find("value") : nullptr;
    if (!value || node.outputs.empty() || !mayBeTrained(value->tensor))
      continue;
    const TensorProto &tensor = value->tensor;
    const std::string_view name = node.outputs.front();
    const bool isTrained =
        options.forTraining && !areInitializers && !isSingle(tensor);
    if (isTrained || options.parameters.contains(name))
      constantNames[&tensor] = name;
    else if (isSingle(tensor))
      single.push_back(name);
    else if (auto size = tensor.byteSize();
             size.isOk() && *size > maxConstantBytes)
      large.push_back(name);
  }
  if (!options.forTraining)
    return;
  warnOfKept(large, "the model has initialisers that are weights", module);
  if (!areInitializers)
    warnOfKept(single, "they have one element", module);
}

/// The name of the parameter that `tensor` becomes.
std::string_view Weights::nameOf(const TensorProto &tensor) const {
  auto constant = constantNames.find(&tensor);
  return constant == constantNames.end() ? tensor.name : constant->second;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A name for a parameter. No other symbol of the module has this name.
std::string Weights::makeSymbol(StringRef name) {
  std::string symbol = name.empty() ? "weight" : name.str();
  for (unsigned n = 1; !symbols.insert(symbol).second; ++n)
    symbol = fmt::format("{}_{}", name.str(), n);
  return symbol;
}

StatusOr<Value> Weights::addParameter(const TensorProto &tensor,
                                      Location location,
                                      const std::optional<Place> &place,
                                      OpBuilder &builder) {
  WEIR_ASSIGN_OR_RETURN(DType type, tensor.type());
  auto tensorType =
      makeTensorType(tensor.dims, toMLIRType(type, builder.getContext()));
  const std::string symbol = makeSymbol(nameOf(tensor));
  StringAttr fileName;
  IntegerAttr offset;
  ElementsAttr value;
  if (place && type != DType::I1) {
    fileName = builder.getStringAttr(place->file);
    offset = builder.getI64IntegerAttr(static_cast<int64_t>(place->offset));
  } else {
    ElementsAttr &known = decoded.elements[&tensor];
    if (!known) {
      WEIR_ASSIGN_OR_RETURN(HostTensor elements, decode(tensor, place));
      known = takeElements(std::move(elements), symbol, builder.getContext());
    }
    value = known;
  }
  OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
  auto parameter =
      ParameterOp::create(atStart, location, builder.getStringAttr(symbol),
                          TypeAttr::get(tensorType), fileName, StringAttr(),
                          offset, value, UniformAttr(), DictionaryAttr());
  if (options.hashWeights && fileName)
    parameter->setAttr(attrs::contentHash,
                       builder.getStringAttr(hashContent(place->bytes)));
  return Value(ReadOp::create(builder, location, tensorType, symbol));
}

/// Decodes the tensor from its place, or from its message.
StatusOr<HostTensor> Weights::decode(const TensorProto &tensor,
                                     const std::optional<Place> &place) {
  if (!place)
    return tensor.decode();
  WEIR_ASSIGN_OR_RETURN(DType type, tensor.type());
  WEIR_ASSIGN_OR_RETURN(HostTensor elements,
                        HostTensor::copyOf(type, tensor.dims, place->bytes));
  if (type == DType::I1)
    for (std::byte &truth : elements.bytes())
      truth = std::byte{truth != std::byte{0}};
  return elements;
}

/// Whether the gradient of `tensor`, a small float tensor, is wanted.
bool Weights::isDifferentiated(const TensorProto &tensor, ConstantOp constant) {
  bool fits = false;
  const std::string_view name = nameOf(tensor);
  for (const Glob &glob : differentiated) {
    if (!glob.matches(name))
      continue;
    if (!tensor.dims.empty() || glob.pattern() == name)
      return true;
    fits = true;
  }
  if (fits)
    leftScalars.emplace_back(constant, &tensor);
  return false;
}

StatusOr<Value> Weights::add(const TensorProto &tensor, StringRef name,
                             OpBuilder &builder) {
  auto location = NameLoc::get(builder.getStringAttr(name));
  WEIR_ASSIGN_OR_RETURN(DType type, tensor.type());
  WEIR_ASSIGN_OR_RETURN(size_t size, tensor.byteSize());
  WEIR_ASSIGN_OR_RETURN(std::optional<Place> place, locate(tensor));
  if (size > (isFloat(type) ? maxConstantBytes : maxKnownBytes))
    return addParameter(tensor, location, place, builder);
  WEIR_ASSIGN_OR_RETURN(HostTensor elements, decode(tensor, place));
  auto constant = ConstantOp::create(
      builder, location, copyElements(elements, builder.getContext()));
  const bool isTrained =
      options.forTraining && isFloat(type) && !tensor.dims.empty();
  const bool isKept = isTrained ||
                      options.parameters.contains(nameOf(tensor)) ||
                      (isFloat(type) && isDifferentiated(tensor, constant));
  if (size > maxConstantBytes || isKept)
    laterParameters.push_back({constant, &tensor});
  else if (!options.parameters.empty() && mayBeTrained(tensor) &&
           name == StringRef(tensor.name))
    keptConstants.push_back({constant, &tensor});
  return Value(constant);
}

Value Weights::getNumRuns(OpBuilder &builder) {
  if (numRuns)
    return numRuns;
  const std::string symbol = makeSymbol("num_runs");
  auto type = RankedTensorType::get({}, builder.getI64Type());
  auto number = [&](int64_t value) {
    return DenseElementsAttr::get(type, builder.getI64IntegerAttr(value));
  };
  auto location = NameLoc::get(builder.getStringAttr(symbol));
  OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
  ParameterOp::create(atStart, location, builder.getStringAttr(symbol),
                      TypeAttr::get(type), StringAttr(), StringAttr(),
                      IntegerAttr(), number(0), UniformAttr(),
                      DictionaryAttr());
  numRuns = ReadOp::create(builder, location, type, symbol);
  Value one = ConstantOp::create(builder, location, number(1));
  Value next = AddOp::create(builder, location, ValueRange{numRuns, one});
  AssignOp::create(builder, location, symbol, next);
  return numRuns;
}

/// Warns of weights that the graph no longer reads. For example, the limits of
/// a Clip have become attributes.
void Weights::warnOfUnread() {
  llvm::StringSet<> read;
  for (auto [constant, tensor] : laterParameters)
    if (!constant->use_empty())
      read.insert(nameOf(*tensor));
  for (auto [constant, tensor] : laterParameters)
    if (options.parameters.contains(nameOf(*tensor)) &&
        read.insert(nameOf(*tensor)).second)
      mlir::emitWarning(constant.getLoc())
          << "--weights: '" << nameOf(*tensor)
          << "' keeps the value of the model, because an op has it as an "
             "attribute or nothing reads it; change the model";
}

/// Warns of scalars that stay constants although a rule of --gradient matches
/// them.
void Weights::warnOfScalars() {
  constexpr size_t mostNames = 10;
  std::vector<std::string> names;
  for (auto [constant, tensor] : leftScalars)
    if (!constant->use_empty() &&
        !llvm::is_contained(names, std::string(tensor->name)))
      names.emplace_back(tensor->name);
  if (names.empty())
    return;
  auto warning = mlir::emitWarning(UnknownLoc::get(module.getContext()))
                 << "--gradient: leaves out the scalars '"
                 << llvm::join(ArrayRef(names).take_front(mostNames), "', '")
                 << "'";
  if (names.size() > mostNames)
    warning << " and " << names.size() - mostNames << " more";
  warning << ", which are constants of the model; for the gradient of one, "
             "give its whole name, as in --gradient='LOSS="
          << names.front() << "'";
}

/// Lists the weights that stay constants, so that weir-read-weights knows them.
void Weights::nameKept() {
  llvm::SetVector<StringRef> names;
  for (auto [constant, tensor] : keptConstants)
    if (!constant->use_empty())
      names.insert(nameOf(*tensor));
  if (!names.empty())
    module->setAttr(
        attrs::keptWeights,
        Builder(module.getContext()).getStrArrayAttr(names.getArrayRef()));
}

Status Weights::finish() {
  nameKept();
  warnOfUnread();
  warnOfScalars();
  for (auto [constant, tensor] : laterParameters) {
    if (constant->use_empty())
      continue;
    OpBuilder builder(constant);
    WEIR_ASSIGN_OR_RETURN(std::optional<Place> place, locate(*tensor));
    WEIR_ASSIGN_OR_RETURN(
        Value read, addParameter(*tensor, constant.getLoc(), place, builder));
    constant.replaceAllUsesWith(read);
  }
  return Status::ok();
}
