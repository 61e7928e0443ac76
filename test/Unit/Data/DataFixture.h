//===- DataFixture.h - What the tests of datasets share ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_DATA_DATAFIXTURE_H
#define WEIR_TEST_UNIT_DATA_DATAFIXTURE_H

#include "TestPaths.h"
#include "weir/Data/Dataset.h"
#include "weir/Data/Loader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A file that make-inputs.py wrote.
inline std::string input(std::string_view name) {
  return std::string(paths::inputs) + "/" + std::string(name);
}

/// The value, which must be there.
template <typename T> T take(StatusOr<T> result) {
  EXPECT_TRUE(result.isOk()) << result.status().message();
  if (!result)
    std::abort();
  return *std::move(result);
}

/// The message of an error, which must be there.
template <typename T> std::string errorOf(const StatusOr<T> &result) {
  EXPECT_FALSE(result.isOk());
  return std::string(result.status().message());
}

/// The elements of example `index` of the column `name`.
template <typename T>
std::vector<T> row(const Dataset &data, std::string_view name, int64_t index) {
  const HostTensor tensor = take(data.read(take(data.findColumn(name)), index));
  const auto values = tensor.values<T>();
  return {values.begin(), values.end()};
}

/// A dataset with the numbers from 0 to `count` - 1 in the column "x".
inline Dataset numbers(int64_t count) {
  HostTensor tensor = take(HostTensor::zeros(DType::I64, {count}));
  auto values = tensor.values<int64_t>();
  std::iota(values.begin(), values.end(), 0);
  std::vector<NamedColumn> columns;
  columns.push_back({"x", std::move(tensor)});
  return take(Dataset::fromTensors(std::move(columns)));
}

/// The elements of the column "x" in order.
inline std::vector<int64_t> allOf(const Dataset &data) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < data.size(); ++i)
    result.push_back(row<int64_t>(data, "x", i)[0]);
  return result;
}

/// A folder of its own, which goes with its contents.
class FolderTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/weir-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string write(const std::string &name, std::string_view content) {
    const std::string path = folder + "/" + name;
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    // Writing a file anew can wait for the disk.
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::string folder;
};

} // namespace weir

#endif // WEIR_TEST_UNIT_DATA_DATAFIXTURE_H
