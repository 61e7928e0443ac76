//===- PrimitiveKernel.cpp - Runs a list of oneDNN primitives -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PrimitiveKernel.h"

#include "../../OpenMP/Team.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <optional>
#include <string_view>

using namespace weir;
using namespace weir::cpu;

/// Whether a primitive gives the same bits on fewer threads than it was created
/// for. The implementations that are listed here divide the elements of the
/// result among the threads of a region, whatever the number of threads. One
/// thread computes an element alone. Other implementations divide the work when
/// they are created, so fewer threads would leave out a part of it.
static bool mayRunAlone(const dnnl::primitive_desc_base &desc) {
  using Kind = dnnl::primitive::kind;
  const std::string_view name = desc.impl_info_str();
  const auto isAny = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(
        names, [&](std::string_view start) { return name.starts_with(start); });
  };
  switch (desc.get_kind()) {
  case Kind::convolution:
    return desc.get_prop_kind() == dnnl::prop_kind::forward_inference &&
           isAny({"brgconv:", "brgconv_1x1:", "brdgmm_dw:", "jit:", "jit_1x1:",
                  "jit_dw:"});
  case Kind::pooling:
    return desc.get_prop_kind() == dnnl::prop_kind::forward_inference &&
           isAny({"jit:"});
  case Kind::reorder:
    return isAny({"jit:"});
  default:
    return false;
  }
}

void PrimitiveKernel::add(const dnnl::primitive_desc_base &desc,
                          const std::vector<Argument> &arguments) {
  Step step{dnnl::primitive(desc.get()), {}, {}, {}, {}, true};
  for (const Argument &argument : arguments) {
    bool isConstant = argument.value.place == Value::Place::Constant;
    void *bytes = isConstant ? const_cast<void *>(argument.value.bytes)
                             : DNNL_MEMORY_NONE;
    dnnl::memory memory(argument.format, cpuEngine(), bytes);
    step.arguments.push_back({argument.id, memory.get()});
    if (!isConstant)
      bindings.push_back({memory.get(), nullptr,
                          argument.value.place == Value::Place::Workspace,
                          argument.value.index, argument.value.offset,
                          nullptr});
    step.memories.push_back(std::move(memory));
  }
  steps.push_back(std::move(step));
  implementations.push_back(desc.impl_info_str());
  hasScalarCode |= isReference(desc);
  allMayRunAlone &= ::mayRunAlone(desc);
}

void PrimitiveKernel::add(std::string name, TeamLoop loop,
                          const std::vector<Value> &values, bool hasParts) {
  Step step{{}, {}, {}, std::move(loop), {}, hasParts};
  step.pointers.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].place == Value::Place::Constant)
      step.pointers[i] =
          static_cast<std::byte *>(const_cast<void *>(values[i].bytes));
    else
      bindings.push_back({nullptr, &step.pointers[i],
                          values[i].place == Value::Place::Workspace,
                          values[i].index, values[i].offset, nullptr});
  // Moving the step does not move the objects to which it points.
  steps.push_back(std::move(step));
  implementations.push_back(std::move(name));
  // A loop without parts may call the library outside of a region.
  allMayRunAlone &= hasParts;
}

dnnl_status_t PrimitiveKernel::bind(const KernelArgs &args) {
  for (Binding &binding : bindings) {
    void *base =
        binding.inWorkspace ? args.workspace : args.buffers[binding.index];
    void *pointer = static_cast<char *>(base) + binding.offset;
    if (pointer == binding.current)
      continue;
    if (binding.pointer)
      *binding.pointer = static_cast<std::byte *>(pointer);
    else if (const dnnl_status_t status =
                 dnnl_memory_set_data_handle(binding.memory, pointer);
             status != dnnl_success) [[unlikely]]
      return status;
    binding.current = pointer;
  }
  return dnnl_success;
}

dnnl_status_t PrimitiveKernel::Step::runLoop() const {
  if (!hasParts)
    return loop(0, 1, pointers.data());
  std::atomic<dnnl_status_t> failure = dnnl_success;
  const int parts = teamSize();
  // Without its team, the thread does all parts. Inside of a part, the library
  // has to use one thread, too.
  std::optional<TeamSize> alone;
  if (isWithoutTeam())
    alone.emplace(1);
  parallelFor(parts, [&](int64_t part) {
    dnnl_status_t status = loop(static_cast<int>(part), parts, pointers.data());
    if (status != dnnl_success) [[unlikely]]
      failure.store(status, std::memory_order_relaxed);
  });
  return failure.load(std::memory_order_relaxed);
}

dnnl_status_t PrimitiveKernel::Step::run(const dnnl::stream &stream) const {
  if (loop)
    return runLoop();
  return dnnl_primitive_execute(primitive.get(), stream.get(),
                                static_cast<int>(arguments.size()),
                                arguments.data());
}

Status PrimitiveKernel::run(const KernelArgs &args) {
  if (dnnl_status_t status = bind(args); status != dnnl_success) [[unlikely]]
    return translate(status, "take a buffer");
  const TeamSize team(threads);
  for (const Step &step : steps)
    if (dnnl_status_t status = step.run(stream); status != dnnl_success)
        [[unlikely]]
      return translate(status, "execute a primitive");
  return Status::ok();
}

std::string PrimitiveKernel::implementation() const {
  return fmt::format("{}", fmt::join(implementations, ", "));
}
