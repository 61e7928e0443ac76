//===- Graph.cpp - Builds graphs in C++ -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Builder/Graph.h"

#include "GraphState.h"

#include "weir/Compiler/CompileModule.h"
#include "weir/Dialect/Weir/IR/Elements.h"
#include "weir/Dialect/Weir/IR/Initializers.h"
#include "weir/Dialect/Weir/IR/Training.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/FillBytes.h"
#include "weir/Support/SafeTensors.h"

using namespace weir;

void Graph::entry(std::string_view name, CallSite site) {
  beginCall("entry", site);
  state->beginEntry(name);
}

Value Graph::input(std::string_view name, DType type,
                   const std::vector<int64_t> &dims, CallSite site) {
  beginCall("input", site);
  for (int64_t dim : dims)
    if (dim < -1) {
      state->fail("expects sizes, or -1 where unknown, as dims of input '" +
                  llvm::Twine(name) + "', found " + llvm::Twine(dim));
      return state->failed();
    }
  if (Status known = checkDType(type); !known.isOk()) {
    state->fail(llvm::StringRef(known.message()));
    return state->failed();
  }
  if (!state->takeName(name, state->current()))
    return state->failed();
  mlir::Location location =
      mlir::NameLoc::get(state->builder.getStringAttr(name), state->location());
  return state->wrap(state->current().function.getBody().addArgument(
      makeTensorType(dims, toMLIRType(type, &state->context)), location));
}

//===----------------------------------------------------------------------===//
// Parameters and constants
//===----------------------------------------------------------------------===//

/// Whether `value` has memory to read. Records an error if it does not.
static bool hasMemory(const HostTensor &value, GraphState &state) {
  if (value.data())
    return true;
  state.fail("the tensor has no memory; it was moved from");
  return false;
}

static Status checkParameterType(DType type, const std::vector<int64_t> &dims) {
  WEIR_RETURN_IF_ERROR(checkDType(type));
  if (llvm::none_of(dims, [](int64_t dim) { return dim < 0; }))
    return Status::ok();
  return invalidArgument("expects sizes as dims of a parameter, found one "
                         "below 0");
}

Value Graph::parameter(std::string_view name, HostTensor value, CallSite site) {
  beginCall("parameter", site);
  if (!hasMemory(value, *state) || !state->takeParameterName(name))
    return state->failed();
  mlir::ElementsAttr elements =
      takeElements(std::move(value), name, &state->context);
  return state->addParameter(
      name, llvm::cast<mlir::RankedTensorType>(elements.getShapedType()),
      state->builder.getNamedAttr("value", elements));
}

Value Graph::parameter(std::string_view name, const TensorFile &file,
                       CallSite site) {
  beginCall("parameter", site);
  std::string key = file.key.empty() ? std::string(name) : file.key;
  StatusOr<SafeTensors> tensors = SafeTensors::open(file.path);
  StatusOr<NamedTensor> tensor =
      tensors.isOk() ? tensors->tensor(key) : tensors.status();
  if (!tensor.isOk()) {
    state->fail(llvm::StringRef(tensor.status().message()));
    return state->failed();
  }
  if (!state->takeParameterName(name))
    return state->failed();
  mlir::Builder &builder = state->builder;
  return state->addParameter(
      name,
      makeTensorType(tensor->desc.dims,
                     toMLIRType(tensor->desc.type, &state->context)),
      {builder.getNamedAttr("file", builder.getStringAttr(file.path)),
       builder.getNamedAttr("key", builder.getStringAttr(key))});
}

Value Graph::parameter(std::string_view name, DType type,
                       const std::vector<int64_t> &dims,
                       const UniformFill &fill, CallSite site) {
  beginCall("parameter", site);
  Status valid = checkParameterType(type, dims);
  if (valid.isOk())
    valid = checkFill(fill, type);
  if (!valid.isOk()) {
    state->fail(llvm::StringRef(valid.message()));
    return state->failed();
  }
  if (!state->takeParameterName(name))
    return state->failed();
  mlir::Builder &builder = state->builder;
  const auto uniform = UniformAttr::get(&state->context, fill.seed,
                                        builder.getF64FloatAttr(fill.low),
                                        builder.getF64FloatAttr(fill.high));
  return state->addParameter(
      name, makeTensorType(dims, toMLIRType(type, &state->context)),
      builder.getNamedAttr("uniform", uniform));
}

Value Graph::parameter(std::string_view name, DType type,
                       const std::vector<int64_t> &dims,
                       const NamedOptions &initial, CallSite site) {
  beginCall("parameter", site);
  Status valid = checkParameterType(type, dims);
  mlir::RankedTensorType made;
  mlir::DictionaryAttr options;
  if (valid.isOk()) {
    made = makeTensorType(dims, toMLIRType(type, &state->context));
    options = toDictionary(initial, &state->context);
    valid = readInitializer(options, made).status();
  }
  if (!valid.isOk()) {
    state->fail(llvm::StringRef(valid.message()));
    return state->failed();
  }
  if (!state->takeParameterName(name))
    return state->failed();
  return state->addParameter(name, made,
                             state->builder.getNamedAttr("initial", options));
}

void Graph::minimize(Value loss, const MinimizeOptions &options, Value rate,
                     CallSite site) {
  beginCall("minimize", site);
  mlir::OperationState op(state->location(), MinimizeOp::getOperationName());
  if (!state->isUsable(loss, "the loss"))
    return;
  op.addOperands(state->use(loss));
  if (!GraphState::isLeftOut(rate)) {
    if (!state->isUsable(rate, "the rate"))
      return;
    op.addOperands(state->use(rate));
  }
  op.addAttributes(toDictionary(options, &state->context).getValue());
  if (state->addOp(op))
    state->current().minimizes = true;
}

Values Graph::gradient(Value loss, const std::vector<Value> &of,
                       CallSite site) {
  beginCall("gradient", site);
  mlir::OperationState op(state->location(), GradientOp::getOperationName());
  bool areUsable = state->isUsable(loss, "the loss");
  if (areUsable)
    op.addOperands(state->use(loss));
  for (size_t i = 0; i < of.size(); ++i) {
    areUsable &= state->isUsable(of[i], "value " + llvm::Twine(i));
    if (areUsable)
      op.addOperands(state->use(of[i]));
  }
  if (!areUsable)
    return {{}, state->failed(), {}};
  std::vector<Value> results;
  if (mlir::Operation *added = state->addOp(op))
    for (mlir::Value result : added->getResults())
      results.push_back(state->wrap(result));
  return {std::move(results), state->failed(), state->currentCall()};
}

void Graph::assign(Value parameter, Value value, CallSite site) {
  beginCall("assign", site);
  if (!state->isKnown(parameter, "the parameter") ||
      !state->isUsable(value, "the value"))
    return;
  auto read = state->unwrap(parameter).getDefiningOp<ReadOp>();
  if (!read)
    return state->fail("expects a parameter, found another value; pass what "
                       "Graph::parameter returned");
  mlir::Value assigned = state->use(value);
  if (assigned.getType() != read.getType()) {
    std::string message;
    llvm::raw_string_ostream(message)
        << "parameter " << read.getParameterAttr() << " is " << read.getType()
        << ", the value " << assigned.getType()
        << "; assign a value of the parameter's type";
    return state->fail(message);
  }
  if (!state->current().assigned.insert(read.getParameter()).second)
    return state->fail("parameter '" + read.getParameter() +
                       "' is assigned a second time; leave one out");
  AssignOp::create(state->builder, state->location(), read.getParameter(),
                   assigned);
}

Value Graph::constant(const HostTensor &value, CallSite site) {
  beginCall("constant", site);
  if (!hasMemory(value, *state))
    return state->failed();
  return state->wrap(ConstantOp::create(state->builder, state->location(),
                                        copyElements(value, &state->context)));
}

Value Graph::scalar(double value, DType type, CallSite site) {
  StatusOr<HostTensor> tensor = HostTensor::zeros(type, {});
  if (!tensor.isOk()) {
    beginCall("scalar", site);
    state->fail(llvm::StringRef(tensor.status().message()));
    return state->failed();
  }
  storeFloat(type, tensor->data(), 0, value);
  return constant(*tensor, site);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

void Graph::output(std::string_view name, Value value, CallSite site) {
  beginCall("output", site);
  if (!state->isUsable(value, "the value"))
    return;
  if (name.empty())
    return state->fail("expects a name, found none");
  if (!state->current().outputNames.insert(name).second)
    return state->fail("there is an output '" + llvm::Twine(name) +
                       "' already; give this one another name");
  state->current().outputs.emplace_back(name, state->use(value));
}

Status Graph::status() const {
  return state ? state->status()
               : invalidArgument("the graph was moved from; call the one that "
                                 "it was moved to");
}

StatusOr<std::string> Graph::text() const {
  CompileOptions options;
  options.emit = EmitPhase::Import;
  WEIR_ASSIGN_OR_RETURN(CompileResult result, compile("", options));
  return std::move(result.text);
}

StatusOr<CompileResult> Graph::compile(const std::string &path,
                                       const CompileOptions &options,
                                       const DiagnosticFn &diagnose) const {
  WEIR_RETURN_IF_ERROR(status());
  for (const GraphEntry &entry : state->entries)
    if (entry.outputs.empty() && entry.assigned.empty() && !entry.minimizes)
      return invalidArgument(
          state->entries.size() == 1
              ? "the graph has no output; name one with Graph::output"
              : "entry '" + mlir::func::FuncOp(entry.function).getName().str() +
                    "' has no output and assigns no parameter; name an output "
                    "with Graph::output");
  std::string messages;
  StatusOr<CompileResult> result =
      compileModule(state->finish(), path, options,
                    [&](std::string_view message) { messages += message; });
  if (!result.isOk() && !messages.empty())
    return Status(result.status().code(),
                  llvm::StringRef(messages).rtrim().str());
  if (diagnose && !messages.empty())
    diagnose(messages);
  return result;
}
