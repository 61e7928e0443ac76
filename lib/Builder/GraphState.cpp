//===- GraphState.cpp - The IR of a graph under construction ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GraphState.h"

#include "weir/Compiler/Registration.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/DeviceName.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <fmt/format.h>

using namespace weir;

GraphState::GraphState(llvm::StringRef name, CallSite site)
    : context(mlir::MLIRContext::Threading::DISABLED), builder(&context),
      callLocation(builder.getUnknownLoc()) {
  mlir::DialectRegistry registry;
  registerWeirDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  beginCall("Graph", site);
  if (name.empty())
    fail("expects a name for the graph's entry, found none");
  module = mlir::ModuleOp::create(location());
  builder.setInsertionPointToEnd(module->getBody());
  entry = mlir::func::FuncOp::create(builder, location(), name,
                                     builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(entry.addEntryBlock());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void GraphState::beginCall(llvm::StringRef what, CallSite site) {
  call = fmt::format("{}:{}: {} (call {})", site.file_name(), site.line(),
                     std::string_view(what), ++numCalls);
  callLocation = mlir::FileLineColLoc::get(&context, site.file_name(),
                                           site.line(), site.column());
}

void GraphState::failIn(const std::string &earlier,
                        const llvm::Twine &message) {
  if (!errors.empty())
    errors += '\n';
  errors += earlier + ": " + message.str();
}

bool GraphState::isUsable(const Value &value, const llvm::Twine &what) {
  if (!value.graph)
    fail(what + " is missing; pass what an earlier call of this graph "
                "returned");
  else if (value.graph.get() != this)
    fail(what + " belongs to another graph; build it in this one");
  return value.graph.get() == this && value.impl;
}

bool GraphState::takeName(llvm::StringRef name) {
  if (name.empty()) {
    fail("expects a name, found none");
    return false;
  }
  if (names.insert(name).second)
    return true;
  fail("the name '" + name +
       "' is taken; give each op, input and parameter its own");
  return false;
}

bool GraphState::takeParameterName(llvm::StringRef name) {
  if (name != entry.getName())
    return takeName(name);
  fail("'" + name + "' is the name of the graph; give the parameter another");
  return false;
}

mlir::StringAttr GraphState::readDevice(std::string_view device) {
  StatusOr<DeviceName> name = parseDeviceName(device);
  if (name.isOk())
    return builder.getStringAttr(device);
  fail(llvm::StringRef(name.status().message()));
  return {};
}

/// Rewords "attribute 'pads' failed to satisfy constraint: 64-bit integer array
/// attribute of numbers from 0 on" with the value.
static std::string reword(llvm::StringRef message,
                          const mlir::NamedAttrList &attributes) {
  auto [what, constraint] = message.split(" failed to satisfy constraint: ");
  llvm::StringRef name = what.split('\'').second.split('\'').first;
  mlir::Attribute value = attributes.get(name);
  if (constraint.empty() || !value)
    return message.str();
  if (auto [kind, of] = constraint.split(" attribute of "); !of.empty())
    constraint = of;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << what << " expects " << constraint << ", found ";
  if (auto list = llvm::dyn_cast<mlir::ArrayAttr>(value)) {
    stream << '[';
    llvm::interleaveComma(list, stream, [&](mlir::Attribute element) {
      element.print(stream, /*elideType=*/true);
    });
    stream << ']';
  } else {
    value.print(stream, /*elideType=*/true);
  }
  return text;
}

mlir::Operation *GraphState::addOp(mlir::OperationState &state) {
  std::string messages;
  // The call already names the op.
  std::string opening =
      fmt::format("'{}' op ", std::string_view(state.name.getStringRef()));
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        std::string message = diagnostic.str();
        llvm::StringRef shortened = message;
        shortened.consume_front(opening);
        messages += (messages.empty() ? "" : "; ") +
                    reword(shortened, state.attributes);
        for (mlir::Diagnostic &note : diagnostic.getNotes())
          messages += "; " + note.str();
      });
  auto *inference = state.name.getInterface<mlir::InferTypeOpInterface>();
  llvm::SmallVector<mlir::Type> types;
  if (mlir::failed(inference->inferReturnTypes(
          &context, state.location, state.operands,
          state.attributes.getDictionary(&context), /*properties=*/nullptr,
          /*regions=*/{}, types))) {
    fail(messages);
    return nullptr;
  }
  state.addTypes(types);
  mlir::Operation *op = builder.create(state);
  if (mlir::succeeded(mlir::verify(op)))
    return op;
  op->erase();
  fail(messages);
  return nullptr;
}

Value GraphState::addParameter(llvm::StringRef name,
                               mlir::RankedTensorType type,
                               llvm::ArrayRef<mlir::NamedAttribute> source) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(entry);
  mlir::OperationState state(location(), ParameterOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("type", mlir::TypeAttr::get(type));
  state.addAttributes(source);
  builder.create(state);
  builder.setInsertionPointToEnd(&entry.getBody().front());
  mlir::Location named =
      mlir::NameLoc::get(builder.getStringAttr(name), location());
  return wrap(ReadOp::create(builder, named, type, name));
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

Status GraphState::status() const {
  return errors.empty() ? Status::ok() : invalidArgument(errors);
}

mlir::OwningOpRef<mlir::ModuleOp> GraphState::finish() {
  llvm::SmallVector<mlir::Value> results;
  for (auto &[name, value] : outputs)
    results.push_back(value);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&entry.getBody().front());
  auto end = mlir::func::ReturnOp::create(builder, entry.getLoc(), results);
  entry.setType(builder.getFunctionType(entry.getBody().getArgumentTypes(),
                                        mlir::ValueRange(results).getTypes()));
  for (auto [index, output] : llvm::enumerate(outputs))
    entry.setResultAttr(index, "weir.name",
                        builder.getStringAttr(output.first));
  mlir::OwningOpRef<mlir::ModuleOp> whole = module->clone();
  end.erase();
  return whole;
}
