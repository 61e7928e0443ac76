//===- FaultTrial.cpp - A network while something fails -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FaultTrial.h"

#include "../ArtifactCheck/Compare.h"
#include "EmulatedEntries.h"
#include "weir/Runtime/Session.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <random>
#include <system_error>
#include <unistd.h>
#include <vector>

using namespace weir;
using namespace weir::test;

/// The first run is eager, the second one is captured, and others are replayed.
static constexpr int numRuns = 4;
static constexpr int illegalAddress = 700;

namespace {

class Trial {
public:
  explicit Trial(const FaultNetwork &network) : network(network) {}

  /// Opens the pretended driver, and computes what is expected.
  Status prepare();
  /// Loads the network twice, one session after the other, and runs it.
  Status run(const std::optional<Fault> &fault);

  FakeCuda &driver() { return *fake; }

private:
  Status computeExpected();
  Status runSession(Session &session, const std::optional<Fault> &fault);
  Status checkOutputs(const std::vector<HostTensor> &outputs);
  Status checkError(const Status &error, const Fault &fault,
                    bool isAtLoad) const;
  Status checkEnd();

  const FaultNetwork &network;
  FakeCuda *fake = nullptr;
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> expected;
};

} // namespace

namespace {
/// A folder for the caches of this process, so that the first session times
/// kernels and the second one finds its choices.
class OwnCaches {
public:
  OwnCaches()
      : path(std::filesystem::temp_directory_path() /
             fmt::format("weir-gpu-faults-{}", getpid())) {
    std::filesystem::create_directories(path);
    setenv("XDG_CACHE_HOME", path.c_str(), 1);
  }
  ~OwnCaches() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

private:
  const std::filesystem::path path;
};
} // namespace

/// Numbers that are the same in each process.
static StatusOr<HostTensor> makeInput(const TensorDesc &desc) {
  std::mt19937 random(7);
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::zeros(desc.type, desc.dims));
  for (int64_t i = 0; i < desc.numElements(); ++i)
    if (isFloat(desc.type))
      storeFloat(desc.type, tensor.data(), i,
                 static_cast<double>(random() % 2001) / 1000 - 1);
    else
      storeInt(desc.type, tensor.data(), i, static_cast<int64_t>(random() % 4));
  return tensor;
}

Status Trial::computeExpected() {
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                        Session::load(network.reference));
  for (const TensorInfo &input : session->inputs()) {
    WEIR_ASSIGN_OR_RETURN(HostTensor made, makeInput(input.desc));
    inputs.push_back(std::move(made));
  }
  WEIR_ASSIGN_OR_RETURN(expected, session->run(inputs));
  return Status::ok();
}

Status Trial::prepare() {
  WEIR_RETURN_IF_ERROR(computeExpected());
  WEIR_ASSIGN_OR_RETURN(fake, openPretendedDriver());
  return defineEntries(network.path, *fake);
}

Status Trial::checkOutputs(const std::vector<HostTensor> &outputs) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (const std::string difference =
            opcheck::findDifference(expected[i], outputs[i], network.tolerance);
        !difference.empty())
      return internalError(fmt::format("output {}: {}", i, difference));
  return Status::ok();
}

/// Ok if the error says what it should.
Status Trial::checkError(const Status &error, const Fault &fault,
                         bool isAtLoad) const {
  const auto names = [&](std::string_view part) {
    return error.message().find(part) != std::string_view::npos;
  };
  const bool isOfLibrary = fault.function.starts_with("cublas") ||
                           fault.function.starts_with("cudnn");
  // The driver is also asked before there are ops.
  const bool namesOp = names("op '") || (isAtLoad && !isOfLibrary);
  // The front end of cuDNN has words of its own for what failed.
  const bool namesCall =
      names(fault.function) || fault.function.starts_with("cudnnBackend") ||
      fault.function == "work" || fault.function == anyKernel;
  if (names("cuda:0") && namesOp && namesCall)
    return Status::ok();
  return internalError(
      fmt::format("expected an error that names call, op and device, found: {}",
                  error.message()));
}

Status Trial::runSession(Session &session, const std::optional<Fault> &fault) {
  bool isLost = false;
  for (int i = 0, failures = 0; i < numRuns; ++i) {
    StatusOr<std::vector<HostTensor>> outputs = session.run(inputs);
    if (outputs.isOk()) {
      if (isLost)
        return internalError("a run succeeds on a GPU that is lost");
      WEIR_RETURN_IF_ERROR(checkOutputs(*outputs));
      continue;
    }
    if (!fault)
      return outputs.status();
    if (isLost) {
      if (outputs.status().message().find("is lost to this process") ==
          std::string_view::npos)
        return outputs.status();
      continue;
    }
    WEIR_RETURN_IF_ERROR(checkError(outputs.status(), *fault, false));
    isLost = fault->function == anyKernel;
    if (++failures > 1)
      return internalError(
          fmt::format("a second run fails: {}", outputs.status().message()));
  }
  return Status::ok();
}

Status Trial::checkEnd() {
  std::vector<std::string> texts = fake->takeComplaints();
  for (std::string &leak : fake->leaks())
    texts.push_back("left behind: " + std::move(leak));
  return texts.empty()
             ? Status::ok()
             : internalError(fmt::format("{}", fmt::join(texts, "; ")));
}

Status Trial::run(const std::optional<Fault> &fault) {
  std::optional<OwnCaches> caches;
  if (network.tunes)
    caches.emplace();
  SessionOptions options;
  options.tune = network.tunes;
  for (int i = 0; i < 2; ++i) {
    StatusOr<std::unique_ptr<Session>> session =
        Session::load(network.path, options);
    if (session.isOk())
      WEIR_RETURN_IF_ERROR(runSession(**session, fault));
    else if (fault && fault->function == anyKernel && i == 1)
      continue;
    else if (fault)
      WEIR_RETURN_IF_ERROR(checkError(session.status(), *fault, true));
    else
      return session.status();
    if (session.isOk())
      session->reset();
    WEIR_RETURN_IF_ERROR(checkEnd());
  }
  return Status::ok();
}

/// An error code of the library that the function is of.
static int codeFor(const std::string &function) {
  if (function.starts_with("cudnn"))
    return 4000; // CUDNN_STATUS_INTERNAL_ERROR
  if (function.starts_with("cublas"))
    return 14; // CUBLAS_STATUS_INTERNAL_ERROR
  return 999;  // CUDA_ERROR_UNKNOWN
}

StatusOr<CallCounts> test::countCalls(const FaultNetwork &network) {
  Trial trial(network);
  WEIR_RETURN_IF_ERROR(trial.prepare());
  WEIR_RETURN_IF_ERROR(trial.run(std::nullopt));
  return trial.driver().calls();
}

Status test::tryFault(const FaultNetwork &network, const Fault &fault) {
  Trial trial(network);
  WEIR_RETURN_IF_ERROR(trial.prepare());
  if (fault.function == anyKernel)
    trial.driver().failKernel(fault.number, illegalAddress);
  else
    trial.driver().failCall(fault.function, fault.number,
                            codeFor(fault.function));
  return trial.run(fault);
}
