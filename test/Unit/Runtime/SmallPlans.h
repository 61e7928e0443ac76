//===- SmallPlans.h - Small plans for tests of sessions ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_SMALLPLANS_H
#define WEIR_TEST_UNIT_RUNTIME_SMALLPLANS_H

#include "PlanBuilder.h"
#include "TestKernels.h"
#include "weir/Runtime/Session.h"

#include <cmath>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <vector>

namespace weir::test {

using Floats = std::vector<float>;

std::unique_ptr<Session> load(PlanBuilder &plan,
                              const SessionOptions &options = testOptions());

/// Runs on vectors; the outputs get the sizes that the session states.
StatusOr<std::vector<Floats>> run(Session &session,
                                  const std::vector<Floats> &inputs);

/// The same for an entry whose inputs and outputs lie in any memory.
StatusOr<std::vector<Floats>> runAnywhere(Session &session,
                                          const SessionEntry &entry,
                                          const std::vector<Floats> &inputs);

AttrMap affine(double scale, double shift = 0);
/// For the kernel "sleep".
AttrMap sleeping(int64_t us);

/// y = 2x + 3x on two devices: x is doubled on the first and tripled on the
/// second, and the results are added on the first. With isolated devices the
/// second result is copied by the second device's copy queue.
PlanBuilder diamond(bool isolated, const std::string &left = "affine",
                    const std::string &right = "affine");

/// y = x by kernel `first` on one device and `second` on another.
PlanBuilder chainOfTwo(uint16_t frames, const std::string &first,
                       const std::string &second);

/// y = x by way of launches on two devices that take as many microseconds as
/// `first` and `second` say, in all of them.
PlanBuilder sleepingChain(uint16_t frames, const std::vector<int> &first,
                          const std::vector<int> &second);

/// The elements of a variable; none if that is an error.
Floats getVariable(Session &session, std::string_view name);
Status setVariable(Session &session, std::string_view name,
                   const Floats &values);

/// A session with the one-element tensors for its calls.
class Caller {
public:
  explicit Caller(std::unique_ptr<Session> session)
      : session(std::move(session)) {}
  explicit Caller(PlanBuilder &plan,
                  const SessionOptions &options = testOptions())
      : Caller(*Session::load(plan.bytes(), options)) {}
  explicit Caller(const std::vector<std::byte> &artifact)
      : Caller(*Session::load(artifact, testOptions())) {}

  Status run() { return session->run({&input, 1}, {&output, 1}); }
  Status runAsync() {
    return session->runAsync({&input, 1}, {&output, 1}).get();
  }
  /// The result of a run on 1, or NaN.
  float result() { return run().isOk() ? y : NAN; }

private:
  std::unique_ptr<Session> session;
  const std::vector<int64_t> dims = {1};
  float x = 1, y = 0;
  const ConstTensorView input{DType::F32, dims, &x, sizeof(x)};
  const TensorView output{DType::F32, dims, &y, sizeof(y)};
};

/// The buffers of a run from one float to another.
struct OneRun {
  const std::vector<int64_t> dims = {1};
  float x = 1, y = 0;
  const ConstTensorView input{DType::F32, dims, &x, sizeof(x)};
  const TensorView output{DType::F32, dims, &y, sizeof(y)};
  RunOptions options;

  Status run(Session &session) {
    return session.run({&input, 1}, {&output, 1}, options);
  }
  std::future<Status> start(Session &session) {
    return session.runAsync({&input, 1}, {&output, 1}, options);
  }
  void start(Session &session, std::function<void(Status)> onDone) {
    session.entry().runAsync({&input, 1}, {&output, 1}, std::move(onDone),
                             options);
  }
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_RUNTIME_SMALLPLANS_H
