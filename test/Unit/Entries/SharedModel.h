//===- SharedModel.h - A model whose entries share state --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_ENTRIES_SHAREDMODEL_H
#define WEIR_TEST_UNIT_ENTRIES_SHAREDMODEL_H

#include "weir/Compiler/Compiler.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/HostTensor.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace weir {

/// The session of a model in textual IR, whose own entry is `entry`; null with
/// a failure of the test after an error.
std::unique_ptr<Session> loadText(const std::string &text,
                                  const std::string &entry,
                                  const CompileOptions &options = {});

HostTensor floats(std::vector<int64_t> dims, std::vector<float> values);

/// The inputs of a run.
template <typename... Tensors>
std::vector<HostTensor> list(Tensors... tensors) {
  std::vector<HostTensor> all;
  (all.push_back(std::move(tensors)), ...);
  return all;
}

/// The elements of the only output of a run of `entry`, which is f32.
std::vector<float> valuesOf(const Session &session, std::string_view entry,
                            std::vector<HostTensor> inputs);
/// Runs an entry without outputs.
void call(const Session &session, std::string_view entry,
          std::vector<HostTensor> inputs);

} // namespace weir

#endif // WEIR_TEST_UNIT_ENTRIES_SHAREDMODEL_H
