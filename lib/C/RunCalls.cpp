//===- RunCalls.cpp - The C API's functions that run entries ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GrowingStructs.h"
#include "Handles.h"
#include "TensorStructs.h"

#include <chrono>

using namespace weir;
using namespace weir::c;

weir_status weir_cancel_token_create(weir_cancel_token **token) {
  return runCall("weir_cancel_token_create", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(token, "token"));
    *token = new weir_cancel_token;
    return Status::ok();
  });
}

weir_status weir_cancel_token_cancel(weir_cancel_token *token) {
  return runCall("weir_cancel_token_cancel", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(token, "token"));
    token->token.cancel();
    return Status::ok();
  });
}

void weir_cancel_token_free(weir_cancel_token *token) { delete token; }

/// The time `ns` nanoseconds from now, or the latest time that can be
/// represented.
static std::chrono::steady_clock::time_point deadlineAfter(uint64_t ns) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point now = Clock::now();
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
      Clock::time_point::max() - now);
  if (ns >= static_cast<uint64_t>(left.count()))
    return Clock::time_point::max();
  return now + std::chrono::nanoseconds(ns);
}

static Status readOptions(const weir_run_options *given, RunOptions &options) {
  if (!given) [[likely]]
    return Status::ok();
  weir_run_options read;
  WEIR_RETURN_IF_ERROR(readStruct(given, "weir_run_options", read));
  if (read.timeout_ns)
    options.deadline = deadlineAfter(read.timeout_ns);
  if (read.token)
    options.cancelToken = read.token->token;
  return Status::ok();
}

namespace {
/// The arguments of a run.
struct RunArguments {
  Status read(const weir_entry *entry, const weir_tensor *inputTensors,
              size_t numInputs, const weir_tensor *outputTensors,
              size_t numOutputs, const weir_run_options *given) {
    WEIR_RETURN_IF_ERROR(checkNotNull(entry, "entry"));
    WEIR_RETURN_IF_ERROR(inputs.fill(inputTensors, numInputs, "input"));
    WEIR_RETURN_IF_ERROR(outputs.fill(outputTensors, numOutputs, "output"));
    return readOptions(given, options);
  }
  ViewList<ConstTensorView> inputs;
  ViewList<TensorView> outputs;
  RunOptions options;
};
} // namespace

weir_status weir_entry_run(const weir_entry *entry, const weir_tensor *inputs,
                           size_t num_inputs, const weir_tensor *outputs,
                           size_t num_outputs,
                           const weir_run_options *options) {
  return runCall("weir_entry_run", [&]() -> Status {
    RunArguments run;
    WEIR_RETURN_IF_ERROR(
        run.read(entry, inputs, num_inputs, outputs, num_outputs, options));
    return entry->entry.run(run.inputs.get(), run.outputs.get(), run.options);
  });
}

/// Appends `tensors` to `named`, which is a list of NamedInput or NamedOutput.
template <typename Named>
static Status readNamed(const weir_named_tensor *tensors, size_t count,
                        const char *what, std::vector<Named> &named) {
  WEIR_RETURN_IF_ERROR(checkArray(tensors, count, what));
  for (size_t i = 0; i < count; ++i) {
    const weir_named_tensor &tensor = tensors[i];
    Status status = checkNotNull(tensor.name, "name");
    if (status.isOk())
      status = checkTensor(tensor.tensor);
    if (!status.isOk())
      return std::move(status).withContext(fmt::format("{} {}", what, i));
    named.push_back(
        {tensor.name, viewOf<decltype(Named::view)>(tensor.tensor)});
  }
  return Status::ok();
}

weir_status
weir_entry_run_named(const weir_entry *entry, const weir_named_tensor *inputs,
                     size_t num_inputs, const weir_named_tensor *outputs,
                     size_t num_outputs, const weir_run_options *options) {
  return runCall("weir_entry_run_named", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkNotNull(entry, "entry"));
    std::vector<NamedInput> from;
    std::vector<NamedOutput> to;
    RunOptions with;
    WEIR_RETURN_IF_ERROR(readNamed(inputs, num_inputs, "input", from));
    WEIR_RETURN_IF_ERROR(readNamed(outputs, num_outputs, "output", to));
    WEIR_RETURN_IF_ERROR(readOptions(options, with));
    return entry->entry.run(from, to, with);
  });
}

weir_status weir_entry_run_async(const weir_entry *entry,
                                 const weir_tensor *inputs, size_t num_inputs,
                                 const weir_tensor *outputs, size_t num_outputs,
                                 const weir_run_options *options,
                                 weir_run_done done, void *context) {
  return runCall("weir_entry_run_async", [&]() -> Status {
    if (!done)
      return invalidArgument("done is null");
    RunArguments run;
    WEIR_RETURN_IF_ERROR(
        run.read(entry, inputs, num_inputs, outputs, num_outputs, options));
    auto report = [done, context](const Status &status) {
      done(context, static_cast<weir_status>(status.code()),
           status.isOk() ? "" : status.message().data());
    };
    entry->entry.runAsync(run.inputs.get(), run.outputs.get(), report,
                          run.options);
    return Status::ok();
  });
}
