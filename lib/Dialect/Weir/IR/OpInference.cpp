//===- OpInference.cpp - Infers result types from an op's record ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KnownOps.h"
#include "MeantOperands.h"

#include "weir/Dialect/Weir/IR/Axis.h"
#include "weir/Dialect/Weir/IR/OpSupport.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/ShapeLimits.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <fmt/format.h>

#include <cmath>

using namespace mlir;
using namespace weir;

namespace {
/// Determines the element types of an op from its record's type spec.
class TypeBinder {
public:
  TypeBinder(const OpRecord &record, const AttrMap &attrs)
      : record(record), attrs(attrs) {}

  /// The result's element type.
  StatusOr<Type> bind(TypeRange operands, MLIRContext *context);

private:
  Status bindOperand(size_t index, StringRef entry, Type type);

  const OpRecord &record;
  const AttrMap &attrs;
  llvm::StringMap<Type> variables;
};
} // namespace

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The element types of Weir.
static std::string listTypes(MLIRContext *context) {
  std::string known;
  for (int number = 0; number < numDTypes; ++number)
    known += (number ? ", " : "") +
             spell(toMLIRType(static_cast<DType>(number), context));
  return known;
}

/// Refuses a type that Weir does not have. No cast can convert it.
static Status checkIsKnown(size_t index, Type type) {
  if (toDType(type))
    return Status::ok();
  return invalidArgument(
      fmt::format("operand {} expects an element type of Weir ({}), found {}",
                  index, listTypes(type.getContext()), spell(type)));
}

/// The kind that the letter of a type spec requires, if `type` is not of that
/// kind; else empty.
static std::string_view findMissingKind(char letter, Type type) {
  bool isFloat = isa<FloatType>(type), isTruth = type.isInteger(1);
  if ((letter == 'F' || letter == 'G') && !isFloat)
    return "a float";
  if (letter == 'I' && (isFloat || isTruth))
    return "an integer";
  if (letter == 'L' && isFloat)
    return "an integer or i1";
  return {};
}

Status TypeBinder::bindOperand(size_t index, StringRef entry, Type type) {
  WEIR_RETURN_IF_ERROR(checkIsKnown(index, type));
  if (!llvm::isUpper(entry.front())) {
    if (spell(type) == entry)
      return Status::ok();
    return invalidArgument(
        fmt::format("operand {} expects element type {}, found {}; insert a "
                    "weir.cast",
                    index, std::string_view(entry), spell(type)));
  }
  if (std::string_view kind = findMissingKind(entry.front(), type);
      !kind.empty())
    return invalidArgument(
        fmt::format("operand {} expects {} element type, found {}; insert a "
                    "weir.cast",
                    index, kind, spell(type)));
  bool mayBeWider = entry.consume_back("+");
  auto [it, isNew] = variables.try_emplace(entry, type);
  if (isNew || it->second == type ||
      (mayBeWider && type.isF32() && it->second.getIntOrFloatBitWidth() == 16))
    return Status::ok();
  return invalidArgument(fmt::format(
      "operand {} expects element type {} like the operands before, found {}; "
      "insert a weir.cast",
      index, spell(it->second), spell(type)));
}

StatusOr<Type> TypeBinder::bind(TypeRange operands, MLIRContext *context) {
  for (auto [index, type] : llvm::enumerate(operands))
    WEIR_RETURN_IF_ERROR(
        bindOperand(index, record.getOperandType(index),
                    cast<RankedTensorType>(type).getElementType()));
  StringRef result = record.getResultType();
  if (result.consume_front("@")) {
    std::string_view name = attrs.textOr(std::string_view(result), "");
    std::optional<DType> dtype = parseDType(name);
    if (!dtype)
      return invalidArgument(
          fmt::format("attribute '{}' expects an element type of Weir ({})",
                      std::string_view(result), listTypes(context)));
    return toMLIRType(*dtype, context);
  }
  if (llvm::isUpper(result.front()))
    return variables.lookup(result);
  return toMLIRType(*parseDType(std::string_view(result)), context);
}

/// Calls `infer`. Checks the sizes of the operands and results, because the
/// arithmetic of `infer` does not check for overflow.
static StatusOr<SmallVector<Type>>
inferOwnShapes(TypeRange operands, const AttrMap &attrs,
               opdetail::InferShapesFn infer) {
  for (auto [index, type] : llvm::enumerate(operands))
    WEIR_RETURN_IF_ERROR(checkShape(toDims(cast<RankedTensorType>(type)),
                                    fmt::format("operand {}", index)));
  WEIR_ASSIGN_OR_RETURN(SmallVector<Type> results, infer(operands, attrs));
  for (auto [index, type] : llvm::enumerate(results))
    WEIR_RETURN_IF_ERROR(checkShape(toDims(cast<RankedTensorType>(type)),
                                    fmt::format("result {}", index)));
  return results;
}

/// Checks that an op with `record` has `count` operands. The error lists the
/// names of the operands.
static Status checkOperandCount(const OpRecord &record, size_t count) {
  const IndexSpec &spec = record.getIndexSpec();
  Status checked = spec.checkOperandCount(count);
  if (checked.isOk() || spec.operandTerms().size() < 2)
    return checked;
  std::vector<std::string_view> names;
  for (size_t i = 0; i < spec.operandTerms().size(); ++i)
    names.push_back(record.getOperandName(i));
  return invalidArgument(fmt::format(
      "{}; the operands are {}", checked.message(), fmt::join(names, ", ")));
}

/// Suggests a number of groups for a convolution without groups, if its weights
/// have only a part of the channels of the image.
static std::string
describeGroups(const OpRecord &record, TypeRange operands, const AttrMap &attrs,
               llvm::function_ref<bool(const AttrMap &)> takes) {
  constexpr std::string_view name = "groups";
  if (!record.hasIndexSpec() || !record.getIndexSpec().hasWindows() ||
      operands.size() < 2 || attrs.intOr(name, 1) != 1)
    return {};
  auto image = dyn_cast<RankedTensorType>(operands[0]);
  auto weights = dyn_cast<RankedTensorType>(operands[1]);
  if (!image || !weights || image.getRank() < 2 || weights.getRank() < 2 ||
      weights.getDimSize(1) < 1 || image.getDimSize(1) <= weights.getDimSize(1))
    return {};
  const int64_t count = image.getDimSize(1) / weights.getDimSize(1);
  AttrMap grouped = attrs;
  grouped.set(std::string(name), std::vector<int64_t>{count});
  return takes(grouped) ? fmt::format("; it fits with {{{} = {}}}", name, count)
                        : std::string();
}

/// The result types, or an error about the operands.
static StatusOr<SmallVector<Type>>
inferTypes(const OpRecord &record, TypeRange operands, const AttrMap &attrs,
           MLIRContext *context, opdetail::InferShapesFn infer) {
  for (auto [index, type] : llvm::enumerate(operands))
    if (!isa<RankedTensorType>(type)) {
      std::string found;
      llvm::raw_string_ostream(found) << type;
      return invalidArgument(fmt::format(
          "operand {} expects a ranked tensor, found {}", index, found));
    }
  // The number of operands is checked first, because an error about the type of
  // an excess operand would be misleading.
  if (record.hasIndexSpec())
    WEIR_RETURN_IF_ERROR(checkOperandCount(record, operands.size()));
  WEIR_ASSIGN_OR_RETURN(Type elementType,
                        TypeBinder(record, attrs).bind(operands, context));
  if (infer)
    return inferOwnShapes(operands, attrs, infer);
  std::vector<std::vector<int64_t>> shapes;
  for (Type type : operands)
    shapes.push_back(toDims(cast<RankedTensorType>(type)));
  WEIR_ASSIGN_OR_RETURN(BoundSpec bound,
                        record.getIndexSpec().bind(shapes, attrs));
  return SmallVector<Type>{makeTensorType(bound.resultDims, elementType)};
}

LogicalResult opdetail::inferResultTypes(const OpRecord &record,
                                         std::optional<Location> location,
                                         TypeRange operands,
                                         DictionaryAttr attributes,
                                         InferShapesFn inferShapes,
                                         SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return emitOptionalError(location, "'weir.", record.getMnemonic(),
                             "' op expects at least one operand");
  MLIRContext *context = operands.front().getContext();
  const auto *met = context->getLoadedDialect<WeirDialect>()
                        ->getRegisteredInterface<InferredTypes>();
  const InferredTypes::Question question = {
      &record, attributes, FunctionType::get(context, operands, {})};
  if (const FunctionType *known = met->find(question)) {
    llvm::append_range(types, known->getResults());
    return success();
  }
  const AttrMap attrs = toAttrMap(attributes);
  StatusOr<SmallVector<Type>> inferred =
      inferTypes(record, operands, attrs, context, inferShapes);
  if (!inferred.isOk()) {
    if (!location)
      return failure();
    auto takes = [&](const OpRecord &tried, TypeRange changed) {
      return inferTypes(tried, changed, attrs, context,
                        &tried == &record ? inferShapes : nullptr)
          .isOk();
    };
    auto takesWith = [&](const AttrMap &tried) {
      return inferTypes(record, operands, tried, context, inferShapes).isOk();
    };
    std::string meant = describeGroups(record, operands, attrs, takesWith);
    if (meant.empty())
      meant = describeMeant(record, operands, takes);
    StringRef message = inferred.status().message();
    // The hint replaces the advice to insert a cast.
    if (!meant.empty())
      message.consume_back("; insert a weir.cast");
    return emitError(*location, "'weir.")
           << record.getMnemonic() << "' op " << message << meant;
  }
  met->add(question, FunctionType::get(context, operands, *inferred));
  llvm::append_range(types, *inferred);
  return success();
}

bool opdetail::areEqualUpToLayout(TypeRange inferred, TypeRange actual) {
  if (inferred.size() != actual.size())
    return false;
  for (auto [left, right] : llvm::zip(inferred, actual)) {
    auto leftTensor = dyn_cast<RankedTensorType>(left);
    auto rightTensor = dyn_cast<RankedTensorType>(right);
    if (!leftTensor || !rightTensor ||
        leftTensor.getElementType() != rightTensor.getElementType() ||
        failed(verifyCompatibleShape(leftTensor.getShape(),
                                     rightTensor.getShape())))
      return false;
  }
  return true;
}

LogicalResult opdetail::verifyAxis(Operation *op, int64_t axis) {
  StatusOr<int64_t> found =
      resolveAxis(axis, getTensorType(op->getOperand(0)).getRank());
  if (found.isOk())
    return success();
  return op->emitOpError(StringRef(found.status().message()));
}

LogicalResult opdetail::verifyExact(Operation *op, StringRef name,
                                    const APFloat &value, StringRef repair) {
  Type type = getTensorType(op->getResult(0)).getElementType();
  if (isa<FloatType>(type))
    return success();
  // A number beyond the range of the type becomes the nearest integer of the
  // type.
  const double unsure = std::ldexp(1.0, 53);
  const double most =
      std::ldexp(1.0, type.getIntOrFloatBitWidth() - !type.isUnsignedInteger());
  double number = value.convertToDouble();
  if (!(std::abs(number) >= unsure && std::abs(number) <= most))
    return success();
  return op->emitOpError("attribute '")
         << name << "' is " << fmt::format("{:.0f}", number)
         << ", but from 2^53 on it does not hold every " << type
         << " exactly; use " << repair;
}
