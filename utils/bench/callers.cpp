//===- callers.cpp - Times calls of models from several threads -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What utils/bench/throughput.py builds and runs:
//
//     callers THREADS CALLS ROUNDS MODEL.weir [OTHER.weir]
//
// With one model it times CALLS calls by one thread, and as many by THREADS
// threads. With two models it times CALLS calls of each by turns on one thread,
// and as many on two threads, one for each model. Prints the least seconds of
// both, over ROUNDS rounds that alternate. With one model and one thread there
// is nothing to compare, and it prints one time.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"
#include "weir/Support/HostTensor.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

void require(const weir::Status &status) {
  if (status.isOk())
    return;
  std::fprintf(stderr, "callers: %s\n", std::string(status.message()).c_str());
  std::exit(1);
}

std::unique_ptr<weir::Session> load(const std::string &path) {
  auto session = weir::Session::load(path);
  require(session.status());
  return *std::move(session);
}

/// A caller of a session, with buffers of its own.
class Caller {
public:
  explicit Caller(weir::Session &session) : session(session) {
    for (const weir::TensorInfo &info : session.inputs())
      inputs.push_back(allocate(info));
    for (const weir::TensorInfo &info : session.outputs())
      outputs.push_back(allocate(info));
    for (const weir::HostTensor &tensor : inputs)
      from.push_back(
          {tensor.type(), tensor.dims(), tensor.data(), tensor.bytes().size()});
    for (weir::HostTensor &tensor : outputs)
      to.push_back(
          {tensor.type(), tensor.dims(), tensor.data(), tensor.bytes().size()});
  }

  void call() { require(session.run(from, to)); }

private:
  static weir::HostTensor allocate(const weir::TensorInfo &info) {
    auto tensor = weir::HostTensor::zeros(info.desc.type, info.desc.dims);
    require(tensor.status());
    return *std::move(tensor);
  }

  weir::Session &session;
  std::vector<weir::HostTensor> inputs, outputs;
  std::vector<weir::ConstTensorView> from;
  std::vector<weir::TensorView> to;
};

/// The callers that share one number of calls.
using Team = std::vector<std::unique_ptr<Caller>>;

void callAll(Team &team, int calls) {
  std::atomic<int> left{calls};
  std::vector<std::thread> threads;
  for (std::unique_ptr<Caller> &caller : team)
    threads.emplace_back([&] {
      while (left.fetch_sub(1) > 0)
        caller->call();
    });
  for (std::thread &thread : threads)
    thread.join();
}

double secondsOf(const std::function<void()> &work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5 && argc != 6)
    return 2;
  const int threads = std::atoi(argv[1]), calls = std::atoi(argv[2]),
            rounds = std::atoi(argv[3]);
  std::vector<std::unique_ptr<weir::Session>> sessions;
  for (int at = 4; at < argc; ++at)
    sessions.push_back(load(argv[at]));
  std::vector<Team> teams(sessions.size());
  const int teamSize = sessions.size() == 1 ? threads : 1;
  for (size_t at = 0; at < sessions.size(); ++at)
    for (int i = 0; i < teamSize; ++i)
      teams[at].push_back(std::make_unique<Caller>(*sessions[at]));

  auto alone = [&] {
    for (int i = 0; i < calls; ++i)
      for (Team &team : teams)
        team.front()->call();
  };
  auto together = [&] {
    std::vector<std::thread> others;
    for (size_t at = 1; at < teams.size(); ++at)
      others.emplace_back([&, at] { callAll(teams[at], calls); });
    callAll(teams.front(), calls);
    for (std::thread &thread : others)
      thread.join();
  };
  std::vector<std::function<void()>> modes{alone};
  if (threads > 1 || sessions.size() > 1)
    modes.push_back(together);
  std::vector<double> least(modes.size(),
                            std::numeric_limits<double>::infinity());
  // The first round warms up.
  for (int round = 0; round <= rounds; ++round)
    for (size_t i = 0; i < modes.size(); ++i) {
      const size_t mode = (static_cast<size_t>(round) + i) % modes.size();
      const double seconds = secondsOf(modes[mode]);
      if (round > 0)
        least[mode] = std::min(least[mode], seconds);
    }
  for (double seconds : least)
    std::printf("%.9f\n", seconds);
}
