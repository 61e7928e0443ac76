//===- ExecDialect.cpp - The exec dialect -----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/IR/ExecDialect.h"

#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weir;

#include "weir/Dialect/Exec/IR/ExecDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "weir/Dialect/Exec/IR/ExecAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "weir/Dialect/Exec/IR/ExecTypes.cpp.inc"

void exec::ExecDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "weir/Dialect/Exec/IR/ExecAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "weir/Dialect/Exec/IR/ExecTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Exec/IR/ExecOps.cpp.inc"
      >();
}

FailureOr<exec::QueueRoleAttr>
exec::QueueRoleAttr::parseName(AsmParser &parser) {
  const SMLoc where = parser.getCurrentLocation();
  StringRef name;
  if (succeeded(parser.parseOptionalKeyword(&name)))
    if (std::optional<QueueRole> role = parseQueueRole(name))
      return get(parser.getContext(), *role);
  InFlightDiagnostic error =
      parser.emitError(where, "expected the role of a queue: ");
  llvm::interleaveComma(queueRoleNames, error);
  if (!name.empty())
    error << ", found '" << name << "'";
  return failure();
}

Attribute exec::QueueRoleAttr::parse(AsmParser &parser, Type) {
  if (failed(parser.parseLess()))
    return {};
  FailureOr<QueueRoleAttr> role = parseName(parser);
  if (failed(role) || failed(parser.parseGreater()))
    return {};
  return *role;
}

void exec::QueueRoleAttr::print(AsmPrinter &printer) const {
  printer << "<" << toString(getValue()) << ">";
}

LogicalResult exec::StridesAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (getStrides().size() == shape.size() &&
      llvm::all_of(getStrides(), [](int64_t stride) { return stride >= 0; }))
    return success();
  return emitError() << "strides [" << getStrides() << "] expect a tensor of "
                     << getStrides().size()
                     << " dims and no stride below 0, found rank "
                     << shape.size();
}

TensorDesc exec::describeView(RankedTensorType type) {
  auto strided = dyn_cast_or_null<StridesAttr>(type.getEncoding());
  if (!strided)
    return toTensorDesc(type);
  return {*toDType(type.getElementType()), toDims(type),
          std::vector<int64_t>(strided.getStrides())};
}

exec::BufferOpInterface exec::getStorage(Value buffer) {
  while (auto alias = buffer.getDefiningOp<AliasOp>())
    buffer = alias.getSource();
  if (auto version = buffer.getDefiningOp<VersionOp>())
    buffer = version.getStorage();
  return buffer.getDefiningOp<BufferOpInterface>();
}

bool exec::isUsed(BufferOpInterface storage) {
  SmallVector<Value> names = {storage->getResult(0)};
  while (!names.empty())
    for (OpOperand &use : names.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (!isa<AliasOp, VersionOp>(user))
        return true;
      // Operand 0 of the op is the value to which the op gives another name.
      // The other operand of a version is its storage.
      if (use.getOperandNumber() == 0)
        names.push_back(user->getResult(0));
    }
  return false;
}
