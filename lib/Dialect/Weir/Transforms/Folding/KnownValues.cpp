//===- KnownValues.cpp - What is known of derivable values ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Folding/KnownValues.h"

#include "weir/Dialect/Weir/IR/Initializers.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"
#include "weir/Dialect/Weir/Transforms/Lifting/ParameterFiles.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"
#include "weir/Support/FillBytes.h"
#include "weir/Support/ScalarAlgebra.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace weir;

/// The most elements of a value that is computed, and the most arithmetic that
/// its last op may take.
static constexpr int64_t mostElements = int64_t(1) << 20;
static constexpr int64_t mostFlops = int64_t(1) << 22;
/// The most bytes that are kept of computed values with more than `fewElements`
/// elements. Further values of this kind count as unknown, and passes then
/// leave the graph as it is. Smaller values, such as the scales of channels,
/// are all kept. So whether a small value is known does not depend on other
/// values.
static constexpr size_t mostBytes = size_t(64) << 20;
static constexpr int64_t fewElements = 4096;
/// The deepest nesting of expressions that are computed.
static constexpr unsigned mostDepth = 64;

void Magnitudes::add(double element, double normal) {
  const double magnitude = std::abs(element);
  if (magnitude >= normal)
    least = std::min(least, magnitude);
  most = std::isnan(element) ? std::numeric_limits<double>::infinity()
                             : std::max(most, magnitude);
}

void Magnitudes::add(const Magnitudes &others) {
  least = std::min(least, others.least);
  most = std::max(most, others.most);
}

double weir::getLeastNormal(Type type) {
  return APFloat::getSmallestNormalized(
             cast<FloatType>(type).getFloatSemantics())
      .convertToDouble();
}

/// The magnitudes of f32 elements. The bits of magnitudes are compared as
/// integers, which gives the same order, with NaN above infinity. The compiler
/// vectorises a loop over integers.
static Magnitudes measureSingles(TensorBytes bytes, int64_t count) {
  constexpr auto normal =
      std::bit_cast<int32_t>(std::numeric_limits<float>::min());
  constexpr auto infinity =
      std::bit_cast<int32_t>(std::numeric_limits<float>::infinity());
  int32_t least = infinity, most = 0;
  for (int64_t i = 0; i < count; ++i) {
    int32_t bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
    bits &= std::numeric_limits<int32_t>::max();
    most = std::max(most, bits);
    least = std::min(least, bits < normal ? infinity : bits);
  }
  return {std::bit_cast<float>(least),
          std::bit_cast<float>(std::min(most, infinity))};
}

static Magnitudes measureBytes(TensorBytes bytes, Type type, int64_t count) {
  // Weights are large, and almost always have this type.
  if (type.isF32())
    return measureSingles(bytes, count);
  Magnitudes found;
  const double normal = getLeastNormal(type);
  const DType element = *toDType(type);
  for (int64_t i = 0; i < count; ++i)
    found.add(loadFloat(element, bytes.data(), i), normal);
  return found;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

ParameterOp KnownValues::findParameter(Value value) {
  auto entry = cast<func::FuncOp>(value.getParentBlock()->getParentOp());
  auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(getParameter(entry, value));
  return symbol ? symbols.lookup<ParameterOp>(symbol.getAttr()) : ParameterOp();
}

/// The bytes of a parameter that is in a file, if they can be read.
std::optional<TensorBytes> KnownValues::readFile(ParameterOp parameter) {
  const std::string path = getParameterPath(parameter);
  const TensorDesc desc =
      toTensorDesc(cast<RankedTensorType>(parameter.getType()));
  auto asChars = [](std::span<const std::byte> bytes) {
    return TensorBytes(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
  };
  if (std::optional<uint64_t> offset = parameter.getOffset()) {
    auto [file, isNew] = maps.try_emplace(path);
    if (isNew)
      if (auto opened = MappedFile::open(path); opened.isOk())
        file->second = *std::move(opened);
    const size_t size = desc.spanBytes();
    if (!file->second || *offset > file->second->bytes().size() ||
        size > file->second->bytes().size() - *offset)
      return std::nullopt;
    return asChars(file->second->bytes().subspan(*offset, size));
  }
  auto [file, isNew] = tensorFiles.try_emplace(path);
  if (isNew)
    if (auto opened = SafeTensors::open(path); opened.isOk())
      file->second = *std::move(opened);
  if (!file->second)
    return std::nullopt;
  auto tensor =
      file->second->tensor(parameter.getKey().value_or(parameter.getSymName()));
  if (!tensor.isOk() || tensor->desc.type != desc.type ||
      tensor->desc.dims != desc.dims)
    return std::nullopt;
  return asChars(tensor->bytes);
}

KnownValues::Bytes KnownValues::readParameter(ParameterOp parameter) {
  if (parameter.getFile()) {
    std::optional<TensorBytes> bytes = readFile(parameter);
    return bytes ? Bytes(std::in_place, bytes->begin(), bytes->end()) : Bytes();
  }
  if (parameter.getValue())
    return getConstantBytes(*parameter.getValue());
  const auto fill = parameter.getFill();
  if (!fill)
    return std::nullopt;
  const TensorDesc desc =
      toTensorDesc(cast<RankedTensorType>(parameter.getType()));
  std::vector<char> bytes(desc.spanBytes());
  fillBytes(*fill, desc.type, 0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

/// Bounds for random elements of up to `most`, without making the elements. A
/// number of 53 random bits is 0 or at least 2^-53. The bound is 2^-60, to be
/// safe.
static Magnitudes measureRandom(double most) {
  return most == 0 ? Magnitudes() : Magnitudes{std::ldexp(most, -60), most};
}

static Magnitudes measureFill(const Initializer &fill) {
  if (const auto *uniform = std::get_if<UniformFill>(&fill))
    return measureRandom(
        std::max(std::abs(uniform->low), std::abs(uniform->high)));
  // A number that is made from 53 random bits is at most this far from the
  // mean.
  if (const auto *normal = std::get_if<NormalFill>(&fill))
    return measureRandom(std::abs(normal->mean) + 9 * normal->scale);
  return measureRandom(std::abs(std::get<OrthogonalFill>(fill).gain));
}

std::optional<Magnitudes> KnownValues::measureParameter(ParameterOp parameter) {
  auto type = cast<RankedTensorType>(parameter.getType());
  if (auto fill = parameter.getFill())
    return std::visit([](const auto &own) { return measureFill(own); }, *fill);
  if (parameter.getInitial()) {
    auto initial = readInitializer(*parameter.getInitial(), type);
    return initial.isOk() ? std::optional(measureFill(*initial)) : std::nullopt;
  }
  if (parameter.getFile()) {
    std::optional<TensorBytes> bytes = readFile(parameter);
    return bytes ? std::optional(measureBytes(*bytes, type.getElementType(),
                                              type.getNumElements()))
                 : std::nullopt;
  }
  if (!parameter.getValue())
    return std::nullopt;
  return measureBytes(getConstantBytes(*parameter.getValue()),
                      type.getElementType(), type.getNumElements());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

KnownValues::Bytes KnownValues::compute(Operation *op, unsigned depth) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return getConstantBytes(constant.getValue());
  auto weirOp = dyn_cast<WeirOpInterface>(op);
  if (!weirOp || op->getNumResults() != 1 || !isEvaluable(weirOp) ||
      getEvaluationFlops(weirOp) > mostFlops)
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (!getBytes(operand, depth + 1))
      return std::nullopt;
  SmallVector<TensorBytes> operands;
  for (Value operand : op->getOperands())
    operands.push_back(*known.find(operand)->second);
  FailureOr<std::vector<std::vector<char>>> results =
      evaluate(weirOp, operands);
  return succeeded(results) ? Bytes(std::move(results->front())) : Bytes();
}

const KnownValues::Bytes &KnownValues::getBytes(Value value, unsigned depth) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Bytes bytes;
  const int64_t numElements = getTensorType(value).getNumElements();
  const bool isLarge = numElements > fewElements;
  if (depth <= mostDepth && numElements <= mostElements &&
      (!isLarge || numBytes < mostBytes)) {
    if (Operation *op = value.getDefiningOp())
      bytes = compute(op, depth);
    else if (ParameterOp parameter = findParameter(value))
      bytes = readParameter(parameter);
  }
  numBytes += isLarge && bytes ? bytes->size() : 0;
  return known[value] = std::move(bytes);
}

std::optional<std::vector<double>> KnownValues::getElements(Value value) {
  const TensorDesc desc = toTensorDesc(getTensorType(value));
  const Bytes &bytes = getBytes(value, /*depth=*/0);
  if (!bytes || !isFloat(desc.type) || !desc.isRowMajor())
    return std::nullopt;
  std::vector<double> elements;
  for (int64_t i = 0; i < desc.numElements(); ++i)
    elements.push_back(loadFloat(desc.type, bytes->data(), i));
  return elements;
}

std::optional<TensorBytes> KnownValues::view(Value value) {
  auto op = dyn_cast_or_null<WeirOpInterface>(value.getDefiningOp());
  if (op && op.isReinterpretation())
    return view(op->getOperand(0));
  if (!value.getDefiningOp())
    if (ParameterOp parameter = findParameter(value);
        parameter && parameter.getFile())
      return readFile(parameter);
  const Bytes &bytes = getBytes(value, /*depth=*/0);
  return bytes ? std::optional<TensorBytes>(*bytes) : std::nullopt;
}

/// Bounds for the result of an op that only moves or widens elements.
std::optional<Magnitudes> KnownValues::measureMoved(Value value,
                                                    unsigned depth) {
  auto op = dyn_cast_or_null<WeirOpInterface>(value.getDefiningOp());
  if (!op || op->getNumOperands() == 0)
    return std::nullopt;
  const OpRecord &record = op.getOpRecord();
  const bool isMove =
      op.isReinterpretation() || !op.getCopies().empty() ||
      (record.isPointwise() && isFormula(*record.getExpression(), "a"));
  auto getWidth = [](Value each) {
    Type type = getTensorType(each).getElementType();
    return isa<FloatType>(type) ? type.getIntOrFloatBitWidth() : 0;
  };
  Magnitudes all;
  for (Value operand : op->getOperands()) {
    if (!isMove || getWidth(operand) == 0 ||
        getWidth(operand) > getWidth(value))
      return std::nullopt;
    std::optional<Magnitudes> own = measure(operand, depth + 1);
    if (!own)
      return std::nullopt;
    all.add(*own);
  }
  return all;
}

std::optional<Magnitudes> KnownValues::measure(Value value, unsigned depth) {
  if (auto found = measured.find(value); found != measured.end())
    return found->second;
  std::optional<Magnitudes> found;
  if (depth <= mostDepth && !value.getDefiningOp()) {
    if (ParameterOp parameter = findParameter(value))
      found = measureParameter(parameter);
  } else if (auto constant = value.getDefiningOp<ConstantOp>()) {
    found = measureBytes(getConstantBytes(constant.getValue()),
                         getTensorType(value).getElementType(),
                         getTensorType(value).getNumElements());
  } else if (depth <= mostDepth) {
    found = measureMoved(value, depth);
  }
  if (!found)
    if (const Bytes &bytes = getBytes(value, depth))
      found = measureBytes(*bytes, getTensorType(value).getElementType(),
                           getTensorType(value).getNumElements());
  return measured[value] = found;
}

std::optional<Magnitudes> KnownValues::measure(Value value) {
  return measure(value, /*depth=*/0);
}
