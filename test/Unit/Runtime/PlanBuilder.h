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
#include "weir/Support/QueueRole.h"

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

  /// The following members add to a new entry. The first one is "main".
  void beginEntry(const std::string &name);

  /// The number of the new device.
  uint16_t device(const std::string &name, bool isolated = false,
                  uint16_t threads = 1);
  /// An input or output in the memory that `device` uses.
  uint32_t input(const std::string &name, int64_t size, uint16_t device = 0);
  uint32_t output(const std::string &name, int64_t size, uint16_t device = 0);
  /// The same in host memory.
  uint32_t hostInput(const std::string &name, int64_t size);
  uint32_t hostOutput(const std::string &name, int64_t size);
  /// A parameter. Its blob number is returned by `lastBlob`.
  uint32_t parameter(const std::vector<float> &values, uint16_t device = 0);
  /// A variable that starts with the values. Its number is returned by
  /// `lastVariable`.
  uint32_t variable(const std::vector<float> &values, uint16_t device = 0,
                    const std::string &name = "");
  /// A bucket of variables with these names and values, each of which begins at
  /// a multiple of 16 elements.
  uint32_t
  bucket(const std::vector<std::pair<std::string, std::vector<float>>> &parts,
         uint16_t device = 0);
  /// A second buffer for parameter blob `blob`.
  uint32_t parameterOn(uint32_t blob, uint16_t device);
  uint32_t lastBlob() const { return static_cast<uint32_t>(blobs.size()) - 1; }
  /// A second buffer for variable `variable`, in another entry.
  uint32_t variableOn(uint32_t variable);
  uint32_t lastVariable() const {
    return static_cast<uint32_t>(root.variants[0]->variables.size()) - 1;
  }
  /// Scratch memory that each run in flight has of its own.
  uint32_t scratch(int64_t size, uint16_t device = 0);
  /// Scratch memory that only the compute queue of the device uses.
  uint32_t queueScratch(int64_t size, uint16_t device = 0);
  /// An event that reaches at most `largest` in a run.
  uint32_t event(uint32_t largest = 1);

  /// The queue that the following commands go to.
  PlanBuilder &on(uint16_t device, QueueRole role = QueueRole::Compute);
  void launch(const std::string &op, const std::string &kernel,
              const std::vector<uint32_t> &operands,
              const std::vector<uint32_t> &results, const AttrMap &attrs = {});
  /// The same on parts of the buffers, of `size` elements each.
  void launchOn(int64_t size, const std::string &op, const std::string &kernel,
                const std::vector<uint32_t> &operands,
                const std::vector<uint32_t> &results,
                const AttrMap &attrs = {});
  /// The blob of code for GPUs. Its size is a multiple of 4.
  uint32_t gpuCode(const std::vector<std::byte> &code);
  /// A launch of entry `function` of `code`, with one thread for each element
  /// of the result.
  void launchOnGpu(const std::string &op, uint32_t code, uint32_t function,
                   const std::vector<uint32_t> &operands, uint32_t result,
                   const AttrMap &attrs = {});
  /// The same on parts of the buffers, of `size` elements each.
  void launchPartOnGpu(int64_t size, const std::string &op, uint32_t code,
                       uint32_t function, const std::vector<uint32_t> &operands,
                       uint32_t result, const AttrMap &attrs = {});
  /// Copies all of `from`. `inPlace`: the devices share memory, no byte moves.
  void copy(const std::string &op, uint32_t from, uint32_t to,
            bool crossing = false, bool inPlace = false);
  void fill(const std::string &op, uint32_t to);
  /// Says that the last command of the queue leaves the tensor `name` in
  /// `buffer`.
  void tensor(const std::string &name, uint32_t buffer);
  /// Says that the last command of the queue holds the tensor `name` inside.
  void inside(const std::string &name);
  void record(uint32_t event, int32_t value = 1);
  void wait(uint32_t event, int32_t value = 1);
  /// A loop: its body is what the queue gets until `endRepeat`.
  void repeat(uint32_t trips);
  void endRepeat();
  /// Lets the operand or result `index` of the last command, or with -1 the
  /// value of its event, grow by these strides, one for each loop around it:
  /// floats or numbers.
  void move(int index, const std::vector<int64_t> &strides);

  artifact::ModelT &model() { return root; }
  artifact::VariantT &variant() { return *root.variants[0]; }
  artifact::EntryT &entry() { return *variant().entries.back(); }
  /// The artifact; a test fails when it is refused.
  artifact::Artifact build();
  /// The bytes of its file.
  std::vector<std::byte> bytes();

private:
  uint32_t addBuffer(artifact::BufferKind kind, uint32_t index, uint16_t space,
                     int64_t size, uint64_t offset = 0);
  uint32_t addInput(const std::string &name, int64_t size, uint16_t space);
  uint32_t addOutput(const std::string &name, int64_t size, uint16_t space);
  /// The memory that `device` uses: its own if it is isolated.
  uint16_t spaceOf(uint16_t device) const;
  uint32_t addBlob(const std::vector<float> &values, const std::string &name);
  uint32_t arenaOf(uint16_t device, bool isPerFrame);
  uint32_t addScratch(int64_t size, uint16_t device, bool isPerFrame);
  artifact::TensorT &addTensor(const std::string &name);
  void addLaunch(const std::string &op, const std::string &kernel,
                 const std::vector<uint32_t> &operands,
                 const std::vector<uint32_t> &results, const AttrMap &attrs,
                 int64_t partSize);
  artifact::Command &addCommand(artifact::Opcode opcode, const std::string &op,
                                uint32_t index,
                                const std::vector<uint32_t> &buffers,
                                uint64_t bytes, bool crossing);

  artifact::ModelT root;
  std::vector<std::vector<float>> blobs;
  std::vector<int64_t> sizes;
  std::map<std::pair<uint16_t, bool>, uint32_t> arenas;
  /// The number of the Repeat of each open loop.
  std::vector<size_t> loops;
  std::map<std::pair<uint16_t, QueueRole>, size_t> programs;
  std::vector<artifact::Command> *commands = nullptr;
  std::pair<uint16_t, QueueRole> queue{0, QueueRole::Compute};
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_RUNTIME_PLANBUILDER_H
