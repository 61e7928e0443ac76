//===- PrimitiveKernel.cpp - Runs a list of oneDNN primitives -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PrimitiveKernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;
using namespace weir::cpu;

void PrimitiveKernel::add(const dnnl::primitive_desc_base &desc,
                          const std::vector<Argument> &arguments) {
  Step step{dnnl::primitive(desc.get()), {}, {}};
  for (const Argument &argument : arguments) {
    bool isConstant = argument.value.place == Value::Place::Constant;
    void *bytes = isConstant ? const_cast<void *>(argument.value.bytes)
                             : DNNL_MEMORY_NONE;
    dnnl::memory memory(argument.format, cpuEngine(), bytes);
    step.arguments.push_back({argument.id, memory.get()});
    if (!isConstant)
      bindings.push_back(
          {memory.get(), argument.value.place == Value::Place::Workspace,
           argument.value.index, argument.value.offset, nullptr});
    step.memories.push_back(std::move(memory));
  }
  steps.push_back(std::move(step));
  implementations.push_back(desc.impl_info_str());
  hasScalarCode |= isReference(desc);
}

dnnl_status_t PrimitiveKernel::bind(const KernelArgs &args) {
  for (Binding &binding : bindings) {
    void *base =
        binding.inWorkspace ? args.workspace : args.buffers[binding.index];
    void *pointer = static_cast<char *>(base) + binding.offset;
    if (pointer == binding.current)
      continue;
    const dnnl_status_t status =
        dnnl_memory_set_data_handle(binding.memory, pointer);
    if (status != dnnl_success) [[unlikely]]
      return status;
    binding.current = pointer;
  }
  return dnnl_success;
}

Status PrimitiveKernel::run(const KernelArgs &args) {
  if (dnnl_status_t status = bind(args); status != dnnl_success) [[unlikely]]
    return translate(status, "take a buffer");
  for (const Step &step : steps) {
    dnnl_status_t status = dnnl_primitive_execute(
        step.primitive.get(), stream.get(),
        static_cast<int>(step.arguments.size()), step.arguments.data());
    if (status != dnnl_success) [[unlikely]]
      return translate(status, "execute a primitive");
  }
  return Status::ok();
}

std::string PrimitiveKernel::implementation() const {
  return fmt::format("{}", fmt::join(implementations, ", "));
}
