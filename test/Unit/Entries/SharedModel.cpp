//===- SharedModel.cpp - A model whose entries share state ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SharedModel.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace weir;

std::unique_ptr<Session> weir::loadText(const std::string &text,
                                        const std::string &entry,
                                        const CompileOptions &options) {
  const std::string path =
      (std::filesystem::temp_directory_path() /
       ("weir-entries-" + std::to_string(getpid()) + ".mlir"))
          .string();
  std::ofstream(path) << text;
  StatusOr<CompileResult> compiled = compileFile(path, "", options, nullptr);
  std::filesystem::remove(path);
  EXPECT_TRUE(compiled.isOk()) << compiled.status().message();
  if (!compiled.isOk())
    return nullptr;
  SessionOptions how;
  how.entry = entry;
  StatusOr<std::unique_ptr<Session>> session =
      Session::load(compiled->artifact, how);
  EXPECT_TRUE(session.isOk()) << session.status().message();
  return session.isOk() ? *std::move(session) : nullptr;
}

HostTensor weir::floats(std::vector<int64_t> dims, std::vector<float> values) {
  return *HostTensor::of<float>(DType::F32, std::move(dims), values);
}

static std::vector<HostTensor> outputsOf(const Session &session,
                                         std::string_view entry,
                                         std::vector<HostTensor> inputs) {
  StatusOr<SessionEntry> found = session.entry(entry);
  EXPECT_TRUE(found.isOk()) << found.status().message();
  if (!found.isOk())
    return {};
  StatusOr<std::vector<HostTensor>> outputs = found->run(inputs);
  EXPECT_TRUE(outputs.isOk()) << outputs.status().message();
  return outputs.isOk() ? *std::move(outputs) : std::vector<HostTensor>();
}

std::vector<float> weir::valuesOf(const Session &session,
                                  std::string_view entry,
                                  std::vector<HostTensor> inputs) {
  const std::vector<HostTensor> outputs =
      outputsOf(session, entry, std::move(inputs));
  EXPECT_EQ(outputs.size(), 1u);
  if (outputs.size() != 1)
    return {};
  const auto values = outputs[0].values<float>();
  return {values.begin(), values.end()};
}

void weir::call(const Session &session, std::string_view entry,
                std::vector<HostTensor> inputs) {
  EXPECT_TRUE(outputsOf(session, entry, std::move(inputs)).empty());
}
