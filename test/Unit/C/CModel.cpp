//===- CModel.cpp - The model that tests of the C API run -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CModel.h"

#include "PlanBuilder.h"
#include "weir/Artifact/Writer.h"

#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>

using namespace weir;
using namespace weir::test;

/// For the kernel "reference", which CPU devices have.
static AttrMap sum() {
  AttrMap attrs;
  attrs.set("spec", "...,...->...");
  attrs.set("expression", "a + b");
  attrs.set("combiner", "none");
  return attrs;
}

std::vector<std::byte> test::modelBytes() {
  PlanBuilder plan;
  plan.entry().name = "far";
  const uint16_t near = plan.device("cpu:0");
  const uint16_t far = plan.device("cpu:1", /*isolated=*/true);
  uint32_t x = plan.input("x", width, far);
  uint32_t y = plan.output("y", width, far);
  plan.on(far).launch("twice", "reference", {x, x}, {y}, sum());
  plan.beginEntry("step");
  x = plan.hostInput("x", width);
  y = plan.hostOutput("y", width);
  const uint32_t w = plan.variable({1, 2, 3, 4}, near, "w");
  plan.on(near).launch("add", "reference", {w, x}, {y}, sum());
  plan.copy("assign", y, w);
  auto &pair = *plan.model().metadata.emplace_back(
      std::make_unique<artifact::MetadataT>());
  pair.key = "made by";
  pair.value = "a test";
  return plan.bytes();
}

std::vector<std::byte> test::twiceBytes(int count, int64_t size) {
  PlanBuilder plan;
  plan.on(plan.device("cpu:0"));
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const uint32_t x = plan.hostInput("x" + number, size);
    const uint32_t y = plan.hostOutput("y" + number, size);
    plan.launch("twice", "reference", {x, x}, {y}, sum());
  }
  return plan.bytes();
}

std::vector<std::byte> test::codeBytes(const std::vector<char> &code) {
  PlanBuilder plan;
  plan.on(plan.device("cpu:0"));
  plan.launch("fill", "generated", {}, {plan.hostOutput("y", width)});
  auto blob = std::make_unique<artifact::BlobT>();
  blob->name = "code";
  plan.model().blobs.push_back(std::move(blob));
  artifact::KernelT &kernel = *plan.variant().kernels[0];
  kernel.code = 0;
  kernel.tasks = width;
  kernel.grain = 1;
  const artifact::BlobBytes blobs[] = {std::as_bytes(std::span(code))};
  auto bytes = artifact::toBytes(plan.model(), blobs);
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  return *std::move(bytes);
}

void test::expectError(weir_status status, weir_status expected,
                       const std::string &message) {
  EXPECT_EQ(status, expected);
  EXPECT_EQ(weir_last_error(), message);
}

weir_status test::tryLoad(const std::vector<std::byte> &bytes,
                          const weir_session_options &options,
                          weir_session *&session) {
  return weir_session_load_memory(bytes.data(), bytes.size(), &options,
                                  &session);
}

weir_session *test::load(const std::vector<std::byte> &bytes,
                         const weir_session_options &options) {
  weir_session *session = nullptr;
  EXPECT_EQ(tryLoad(bytes, options, session), WEIR_OK) << weir_last_error();
  return session;
}

Model::Model() {
  auto options = sized<weir_session_options>();
  options.entry = "step";
  options.threads = 1;
  session = load(modelBytes(), options);
  EXPECT_EQ(weir_session_entry(session, nullptr, &step), WEIR_OK);
  EXPECT_EQ(weir_session_entry(session, "far", &far), WEIR_OK);
}

Model::~Model() { weir_session_free(session); }
