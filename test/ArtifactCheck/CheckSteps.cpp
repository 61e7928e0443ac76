//===- CheckSteps.cpp - Compares steps of training on two devices ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckSteps.h"

#include "Compare.h"
#include "weir/Support/SafeTensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace weir;
using opcheck::Totals;

namespace {

/// How much the devices may differ: outputs in units of their largest element,
/// and variables in units of the largest distance that the CPU's have moved.
constexpr double tolerance = 1e-3;

using Variables = std::map<std::string, HostTensor>;

/// What steps compute.
struct Trained {
  std::vector<HostTensor> outputs;
  /// Behind the last step.
  Variables variables;
};

/// The tensors `NAME.in0`, ... hold the inputs of all steps of the entry NAME.
class StepData {
public:
  static StatusOr<StepData> read(const SafeTensors &stored,
                                 const SessionEntry &entry) {
    StepData data;
    for (const TensorInfo &input : entry.inputs()) {
      WEIR_ASSIGN_OR_RETURN(
          HostTensor tensor,
          HostTensor::zeros(input.desc.type, input.desc.dims));
      WEIR_ASSIGN_OR_RETURN(const NamedTensor all,
                            stored.tensor(fmt::format("{}.in{}", entry.name(),
                                                      data.tensors.size())));
      const size_t size = tensor.bytes().size();
      const size_t steps = size == 0 ? 0 : all.bytes.size() / size;
      if (steps == 0 || steps * size != all.bytes.size() ||
          (data.steps != 0 && data.steps != steps))
        return invalidArgument(
            fmt::format("{}: expected whole steps of {}, as many as for other "
                        "inputs, found {}",
                        all.name, input.desc.toString(), all.desc.toString()));
      data.steps = steps;
      data.tensors.push_back(std::move(tensor));
      data.stored.push_back(all.bytes);
    }
    if (data.steps == 0)
      return invalidArgument("entry 'train' has no inputs, so nothing says how "
                             "many steps there are");
    return data;
  }

  size_t numSteps() const { return steps; }
  /// The inputs of a step, until the next call. They keep their addresses.
  std::vector<ConstTensorView> at(size_t step) {
    std::vector<ConstTensorView> views;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const size_t size = tensors[i].bytes().size();
      std::memcpy(tensors[i].data(), stored[i].data() + step * size, size);
      views.push_back(view(tensors[i]));
    }
    return views;
  }

private:
  std::vector<HostTensor> tensors;
  std::vector<std::span<const std::byte>> stored;
  size_t steps = 0;
};

StatusOr<Variables> readVariables(const Session &session) {
  Variables variables;
  for (const VariableInfo &info : session.variables()) {
    WEIR_ASSIGN_OR_RETURN(HostTensor value, session.getVariable(info.name));
    variables.emplace(info.name, std::move(value));
  }
  return variables;
}

/// Trains with the variables `start` and the data of all steps.
StatusOr<Trained> train(Session &session, const SafeTensors &stored,
                        const Variables &start) {
  for (const auto &[name, value] : start)
    WEIR_RETURN_IF_ERROR(session.setVariable(name, view(value)));
  WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session.entry("train"));
  WEIR_ASSIGN_OR_RETURN(StepData data, StepData::read(stored, entry));
  Trained trained;
  std::vector<HostTensor> outputs;
  std::vector<TensorView> views;
  for (const TensorInfo &output : entry.outputs()) {
    WEIR_ASSIGN_OR_RETURN(
        HostTensor tensor,
        HostTensor::zeros(output.desc.type, output.desc.dims));
    outputs.push_back(std::move(tensor));
    views.push_back({outputs.back().type(), outputs.back().dims(),
                     outputs.back().data(), outputs.back().bytes().size(),
                     MemorySpace()});
  }
  for (size_t step = 0; step < data.numSteps(); ++step) {
    WEIR_RETURN_IF_ERROR(entry.run(data.at(step), views)
                             .withContext(fmt::format("step {}", step + 1)));
    for (const HostTensor &output : outputs) {
      WEIR_ASSIGN_OR_RETURN(
          HostTensor copy,
          HostTensor::copyOf(output.type(), output.dims(), output.bytes()));
      trained.outputs.push_back(std::move(copy));
    }
  }
  WEIR_ASSIGN_OR_RETURN(trained.variables, readVariables(session));
  return trained;
}

/// How far each element has moved.
StatusOr<HostTensor> getMove(const HostTensor &start, const HostTensor &end) {
  WEIR_ASSIGN_OR_RETURN(HostTensor move,
                        HostTensor::zeros(DType::F64, start.dims()));
  const auto load = [](const HostTensor &tensor, int64_t i) {
    return isFloat(tensor.type())
               ? loadFloat(tensor.type(), tensor.data(), i)
               : static_cast<double>(loadInt(tensor.type(), tensor.data(), i));
  };
  for (int64_t i = 0; i < start.desc().numElements(); ++i)
    storeFloat(DType::F64, move.data(), i, load(end, i) - load(start, i));
  return move;
}

/// Steps that diverge are equal to any others that do.
bool isFinite(const HostTensor &tensor) {
  for (int64_t i = 0; i < tensor.desc().numElements(); ++i)
    if (isFloat(tensor.type()) &&
        !std::isfinite(loadFloat(tensor.type(), tensor.data(), i)))
      return false;
  return true;
}

/// Ok, or where `found` is too far from `expected`.
Status compare(const Variables &start, const Trained &expected,
               const Trained &found) {
  const size_t numOutputs = expected.outputs.size();
  if (numOutputs != found.outputs.size())
    return internalError(fmt::format("expected {} outputs, found {}",
                                     numOutputs, found.outputs.size()));
  for (size_t i = 0; i < numOutputs; ++i) {
    if (!isFinite(expected.outputs[i]))
      return internalError(fmt::format(
          "output {} of {} of the reference is not finite", i + 1, numOutputs));
    if (const std::string difference = opcheck::findDifference(
            expected.outputs[i], found.outputs[i], tolerance);
        !difference.empty())
      return internalError(
          fmt::format("output {} of {}: {}", i + 1, numOutputs, difference));
  }
  for (const auto &[name, end] : expected.variables) {
    const auto other = found.variables.find(name);
    if (other == found.variables.end() || other->second.desc() != end.desc())
      return internalError(fmt::format("there is no such variable '{}'", name));
    WEIR_ASSIGN_OR_RETURN(const HostTensor wanted,
                          getMove(start.at(name), end));
    WEIR_ASSIGN_OR_RETURN(const HostTensor got,
                          getMove(start.at(name), other->second));
    if (const std::string difference =
            opcheck::findDifference(wanted, got, tolerance);
        !difference.empty())
      return internalError(
          fmt::format("the move of variable '{}': {}", name, difference));
  }
  return Status::ok();
}

bool haveSameBits(const Trained &left, const Trained &right) {
  return opcheck::haveSameBits(left.outputs, right.outputs) &&
         std::ranges::equal(
             left.variables, right.variables, [](const auto &a, const auto &b) {
               return std::ranges::equal(a.second.bytes(), b.second.bytes());
             });
}

/// Ok, or what is wrong with the steps of `session`.
Status checkSession(Session &session, Session &reference,
                    const SafeTensors &stored) {
  WEIR_ASSIGN_OR_RETURN(const Variables start, readVariables(reference));
  WEIR_ASSIGN_OR_RETURN(const Trained expected,
                        train(reference, stored, start));
  WEIR_ASSIGN_OR_RETURN(const Trained found, train(session, stored, start));
  WEIR_RETURN_IF_ERROR(compare(start, expected, found));
  WEIR_ASSIGN_OR_RETURN(const Trained again, train(session, stored, start));
  return haveSameBits(found, again)
             ? Status::ok()
             : internalError("training again gave other bits");
}

} // namespace

Status opcheck::checkSteps(const std::string &path, const std::string &device,
                           Totals &totals) {
  const std::filesystem::path file(path);
  WEIR_ASSIGN_OR_RETURN(
      const SafeTensors stored,
      SafeTensors::open(
          std::filesystem::path(file).replace_extension("safetensors")));
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                        Session::load(path));
  WEIR_RETURN_IF_ERROR(checkDevice(*session, device));
  WEIR_ASSIGN_OR_RETURN(
      const std::unique_ptr<Session> reference,
      Session::load(file.parent_path() / "cpu" / file.filename()));
  ++totals.cases;
  if (const Status status = checkSession(*session, *reference, stored);
      !status.isOk()) {
    ++totals.failures;
    fmt::print("{}: train: {}\n", path, status.message());
  }
  return Status::ok();
}
