//===- SmallPlans.cpp - Small plans for tests of sessions -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SmallPlans.h"

#include "weir/Support/HostTensor.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

std::unique_ptr<Session> test::load(PlanBuilder &plan,
                                    const SessionOptions &options) {
  auto session = Session::load(plan.bytes(), options);
  EXPECT_TRUE(session.isOk()) << session.status().message();
  return session.isOk() ? *std::move(session) : nullptr;
}

StatusOr<std::vector<Floats>> test::run(Session &session,
                                        const std::vector<Floats> &inputs) {
  std::vector<HostTensor> tensors;
  for (const Floats &input : inputs)
    tensors.push_back(*HostTensor::of<float>(
        DType::F32, {static_cast<int64_t>(input.size())}, input));
  auto results = session.run(tensors);
  if (!results)
    return results.status();
  std::vector<Floats> values;
  for (const HostTensor &result : *results)
    values.emplace_back(result.values<float>().begin(),
                        result.values<float>().end());
  return values;
}

StatusOr<std::vector<Floats>>
test::runAnywhere(Session &session, const SessionEntry &entry,
                  const std::vector<Floats> &inputs) {
  std::vector<DeviceTensor> from, to;
  std::vector<ConstTensorView> reads;
  std::vector<TensorView> writes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(DeviceTensor tensor,
                          session.allocate(entry.inputs()[i]));
    WEIR_RETURN_IF_ERROR(tensor.copyFromHost(*HostTensor::of<float>(
        DType::F32, {static_cast<int64_t>(inputs[i].size())}, inputs[i])));
    reads.push_back(tensor.asInput());
    from.push_back(std::move(tensor));
  }
  for (const TensorInfo &output : entry.outputs()) {
    WEIR_ASSIGN_OR_RETURN(DeviceTensor tensor, session.allocate(output));
    writes.push_back(tensor.asOutput());
    to.push_back(std::move(tensor));
  }
  WEIR_RETURN_IF_ERROR(entry.run(reads, writes));
  std::vector<Floats> values;
  for (const DeviceTensor &tensor : to) {
    WEIR_ASSIGN_OR_RETURN(HostTensor result, tensor.copyToHost());
    values.emplace_back(result.values<float>().begin(),
                        result.values<float>().end());
  }
  return values;
}

Floats test::getVariable(Session &session, std::string_view name) {
  auto value = session.getVariable(name);
  EXPECT_TRUE(value.isOk()) << value.status().message();
  if (!value)
    return {};
  return {value->values<float>().begin(), value->values<float>().end()};
}

Status test::setVariable(Session &session, std::string_view name,
                         const Floats &values) {
  const std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
  return session.setVariable(
      name, {DType::F32, dims, values.data(), values.size() * sizeof(float)});
}

AttrMap test::affine(double scale, double shift) {
  AttrMap attrs;
  attrs.set("scale", std::vector<double>{scale});
  attrs.set("shift", std::vector<double>{shift});
  return attrs;
}

AttrMap test::sleeping(int64_t us) {
  AttrMap attrs;
  attrs.set("us", std::vector<int64_t>{us});
  return attrs;
}

PlanBuilder test::diamond(bool isolated, const std::string &left,
                          const std::string &right) {
  PlanBuilder plan;
  const uint16_t one = plan.device("test:0", isolated);
  const uint16_t two = plan.device("test:1", isolated);
  const uint32_t x = plan.hostInput("x", 4);
  const uint32_t y = plan.hostOutput("y", 4);
  const uint32_t doubled = plan.scratch(4, one);
  const uint32_t tripled = plan.scratch(4, two);
  const uint32_t arrived = isolated ? plan.scratch(4, one) : tripled;
  const uint32_t computed = plan.event(), crossed = plan.event();
  const auto receive = [&](uint16_t device) {
    plan.on(device);
    if (!isolated)
      return x;
    const uint32_t received = plan.scratch(4, device);
    plan.copy("x", x, received);
    return received;
  };
  const uint32_t sum = isolated ? plan.scratch(4, one) : y;
  plan.launch("left", left, {receive(one)}, {doubled}, affine(2));
  plan.wait(crossed);
  plan.launch("join", "add", {doubled, arrived}, {sum});
  if (isolated)
    plan.copy("y", sum, y);
  plan.launch("right", right, {receive(two)}, {tripled}, affine(3));
  plan.record(computed);
  plan.on(two, QueueRole::CopyIn);
  plan.wait(computed);
  plan.copy("right", tripled, arrived, true, !isolated);
  plan.record(crossed);
  return plan;
}

PlanBuilder weir::test::chainOfTwo(uint16_t frames, const std::string &first,
                                   const std::string &second) {
  PlanBuilder plan;
  plan.variant().frames = frames;
  const uint16_t one = plan.device("test:0"), two = plan.device("test:1");
  const uint32_t x = plan.input("x", 1, one), y = plan.output("y", 1, two);
  const uint32_t between = plan.scratch(1, one), done = plan.event();
  plan.on(one).launch("first", first, {x}, {between});
  plan.record(done);
  plan.on(two).wait(done);
  plan.launch("second", second, {between}, {y});
  return plan;
}

PlanBuilder weir::test::sleepingChain(uint16_t frames,
                                      const std::vector<int> &first,
                                      const std::vector<int> &second) {
  PlanBuilder plan;
  plan.variant().frames = frames;
  const uint16_t one = plan.device("test:0"), two = plan.device("test:1");
  const uint32_t x = plan.input("x", 1, one), y = plan.output("y", 1, two);
  const uint32_t between = plan.scratch(1, one), last = plan.scratch(1, two);
  const uint32_t done = plan.event();
  plan.on(one);
  for (int us : first)
    plan.launch("first", "sleep", {x}, {between}, sleeping(us));
  plan.record(done);
  plan.on(two).wait(done);
  for (int us : second)
    plan.launch("second", "sleep", {between}, {last}, sleeping(us));
  plan.launch("last", "affine", {last}, {y});
  return plan;
}
