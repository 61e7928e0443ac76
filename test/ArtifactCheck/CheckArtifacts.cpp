//===- CheckArtifacts.cpp - Compares artifacts with stored results -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckArtifacts.h"

#include "Compare.h"
#include "weir/Support/SafeTensors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

using namespace weir;
using opcheck::Totals;

namespace {

/// GPUs capture the second run with the same addresses and replay it later.
constexpr int numRuns = 4;

/// The stored tensors `prefix`0, `prefix`1, ...
StatusOr<std::vector<HostTensor>>
loadTensors(const SafeTensors &data, const std::string &prefix, size_t number) {
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < number; ++i) {
    WEIR_ASSIGN_OR_RETURN(const NamedTensor stored,
                          data.tensor(prefix + std::to_string(i)));
    WEIR_ASSIGN_OR_RETURN(
        HostTensor tensor,
        HostTensor::copyOf(stored.desc.type, stored.desc.dims, stored.bytes));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// What is stored for an artifact.
struct Stored {
  SafeTensors data;
  /// The precision of the network, or empty.
  std::string precision;
};

StatusOr<Stored> openStored(const std::string &path) {
  const std::string stem = path.substr(0, path.rfind('.'));
  if (const size_t at = stem.rfind('_');
      at != std::string::npos && !std::ifstream(stem + ".safetensors")) {
    WEIR_ASSIGN_OR_RETURN(
        SafeTensors data,
        SafeTensors::open(stem.substr(0, at) + ".safetensors"));
    return Stored{std::move(data), stem.substr(at + 1)};
  }
  WEIR_ASSIGN_OR_RETURN(SafeTensors data,
                        SafeTensors::open(stem + ".safetensors"));
  return Stored{std::move(data), {}};
}

/// How much outputs of `type` may differ.
double getTolerance(const Stored &stored, DType type) {
  const auto &texts = stored.data.metadata();
  const auto text = texts.find("tolerance." + stored.precision);
  return text == texts.end() || !isFloat(type)
             ? opcheck::getTolerance(type)
             : std::strtod(text->second.c_str(), nullptr);
}

/// The first elements of `output` if only these are stored, or all.
StatusOr<HostTensor> takeStored(const HostTensor &output,
                                const HostTensor &stored) {
  const bool isLeading = stored.dims().size() == 1 &&
                         stored.type() == output.type() &&
                         stored.bytes().size() < output.bytes().size();
  return HostTensor::copyOf(
      output.type(), isLeading ? stored.dims() : output.dims(),
      isLeading ? output.bytes().first(stored.bytes().size()) : output.bytes());
}

/// Whether a run fails as it should. Cases with such a name have indices out of
/// range. What is stored for them is what the op is without the checks.
bool isAboutIndices(const std::string &name, const Status &status) {
  return name.starts_with("outside") &&
         status.code() == StatusCode::InvalidArgument &&
         status.message().find("is out of range for a dim of") !=
             std::string_view::npos;
}

/// Ok, or what is wrong with the outputs of `entry`.
Status checkEntry(const SessionEntry &entry, const Stored &stored) {
  const std::string name(entry.name());
  WEIR_ASSIGN_OR_RETURN(
      const std::vector<HostTensor> inputs,
      loadTensors(stored.data, name + ".in", entry.inputs().size()));
  WEIR_ASSIGN_OR_RETURN(
      const std::vector<HostTensor> expected,
      loadTensors(stored.data, name + ".out", entry.outputs().size()));
  // The buffers keep their addresses.
  std::vector<ConstTensorView> inputViews;
  for (const HostTensor &input : inputs)
    inputViews.push_back({input.type(), input.dims(), input.data(),
                          input.bytes().size(), MemorySpace()});
  std::vector<HostTensor> outputs;
  for (const TensorInfo &output : entry.outputs()) {
    WEIR_ASSIGN_OR_RETURN(
        HostTensor zeros,
        HostTensor::zeros(output.desc.type, output.desc.dims));
    outputs.push_back(std::move(zeros));
  }
  std::vector<TensorView> outputViews;
  for (HostTensor &output : outputs)
    outputViews.push_back({output.type(), output.dims(), output.data(),
                           output.bytes().size(), MemorySpace()});
  std::vector<HostTensor> first;
  for (int run = 0; run < numRuns; ++run) {
    for (HostTensor &output : outputs)
      std::memset(output.data(), 0x5a, output.bytes().size());
    const Status status = entry.run(inputViews, outputViews);
    if (isAboutIndices(name, status))
      continue;
    WEIR_RETURN_IF_ERROR(status);
    if (run > 0) {
      if (!opcheck::haveSameBits(outputs, first))
        return internalError(
            fmt::format("run {} gave other bits than the first one", run + 1));
      continue;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      WEIR_ASSIGN_OR_RETURN(const HostTensor found,
                            takeStored(outputs[i], expected[i]));
      if (std::string difference = opcheck::findDifference(
              expected[i], found, getTolerance(stored, found.type()));
          !difference.empty())
        return internalError(fmt::format("output {}: {}", i, difference));
      WEIR_ASSIGN_OR_RETURN(HostTensor copy,
                            HostTensor::copyOf(outputs[i].type(),
                                               outputs[i].dims(),
                                               outputs[i].bytes()));
      first.push_back(std::move(copy));
    }
  }
  return Status::ok();
}

} // namespace

bool opcheck::haveSameBits(const std::vector<HostTensor> &left,
                           const std::vector<HostTensor> &right) {
  return std::ranges::equal(left, right, [](const auto &a, const auto &b) {
    return std::ranges::equal(a.bytes(), b.bytes());
  });
}

Status opcheck::checkDevice(const Session &session, const std::string &device) {
  std::string used;
  for (const DeviceStats &each : session.stats().devices) {
    if (device.empty() || each.info.name == device)
      return Status::ok();
    used += (used.empty() ? "" : ", ") + each.info.name +
            (each.info.note.empty() ? "" : " (" + each.info.note + ")");
  }
  return unavailable(fmt::format("runs on {}", used));
}

Status opcheck::checkArtifact(const std::string &path,
                              const std::string &device, Totals &totals) {
  WEIR_ASSIGN_OR_RETURN(const Stored stored, openStored(path));
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                        Session::load(path));
  WEIR_RETURN_IF_ERROR(checkDevice(*session, device));
  for (const std::string &name : session->entryNames()) {
    WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session->entry(name));
    ++totals.cases;
    if (Status status = checkEntry(entry, stored); !status.isOk()) {
      ++totals.failures;
      fmt::print("{}: {}: {}\n", path, name, status.message());
    }
  }
  return Status::ok();
}
