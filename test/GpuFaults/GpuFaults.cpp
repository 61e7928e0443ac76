//===- GpuFaults.cpp - Lets each call fail on pretended GPUs --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// usage: weir-gpu-faults [--every=N] [--tolerance=X] [--tune] GPU.weir CPU.weir
//
// Loads and runs a network on a pretended GPU, with a pretended cuDNN and
// cuBLASLt, and compares its results with those of the network for the CPU.
// Then does it again and again, each time with another call of the driver or a
// library that fails, or a kernel that loses the GPU; with --every=N, only each
// N-th of them. Each time is a process of its own, since some calls are made
// once in a process. With --tune, the sessions tune kernels.
//
//===----------------------------------------------------------------------===//

#include "FaultTrial.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace weir;
using namespace weir::test;

/// The most kernels of a network that are lost, one after the other.
static constexpr size_t mostKernels = 60;
/// A process that takes longer hangs.
static constexpr unsigned mostSeconds = 120;

/// What `body` returns in a process of its own, or how that process ended.
static std::string inChild(const std::function<std::string()> &body) {
  int ends[2];
  if (pipe(ends) != 0)
    return "cannot make a pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(mostSeconds);
    const std::string text = body();
    for (size_t at = 0; at < text.size();) {
      const ssize_t written =
          write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0)
        break;
      at += static_cast<size_t>(written);
    }
    // The libraries' threads and statics end with the process.
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got; (got = read(ends[0], part, sizeof(part))) > 0;)
    text.append(part, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status)
             ? fmt::format("the process ended by signal {}", WTERMSIG(status))
             : text;
}

/// Each fault that a run without one tells of, one in a line.
static std::string listFaults(const FaultNetwork &network) {
  const StatusOr<CallCounts> counts = countCalls(network);
  if (!counts.isOk())
    return fmt::format("error {}\n", counts.status().message());
  std::string text;
  for (const auto &[function, count] : *counts)
    for (size_t number = 1; number <= count; ++number)
      text += fmt::format("{} {}\n", function, number);
  const auto launches = counts->find("cuLaunchKernel");
  const size_t kernels = launches == counts->end() ? 0 : launches->second;
  for (size_t number = 1; number <= std::min(kernels, mostKernels); ++number)
    text += fmt::format("{} {}\n", anyKernel, number);
  return text;
}

static std::vector<Fault> parseFaults(const std::string &text) {
  std::vector<Fault> faults;
  for (size_t at = 0; at < text.size();) {
    const size_t space = text.find(' ', at), end = text.find('\n', at);
    faults.push_back({text.substr(at, space - at),
                      std::strtoul(text.c_str() + space, nullptr, 10)});
    at = end + 1;
  }
  return faults;
}

/// Tries those faults of `faults` that are `worker`'s. Returns how many of them
/// were dealt with wrongly.
static int tryFaults(const FaultNetwork &network,
                     const std::vector<Fault> &faults, size_t worker,
                     size_t numWorkers) {
  int failures = 0;
  for (size_t i = worker; i < faults.size(); i += numWorkers) {
    const std::string wrong = inChild(
        [&] { return std::string(tryFault(network, faults[i]).message()); });
    if (wrong.empty())
      continue;
    ++failures;
    fmt::print("{} {}: {}\n", faults[i].function, faults[i].number, wrong);
    std::fflush(stdout);
  }
  return failures;
}

static int tryAll(const FaultNetwork &network,
                  const std::vector<Fault> &faults) {
  const size_t numWorkers =
      std::max<size_t>(1, std::thread::hardware_concurrency());
  std::vector<pid_t> workers;
  for (size_t worker = 0; worker < numWorkers; ++worker) {
    const pid_t child = fork();
    if (child == 0)
      _exit(std::min(tryFaults(network, faults, worker, numWorkers), 100));
    workers.push_back(child);
  }
  int failures = 0;
  for (const pid_t worker : workers) {
    int status = 0;
    waitpid(worker, &status, 0);
    failures += WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  return failures;
}

int main(int argc, char **argv) {
  FaultNetwork network;
  size_t every = 1;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--every="))
      every = std::strtoul(argv[i] + 8, nullptr, 10);
    else if (argument.starts_with("--tolerance="))
      network.tolerance = std::strtod(argv[i] + 12, nullptr);
    else if (argument == "--tune")
      network.tunes = true;
    else
      paths.push_back(argument);
  }
  if (paths.size() != 2 || every == 0) {
    fmt::print(stderr, "usage: weir-gpu-faults [--every=N] [--tolerance=X] "
                       "[--tune] GPU.weir CPU.weir\n");
    return 2;
  }
  network.path = paths[0];
  network.reference = paths[1];
  const std::string text = inChild([&] { return listFaults(network); });
  if (text.empty() || text.back() != '\n' || text.starts_with("error")) {
    fmt::print("without a fault: {}\n", text);
    return 1;
  }
  const std::vector<Fault> all = parseFaults(text);
  std::vector<Fault> faults;
  for (size_t i = 0; i < all.size(); i += every)
    faults.push_back(all[i]);
  const int failures = tryAll(network, faults);
  fmt::print("{} of {} faults, {} of them wrong\n", faults.size(), all.size(),
             failures);
  return failures == 0 ? 0 : 1;
}
