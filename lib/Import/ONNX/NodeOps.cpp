//===- NodeOps.cpp - The ops that an ONNX node becomes ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"

#include "weir/Dialect/Weir/IR/BuildLeaf.h"
#include "weir/Dialect/Weir/IR/Elements.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/FoldOp.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace mlir;
using namespace weir;
using namespace weir::onnx;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Creates the op with the types that it infers; null after an error.
Operation *NodeBuilder::createOp(OperationState &state) {
  auto *inference = state.name.getInterface<InferTypeOpInterface>();
  SmallVector<Type> types;
  if (failed(inference->inferReturnTypes(
          builder.getContext(), state.location, state.operands,
          state.attributes.getDictionary(builder.getContext()),
          /*properties=*/nullptr, /*regions=*/{}, types)))
    return nullptr;
  for (Type type : types) {
    auto tensor = llvm::cast<RankedTensorType>(type);
    StatusOr<size_t> bytes =
        rowMajorBytes(*toDType(tensor.getElementType()), toDims(tensor));
    if (bytes.isOk() && tensor.getRank() <= maxTensorRank)
      continue;
    fail("its result would be {}, which is too large for any machine",
         shapeToString(toDims(tensor)));
    return nullptr;
  }
  state.addTypes(types);
  Operation *op = builder.create(state);
  if (succeeded(verify(op)))
    return op;
  op->erase();
  return nullptr;
}

SmallVector<Tensor> NodeBuilder::makeOp(StringRef opName,
                                        ArrayRef<Tensor> operands,
                                        ArrayRef<NamedAttribute> attrs) {
  SmallVector<Tensor> none(1);
  if (!isOk() || llvm::any_of(operands, [](Tensor t) { return !t; })) {
    fail("it lacks an input");
    return none;
  }
  OperationState state(location, opName);
  for (Tensor operand : operands)
    state.operands.push_back(operand);
  state.addAttributes(attrs);
  // The message already names the node, so the op's prefix is removed.
  std::string messages, opening = fmt::format("'{}' op ", opName.str());
  ScopedDiagnosticHandler handler(
      builder.getContext(), [&](Diagnostic &diagnostic) {
        std::string text = diagnostic.str();
        StringRef message = text;
        message.consume_front(opening);
        messages += (messages.empty() ? "" : "; ") +
                    inWordsOfNode(message.str(), operands);
        // The advice for textual IR is replaced by the advice for ONNX.
        if (StringRef(messages).ends_with("insert a weir.cast"))
          messages.replace(messages.rfind("weir.cast"), StringRef::npos,
                           "Cast");
      });
  Operation *op = createOp(state);
  SmallVector<Value> values;
  if (op)
    llvm::append_range(values, op->getResults());
  auto weirOp = dyn_cast_or_null<WeirOpInterface>(op);
  if (weirOp && isFoldable(weirOp)) {
    FailureOr<SmallVector<Value>> folded = foldOp(weirOp);
    values = succeeded(folded) ? *folded : SmallVector<Value>();
  }
  if (values.empty()) {
    fail("{}", messages);
    return none;
  }
  return llvm::map_to_vector(values, [&](Value value) { return wrap(value); });
}

NamedAttribute NodeBuilder::attr(StringRef name, int64_t value) {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}
NamedAttribute NodeBuilder::attr(StringRef name, double value) {
  return builder.getNamedAttr(name, builder.getF64FloatAttr(value));
}
NamedAttribute NodeBuilder::attr(StringRef name, bool value) {
  return builder.getNamedAttr(name, builder.getBoolAttr(value));
}
NamedAttribute NodeBuilder::attr(StringRef name, ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getI64ArrayAttr(values));
}

Type NodeBuilder::elementType(int64_t type) {
  if (std::optional<DType> known = fromONNXType(type))
    return toMLIRType(*known, builder.getContext());
  failWith(unimplemented(fmt::format(
      "element type {} ({}) is not supported; supported are float, "
      "double, float16, bfloat16, int8, uint8, int16, uint16, int32, "
      "uint32, int64, uint64 and bool",
      onnxTypeName(type), type)));
  return f32();
}

Tensor NodeBuilder::constant(const HostTensor &tensor) {
  return wrap(ConstantOp::create(builder, location,
                                 copyElements(tensor, builder.getContext())));
}

Tensor NodeBuilder::ints(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    builder.getI64Type());
  return wrap(ConstantOp::create(builder, location,
                                 DenseElementsAttr::get(type, values)));
}

/// A long iota is the sum of two short ones, so that the artifact stays small.
Tensor NodeBuilder::iota(int64_t size, int64_t axis, int64_t rank) {
  constexpr int64_t longest = 1 << 14;
  Ints shape(rank, 1);
  shape[axis] = size;
  if (size <= longest)
    return reshape(ints(llvm::to_vector(llvm::seq<int64_t>(0, size))), shape);
  const int64_t rows = (size - 1) / longest + 1;
  Tensor all =
      iota(rows, 0, 2) * static_cast<double>(longest) + iota(longest, 1, 2);
  all = slice(reshape(all, {rows * longest}), 0, 0, size);
  return reshape(all, shape);
}

/// Whether elements of `type` can have the value `value`. Only integer types
/// are checked.
static bool isElement(double value, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return true;
  const bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
  const double beyond =
      std::ldexp(1.0, static_cast<int>(integer.getWidth()) - isSigned);
  return value >= (isSigned ? -beyond : 0) && value < beyond &&
         value == std::trunc(value);
}

/// An attribute of `type` with the value `value`.
static mlir::Attribute makeElement(double value, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType, value);
  if (type.isUnsignedInteger())
    return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(),
                                        static_cast<uint64_t>(value)));
  return IntegerAttr::get(type, static_cast<int64_t>(value));
}

Tensor NodeBuilder::scalar(double value, Type type) {
  return full({}, value, type);
}

Tensor NodeBuilder::full(ArrayRef<int64_t> shape, double value, Type type) {
  if (!type || !isOk()) {
    fail("it lacks an input");
    return {};
  }
  if (!isElement(value, type)) {
    fail("computes with {}, which is no value of {}; cast its inputs to floats",
         value, debugString(type));
    return {};
  }
  auto scalarType = RankedTensorType::get({}, type);
  Tensor one = wrap(ConstantOp::create(
      builder, location,
      DenseElementsAttr::get(scalarType, makeElement(value, type))));
  return shape.empty() ? one : expand(one, shape);
}

Tensor NodeBuilder::cast(Tensor x, Type type) {
  if (x && x.elementType() == type)
    return x;
  if (!type)
    fail("it lacks an input");
  if (!x || !isOk())
    return {};
  return make<CastOp>({x}, {builder.getNamedAttr("to", TypeAttr::get(type))});
}

Type NodeBuilder::wideType(Tensor x) {
  bool isSmall = x.isFloat() && x.elementType().getIntOrFloatBitWidth() < 32;
  return isSmall ? f32() : x.elementType();
}

Tensor NodeBuilder::widened(Tensor x) { return x ? cast(x, wideType(x)) : x; }

Tensor NodeBuilder::normRoot(Tensor sum, double p) {
  if (!sum || p == 1)
    return sum;
  std::string root = p == 2 ? "sqrt(a)" : fmt::format("pow(a, {})", 1 / p);
  auto text = [&](StringRef name, std::string value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  };
  return make<LeafOp>(
      {sum}, {text("spec", getPointwiseSpec(1)),
              text("expression", "select(a == 0, 0, " + root + ")"),
              builder.getNamedAttr("type", TypeAttr::get(sum.elementType()))});
}

/// In `shape`, a 0 is a size. In the attribute of weir.reshape, a 0 copies the
/// size of the input's dim. If that is not 0, a -1 is passed on instead, from
/// which the op infers 0.
Tensor NodeBuilder::reshape(Tensor x, ArrayRef<int64_t> shape) {
  if (x && x.shape() == shape)
    return x;
  Ints sizes(shape);
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size == 0 && x.dim(i) != 0)
      size = -1;
  return make<ReshapeOp>({x}, {attr("shape", sizes)});
}

Tensor NodeBuilder::transpose(Tensor x, ArrayRef<int64_t> perm) {
  if (llvm::equal(perm, llvm::seq<int64_t>(0, x.rank())))
    return x;
  return make<TransposeOp>({x}, {attr("perm", perm)});
}

Tensor NodeBuilder::expand(Tensor x, ArrayRef<int64_t> shape) {
  if (x && x.shape() == shape)
    return x;
  return make<ExpandOp>({x}, {attr("shape", shape)});
}

Tensor NodeBuilder::concat(ArrayRef<Tensor> parts, int64_t axis) {
  if (parts.size() == 1)
    return parts.front();
  return make<ConcatOp>(parts, {attr("axis", axis)});
}

Tensor NodeBuilder::slice(Tensor x, int64_t axis, int64_t start, int64_t size,
                          int64_t step) {
  if (start == 0 && step == 1 && size == x.dim(axis))
    return x;
  Ints starts(x.rank(), 0), sizes(x.shape()), steps(x.rank(), 1);
  if (axis < x.rank()) {
    starts[axis] = start;
    sizes[axis] = size;
    steps[axis] = step;
  }
  return make<SliceOp>({x}, {attr("starts", starts), attr("sizes", sizes),
                             attr("steps", steps)});
}

/// Looks the indices up in a list of all valid numbers, because the look-up
/// checks them. A negative index would count from the end. So `size` is
/// subtracted from it first, which makes it invalid.
Tensor NodeBuilder::checkedIndex(Tensor index, int64_t size) {
  Tensor isNegative = make<LessOp>({index, scalar(0, index.elementType())});
  index = make<WhereOp>({isNegative, index - static_cast<double>(size), index});
  return make<GatherOp>({iota(size, 0, 1), index}, {attr("axis", int64_t(0))});
}

Tensor NodeBuilder::alongChannels(Tensor perChannel, int64_t rank) {
  Ints shape(std::max<int64_t>(rank - 1, 1), 1);
  shape.front() = perChannel.dim(0);
  return reshape(perChannel, shape);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The builder of the operand that is not missing; null if both are missing.
static NodeBuilder *builderOf(Tensor lhs, Tensor rhs) {
  return lhs ? &lhs.getBuilder() : rhs ? &rhs.getBuilder() : nullptr;
}

template <typename OpTy> static Tensor combine(Tensor lhs, Tensor rhs) {
  NodeBuilder *builder = builderOf(lhs, rhs);
  return builder ? builder->make<OpTy>({lhs, rhs}) : Tensor();
}
template <typename OpTy> static Tensor combine(Tensor lhs, double rhs) {
  if (!lhs)
    return {};
  return combine<OpTy>(lhs, lhs.getBuilder().scalar(rhs, lhs.elementType()));
}

Tensor onnx::operator+(Tensor l, Tensor r) { return combine<AddOp>(l, r); }
Tensor onnx::operator-(Tensor l, Tensor r) { return combine<SubOp>(l, r); }
Tensor onnx::operator*(Tensor l, Tensor r) { return combine<MulOp>(l, r); }
Tensor onnx::operator/(Tensor l, Tensor r) { return combine<DivOp>(l, r); }
Tensor onnx::operator+(Tensor l, double r) { return combine<AddOp>(l, r); }
Tensor onnx::operator-(Tensor l, double r) { return combine<SubOp>(l, r); }
Tensor onnx::operator*(Tensor l, double r) { return combine<MulOp>(l, r); }
Tensor onnx::operator/(Tensor l, double r) { return combine<DivOp>(l, r); }
