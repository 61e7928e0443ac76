//===- PlanBuilder.h - Small artifacts, written by hand -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What tests of the runtime run: programs of f32 vectors on devices of the kind
// "test", which are CPU devices with the kernels of TestKernels.h.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_PLANBUILDER_H
#define WEIR_TEST_UNIT_RUNTIME_PLANBUILDER_H

#include "weir/Artifact/Artifact.h"
#include "weir/Artifact/Schema.h"
#include "weir/Support/AttrMap.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weir::test {

/// Buffers are vectors of f32 and are known by number.
class PlanBuilder {
public:
  PlanBuilder();

  /// The number of the new device.
  uint16_t device(const std::string &name, bool isolated = false,
                  uint16_t threads = 1);
  uint32_t input(const std::string &name, int64_t size, uint16_t device = 0);
  uint32_t output(const std::string &name, int64_t size, uint16_t device = 0);
  /// A second buffer for input `port`, on another device.
  uint32_t inputOn(uint32_t port, int64_t size, uint16_t device);
  /// A parameter, or a variable that starts with the values. Its blob number is
  /// returned by `lastBlob`.
  uint32_t parameter(const std::vector<float> &values, uint16_t device = 0,
                     bool isVariable = false);
  /// A second buffer for parameter blob `blob`.
  uint32_t parameterOn(uint32_t blob, uint16_t device);
  uint32_t lastBlob() const { return static_cast<uint32_t>(blobs.size()) - 1; }
  uint32_t scratch(int64_t size, uint16_t device = 0);
  uint32_t event() { return entry().num_events++; }

  /// The queue that the following commands go to.
  PlanBuilder &on(uint16_t device, uint16_t queue = 0);
  void launch(const std::string &op, const std::string &kernel,
              const std::vector<uint32_t> &operands,
              const std::vector<uint32_t> &results, const AttrMap &attrs = {});
  /// Copies all of `from`. `inPlace`: the devices share memory, no byte moves.
  void copy(const std::string &op, uint32_t from, uint32_t to,
            bool crossing = false, bool inPlace = false);
  void fill(const std::string &op, uint32_t to);
  /// Says that the last command of the queue leaves the tensor `name` in
  /// `buffer`.
  void tensor(const std::string &name, uint32_t buffer);
  /// Says that the last command of the queue holds the tensor `name` inside.
  void inside(const std::string &name);
  void record(uint32_t event);
  void wait(uint32_t event);

  artifact::ModelT &model() { return root; }
  artifact::EntryT &entry() { return *root.variants[0]->entries[0]; }
  /// The artifact; a test fails when it is refused.
  artifact::Artifact build();
  /// The bytes of its file.
  std::vector<std::byte> bytes();

private:
  uint32_t addBuffer(artifact::BufferKind kind, uint32_t index, uint16_t device,
                     int64_t size, uint64_t offset = 0);
  uint32_t arenaOf(uint16_t device);
  artifact::TensorT &addTensor(const std::string &name);
  void addCommand(artifact::Opcode opcode, const std::string &op,
                  uint32_t index, const std::vector<uint32_t> &buffers,
                  uint64_t bytes, bool crossing);

  artifact::ModelT root;
  std::vector<std::vector<float>> blobs;
  std::vector<int64_t> sizes;
  std::map<uint16_t, uint32_t> arenas;
  std::map<std::pair<uint16_t, uint16_t>, size_t> programs;
  std::vector<artifact::Command> *commands = nullptr;
  std::pair<uint16_t, uint16_t> queue{0, 0};
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_RUNTIME_PLANBUILDER_H
