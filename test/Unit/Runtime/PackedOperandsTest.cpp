//===- PackedOperandsTest.cpp - Memory of packed operands -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Host/HostMemory.h"
#include "Runtime/Loading/KernelCache.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace weir;

namespace {

constexpr size_t KiB = 1024, MiB = 1024 * KiB;
using Sizes = std::vector<size_t>;

/// A device that records the requested memory.
class CountingDevice final : public Device {
public:
  explicit CountingDevice(std::string key = "") : key(std::move(key)) {}
  Sizes allocated;

  const DeviceInfo &info() const override { return description; }
  StatusOr<std::unique_ptr<DeviceMemory>> allocate(size_t bytes,
                                                   PagePlacement) override {
    allocated.push_back(bytes);
    return mapHostMemory(bytes, std::numeric_limits<uint64_t>::max());
  }
  Status copyFromHost(void *, const void *, size_t) override { return none(); }
  Status copyToHost(void *, const void *, size_t) override { return none(); }
  std::string packingKey() const override { return key; }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &,
                                            PrepareContext &) override {
    return none();
  }
  StatusOr<DeviceQueue *> openQueue(QueueRole) override { return none(); }

private:
  std::string key;
  static Status none() { return unimplemented("only memory"); }
  DeviceInfo description{"test:0", "test", 1, 0, "", ""};
};

/// What is allocated for operands of `bytes` bytes each, one after the other.
/// Each must keep its first and last byte.
Sizes allocatedFor(const Sizes &bytes) {
  CountingDevice device;
  PackedOperands operands;
  std::vector<const unsigned char *> packed;
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto pack = [&](void *to) {
      auto *data = static_cast<unsigned char *>(to);
      data[0] = data[bytes[i] - 1] = static_cast<unsigned char>(i + 1);
      return Status::ok();
    };
    auto place = operands.get(device, &bytes[i], "key", bytes[i], pack);
    if (!place.isOk()) {
      ADD_FAILURE() << place.status().message();
      return {};
    }
    packed.push_back(static_cast<const unsigned char *>(*place));
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(packed[i][0], i + 1);
    EXPECT_EQ(packed[i][bytes[i] - 1], i + 1);
  }
  return device.allocated;
}

} // namespace

// A small network's operands share memory that is no larger than it needs.
TEST(PackedOperands, BeginInASmallPool) {
  EXPECT_EQ(allocatedFor(Sizes(10, 20 * KiB)), Sizes{MiB});
  EXPECT_EQ(allocatedFor({300 * KiB, 300 * KiB}), Sizes{MiB});
}

// Operands that do not fit there share pools with huge pages, whether or not
// smaller ones came before.
TEST(PackedOperands, GoOnInPoolsOfHugePages) {
  EXPECT_EQ(allocatedFor(Sizes(10, MiB)), (Sizes{MiB, 16 * MiB}));
  EXPECT_EQ(allocatedFor(Sizes(40, 300 * KiB)), (Sizes{MiB, 16 * MiB}));
  EXPECT_EQ(allocatedFor(Sizes(10, 2 * MiB)), (Sizes{16 * MiB, 16 * MiB}));
  EXPECT_EQ(allocatedFor({2 * MiB, 20 * KiB}), Sizes{16 * MiB});
  EXPECT_EQ(allocatedFor({20 * KiB, 2 * MiB, 20 * KiB}),
            (Sizes{MiB, 16 * MiB}));
}

// Large operands have their own memory, and leave pools to others.
TEST(PackedOperands, AreOnTheirOwnWhereLarge) {
  EXPECT_EQ(allocatedFor({20 * KiB, 5 * MiB, 20 * KiB, 4 * MiB}),
            (Sizes{MiB, 5 * MiB, 4 * MiB}));
}

// Models share what devices with one packing key pack from one content to one
// format. Devices without a key share nothing.
TEST(PackedOperands, AreSharedByKeyAndContent) {
  SharedWeights weights;
  CountingDevice device("a"), alike("a"), other("b"), loner;
  int numPacked = 0;
  const auto pack = [&](Device &by, PackedOperands &operands,
                        std::string_view format, WeightContent content) {
    return *operands.get(
        by, nullptr, format, KiB,
        [&](void *) {
          ++numPacked;
          return Status::ok();
        },
        content);
  };
  const WeightContent content{1, KiB, 0, "", 0}, behind{1, KiB, 4, "", 0};
  PackedOperands one(&weights), two(&weights), unshared;
  const void *const packed = pack(device, one, "f", content);
  EXPECT_EQ(pack(alike, two, "f", content), packed);
  EXPECT_EQ(numPacked, 1);
  EXPECT_NE(pack(alike, two, "g", content), packed);
  EXPECT_NE(pack(alike, two, "f", behind), packed);
  EXPECT_NE(pack(other, two, "f", content), packed);
  EXPECT_NE(pack(alike, unshared, "f", content), packed);
  EXPECT_NE(pack(loner, one, "f", content), pack(loner, two, "f", content));
  EXPECT_EQ(numPacked, 7);
}
