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
  module = mlir::ModuleOp::create(location());
  beginEntry(name);
}

void GraphState::beginEntry(llvm::StringRef name) {
  if (name.empty())
    fail("expects a name for the entry, found none");
  else if (!entryNames.insert(name).second)
    fail("there is an entry '" + name +
         "' already; give this one another name");
  else if (parameterNames.contains(name))
    fail("'" + name + "' is the name of a parameter; give the entry another");
  builder.setInsertionPointToEnd(module->getBody());
  auto function = mlir::func::FuncOp::create(builder, location(), name,
                                             builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  entryNumbers[function] = entries.size();
  entries.emplace_back(function);
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

mlir::Value GraphState::use(const Value &value) {
  auto read = unwrap(value).getDefiningOp<ReadOp>();
  if (!read)
    return unwrap(value);
  mlir::Value &here = current().reads[read.getParameterAttr()];
  if (!here)
    here = ReadOp::create(builder, read.getLoc(), read.getType(),
                          read.getParameter());
  return here;
}

GraphEntry &GraphState::ownerOf(mlir::Value value) {
  auto function =
      llvm::cast<mlir::func::FuncOp>(value.getParentBlock()->getParentOp());
  return entries[entryNumbers.at(function)];
}

bool GraphState::isUsable(const Value &value, const llvm::Twine &what) {
  if (!isKnown(value, what))
    return false;
  mlir::func::FuncOp owner = ownerOf(unwrap(value)).function;
  if (owner == current().function || unwrap(value).getDefiningOp<ReadOp>())
    return true;
  fail(what + " belongs to entry '" + owner.getName() +
       "', but entries share parameters only; compute it in '" +
       current().function.getName() + "' again, or make it a parameter");
  return false;
}

bool GraphState::isKnown(const Value &value, const llvm::Twine &what) {
  if (!value.graph)
    fail(what + " is missing; pass what an earlier call of this graph "
                "returned");
  else if (value.graph.get() != this)
    fail(what + " belongs to another graph; build it in this one");
  return value.graph.get() == this && value.impl;
}

bool GraphState::checkName(llvm::StringRef name, bool isTaken) {
  if (name.empty())
    fail("expects a name, found none");
  else if (isTaken)
    fail("the name '" + name +
         "' is taken; give each op, input and parameter its own");
  return !name.empty() && !isTaken;
}

bool GraphState::takeName(llvm::StringRef name, GraphEntry &entry) {
  if (!checkName(name,
                 parameterNames.contains(name) || entry.names.contains(name)))
    return false;
  entry.names.insert(name);
  namesInEntries.insert(name);
  return true;
}

bool GraphState::takeParameterName(llvm::StringRef name) {
  if (entryNames.contains(name)) {
    fail("'" + name + "' is the name of an entry; give the parameter another");
    return false;
  }
  if (!checkName(name, parameterNames.contains(name) ||
                           namesInEntries.contains(name)))
    return false;
  parameterNames.insert(name);
  return true;
}

mlir::StringAttr GraphState::readDevice(std::string_view device) {
  StatusOr<DeviceName> name = parseDeviceName(device);
  if (name.isOk())
    return builder.getStringAttr(device);
  fail(llvm::StringRef(name.status().message()));
  return {};
}

/// Rewords "attribute 'pads' failed to satisfy constraint: 64-bit integer array
/// attribute of numbers from 0 on". The result contains the value of the
/// attribute.
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
  // The text for the call already names the op, so the op's name is removed
  // from the message.
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
  // An op without results has no types to infer.
  auto *inference = state.name.getInterface<mlir::InferTypeOpInterface>();
  llvm::SmallVector<mlir::Type> types;
  if (inference &&
      mlir::failed(inference->inferReturnTypes(
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
  // Parameters come in front of the entries.
  builder.setInsertionPoint(entries.front().function);
  mlir::OperationState state(location(), ParameterOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("type", mlir::TypeAttr::get(type));
  state.addAttributes(source);
  builder.create(state);
  builder.setInsertionPointToEnd(&current().function.getBody().front());
  mlir::Location named =
      mlir::NameLoc::get(builder.getStringAttr(name), location());
  auto read = ReadOp::create(builder, named, type, name);
  current().reads[read.getParameterAttr()] = read;
  return wrap(read);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

Status GraphState::status() const {
  return errors.empty() ? Status::ok() : invalidArgument(errors);
}

/// Adds the terminator, the type, and the names of outputs.
void GraphState::finish(GraphEntry &entry) {
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<mlir::DictionaryAttr> names;
  for (auto &[name, value] : entry.outputs) {
    results.push_back(value);
    names.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr("weir.name", builder.getStringAttr(name))));
  }
  mlir::func::FuncOp function = entry.function;
  builder.setInsertionPointToEnd(&function.getBody().front());
  mlir::func::ReturnOp::create(builder, function.getLoc(), results);
  function.setType(
      builder.getFunctionType(function.getBody().getArgumentTypes(),
                              mlir::ValueRange(results).getTypes()));
  function.setAllResultAttrs(names);
}

mlir::OwningOpRef<mlir::ModuleOp> GraphState::finish() {
  mlir::OpBuilder::InsertionGuard guard(builder);
  for (GraphEntry &entry : entries)
    finish(entry);
  mlir::OwningOpRef<mlir::ModuleOp> whole = module->clone();
  for (GraphEntry &entry : entries)
    entry.function.getBody().front().getTerminator()->erase();
  // Reads that nothing uses are erased. `addParameter` reads a parameter in the
  // current entry, but perhaps only other entries use it.
  whole->walk([](ReadOp read) {
    if (read->use_empty())
      read.erase();
  });
  return whole;
}
