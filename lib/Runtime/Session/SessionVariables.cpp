//===- SessionVariables.cpp - The variables of a session -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PortCheck.h"
#include "SessionState.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Support/ElementWalk.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"
#include "weir/Support/SafeTensors.h"

#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <optional>

using namespace weir;

namespace {

/// A value for a variable, in the variable's own layout.
struct VariableValue {
  size_t variable = 0;
  const void *bytes = nullptr;
  /// The memory of the bytes; empty if the user's bytes are in this layout
  /// already.
  std::vector<std::byte> stored;
};

/// Waits for its turn to use variables, and uses them until it is destroyed.
class VariableAccess {
public:
  VariableAccess(Admission &admission, std::vector<ClassUse> uses);
  ~VariableAccess();
  VariableAccess(const VariableAccess &) = delete;
  VariableAccess &operator=(const VariableAccess &) = delete;

  const Status &status() const { return wait.status; }
  /// Copies each value to its variable. If a copy fails, all variables to which
  /// this call has begun to write lose their values. Otherwise, some would have
  /// new values and others old ones.
  Status write(const LoadedModel &model, std::span<const VariableValue> values);

private:
  struct Wait : RunRequest {
    Completion done;
    Status status;
  };
  Admission &admission;
  std::vector<ClassUse> uses;
  /// The variables that the access has begun to write, and whether all have
  /// their new values.
  std::vector<size_t> written;
  bool isWhole = false;
  Wait wait;
};

} // namespace

VariableAccess::VariableAccess(Admission &admission, std::vector<ClassUse> uses)
    : admission(admission), uses(std::move(uses)) {
  wait.claim.uses = this->uses;
  wait.onDone = [](RunRequest &request, Status status) {
    auto &wait = static_cast<Wait &>(request);
    wait.status = std::move(status);
    wait.done.notify();
  };
  admission.enqueue(wait);
  wait.done.wait();
}

VariableAccess::~VariableAccess() {
  if (status().isOk())
    admission.endAccess(wait, written, isWhole);
}

Status VariableAccess::write(const LoadedModel &model,
                             std::span<const VariableValue> values) {
  written.reserve(values.size());
  for (const VariableValue &value : values) {
    const Variable &variable = model.variables[value.variable];
    written.push_back(value.variable);
    WEIR_RETURN_IF_ERROR(model.devices[variable.device].copyFromHost(
        variable.data, value.bytes, variable.desc.spanBytes()));
  }
  isWhole = true;
  return Status::ok();
}

/// A use of the classes of all variables.
static std::vector<ClassUse> allClasses(const VariableTable &variables,
                                        bool writes) {
  std::vector<ClassUse> uses;
  for (size_t i = 0; i < variables.numClasses(); ++i)
    uses.push_back({i, writes});
  return uses;
}

static StatusOr<size_t> findVariable(const VariableTable &variables,
                                     std::string_view name) {
  if (const std::optional<size_t> index = variables.find(name))
    return *index;
  std::vector<std::string> names;
  for (size_t i = 0; i < variables.size(); ++i)
    names.emplace_back(variables[i].name);
  return notFound(fmt::format("there is no variable '{}'; {}", printable(name),
                              names.empty()
                                  ? "no entry assigns a parameter"
                                  : offerNames(name, names, "variables")));
}

/// Copies the elements of `variable` to `values` in row-major order.
static Status readVariable(const LoadedModel &model, const Variable &variable,
                           void *values) {
  const TensorDesc &desc = variable.desc;
  if (desc.numElements() == 0)
    return Status::ok();
  Device &device = model.devices[variable.device];
  if (desc.isRowMajor())
    return device.copyToHost(values, variable.data, desc.spanBytes());
  std::vector<std::byte> stored(desc.spanBytes());
  WEIR_RETURN_IF_ERROR(
      device.copyToHost(stored.data(), variable.data, stored.size()));
  const size_t size = byteSize(desc.type);
  auto *to = static_cast<std::byte *>(values);
  for (ElementWalk walk(desc.dims, desc.strides); !walk.atEnd(); walk.next()) {
    std::memcpy(to, stored.data() + static_cast<size_t>(walk.offset()) * size,
                size);
    to += size;
  }
  return Status::ok();
}

/// The value of `variable` from the elements at `data`, which are in row-major
/// order.
static VariableValue valueFor(const VariableTable &table, size_t variable,
                              const void *data) {
  VariableValue value{variable, data, {}};
  const TensorDesc &desc = table[variable].desc;
  if (desc.isRowMajor())
    return value;
  value.stored.resize(desc.spanBytes());
  value.bytes = value.stored.data();
  const size_t size = byteSize(desc.type);
  const auto *from = static_cast<const std::byte *>(data);
  for (ElementWalk walk(desc.dims, desc.strides); !walk.atEnd(); walk.next()) {
    std::memcpy(value.stored.data() + static_cast<size_t>(walk.offset()) * size,
                from, size);
    from += size;
  }
  return value;
}

static TensorInfo infoOf(const Variable &variable) {
  return {variable.name,
          TensorDesc::rowMajor(variable.desc.type, variable.desc.dims), true};
}

std::vector<VariableInfo> Session::variables() const {
  const VariableTable &table = state->model->variables;
  // If the calling thread must not wait, the answer is the current state.
  std::optional<VariableAccess> access;
  if (!state->isAwaited())
    access.emplace(*state->admission, allClasses(table, false));
  std::vector<VariableInfo> infos;
  for (size_t i = 0; i < table.size(); ++i) {
    TensorInfo info = infoOf(table[i]);
    infos.push_back({std::move(info.name), std::move(info.desc),
                     state->admission->checkVariable(i).isOk()});
  }
  return infos;
}

StatusOr<HostTensor> Session::getVariable(std::string_view name) const {
  return guarded("getVariable", [&]() -> StatusOr<HostTensor> {
    const VariableTable &table = state->model->variables;
    WEIR_ASSIGN_OR_RETURN(const size_t index, findVariable(table, name));
    const TensorDesc &desc = table[index].desc;
    WEIR_ASSIGN_OR_RETURN(HostTensor value,
                          HostTensor::zeros(desc.type, desc.dims));
    WEIR_RETURN_IF_ERROR(getVariable(
        name, {desc.type, desc.dims, value.data(), value.bytes().size()}));
    return value;
  });
}

static Status checkTarget(const Variable &variable, const TensorView &value) {
  return checkVariableValue(infoOf(variable), value);
}

Status Session::getVariable(std::string_view name,
                            const TensorView &value) const {
  return guarded("getVariable", [&]() -> Status {
    const VariableTable &table = state->model->variables;
    WEIR_ASSIGN_OR_RETURN(const size_t index, findVariable(table, name));
    const Variable &variable = table[index];
    WEIR_RETURN_IF_ERROR(checkTarget(variable, value));
    WEIR_RETURN_IF_ERROR(state->checkMayWait("get variables"));
    const VariableAccess access(*state->admission,
                                {{variable.variableClass, false}});
    WEIR_RETURN_IF_ERROR(access.status());
    WEIR_RETURN_IF_ERROR(state->admission->checkVariable(index));
    return readVariable(*state->model, variable, value.data);
  });
}

Status Session::setVariable(std::string_view name,
                            const ConstTensorView &value) {
  return guarded("setVariable", [&]() -> Status {
    const VariableTable &table = state->model->variables;
    WEIR_ASSIGN_OR_RETURN(const size_t index, findVariable(table, name));
    const TensorInfo info = infoOf(table[index]);
    WEIR_RETURN_IF_ERROR(checkVariableValue(info, value));
    WEIR_RETURN_IF_ERROR(state->checkMayWait("set variables"));
    const VariableValue stored = valueFor(table, index, value.data);
    VariableAccess access(*state->admission,
                          {{table[index].variableClass, true}});
    WEIR_RETURN_IF_ERROR(access.status());
    return access.write(*state->model, {&stored, 1});
  });
}

Status Session::getVariables(std::span<const TensorView> values) const {
  return guarded("getVariables", [&]() -> Status {
    const VariableTable &table = state->model->variables;
    if (values.size() != table.size())
      return invalidArgument(fmt::format("expected {} values, found {}",
                                         table.size(), values.size()));
    for (size_t i = 0; i < table.size(); ++i)
      WEIR_RETURN_IF_ERROR(checkTarget(table[i], values[i]));
    WEIR_RETURN_IF_ERROR(state->checkMayWait("get variables"));
    const VariableAccess access(*state->admission, allClasses(table, false));
    WEIR_RETURN_IF_ERROR(access.status());
    for (size_t i = 0; i < table.size(); ++i) {
      WEIR_RETURN_IF_ERROR(state->admission->checkVariable(i));
      WEIR_RETURN_IF_ERROR(
          readVariable(*state->model, table[i], values[i].data));
    }
    return Status::ok();
  });
}

Status Session::saveVariables(const std::string &path) const {
  return guarded("saveVariables", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(state->checkMayWait("save variables"));
    const VariableTable &table = state->model->variables;
    std::vector<HostTensor> values;
    std::vector<TensorView> views;
    std::vector<NamedTensor> tensors;
    for (size_t i = 0; i < table.size(); ++i) {
      const TensorDesc &desc = table[i].desc;
      WEIR_ASSIGN_OR_RETURN(HostTensor value,
                            HostTensor::zeros(desc.type, desc.dims));
      values.push_back(std::move(value));
      HostTensor &made = values.back();
      views.push_back(view(made));
      tensors.push_back({table[i].name, made.desc(), made.bytes()});
    }
    // The access ends with this call, so runs may go on while the file is
    // written.
    WEIR_RETURN_IF_ERROR(getVariables(views));
    return writeSafeTensors(path, std::move(tensors));
  });
}

/// The tensors of `file` for the variables, in their order. An error if the
/// file has other tensors, or lacks a variable.
static StatusOr<std::vector<NamedTensor>>
matchVariables(const VariableTable &table, const SafeTensors &file) {
  std::vector<NamedTensor> tensors;
  for (size_t i = 0; i < table.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(NamedTensor tensor, file.tensor(table[i].name));
    const TensorInfo expected = infoOf(table[i]);
    if (tensor.desc != expected.desc)
      return invalidArgument(fmt::format(
          "tensor '{}': expected {}, found {}", printable(tensor.name),
          expected.desc.toString(), tensor.desc.toString()));
    tensors.push_back(std::move(tensor));
  }
  for (const auto &[name, entry] : file.entries())
    if (!table.find(name))
      return findVariable(table, name).status();
  return tensors;
}

Status Session::loadVariables(const std::string &path) {
  return guarded("loadVariables", [&]() -> Status {
    const VariableTable &table = state->model->variables;
    WEIR_RETURN_IF_ERROR(state->checkMayWait("load variables"));
    auto file = SafeTensors::read(path);
    if (!file)
      return std::move(file).status();
    auto tensors = matchVariables(table, *file);
    if (!tensors)
      return std::move(tensors).status().withContext(path);
    std::vector<VariableValue> values;
    for (size_t i = 0; i < table.size(); ++i)
      values.push_back(valueFor(table, i, (*tensors)[i].bytes.data()));
    VariableAccess access(*state->admission, allClasses(table, true));
    WEIR_RETURN_IF_ERROR(access.status());
    return access.write(*state->model, values);
  });
}
