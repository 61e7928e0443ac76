//===- FakeMemory.h - Memory of pretended GPUs ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_FAKEMEMORY_H
#define WEIR_TEST_UNIT_PLUGINS_FAKEMEMORY_H

#include <cstddef>

namespace weir::test {

/// Memory at two addresses: one for the driver, and one for programs, at which
/// every access is a fault.
class FakeMemory {
public:
  FakeMemory() = default;
  /// Nobody may rely on what is in it. Without memory, the process ends.
  explicit FakeMemory(size_t bytes);
  FakeMemory(FakeMemory &&other) noexcept;
  FakeMemory &operator=(FakeMemory &&other) noexcept;
  ~FakeMemory();

  char *address() const { return outside; }
  char *inside() const { return driverSide; }
  size_t size() const { return bytes; }

private:
  char *outside = nullptr;
  char *driverSide = nullptr;
  size_t bytes = 0;
  size_t mapped = 0;
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_FAKEMEMORY_H
