//===- FakeCuda.h - A driver of pretended GPUs ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A shared object that stands in for libcuda.so.1 in tests. Nothing but the
// driver reaches the memory of its GPUs: an access of the host is a fault.
// Streams do their work late and in a random order, as far as their order and
// events allow. Every use of memory of a GPU, and every copy from or to the
// host's memory, must be ordered behind what it depends on: by a stream, by
// events, or by the host having waited. It refuses what the real driver
// refuses, and complains of it.
//
// Threads of the host count as one: what one of them has waited for, all know.
// An order between threads that is missing is found by ThreadSanitizer, to
// which the driver is invisible.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_FAKECUDA_H
#define WEIR_TEST_UNIT_PLUGINS_FAKECUDA_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weir::test {

/// What a kernel of the pretended GPUs does. Its parameters are addresses: what
/// it reads, then what it writes. Numbers may follow. `size` is the number of
/// threads of a launch.
struct FakeKernel {
  size_t numReads = 0;
  size_t numWrites = 0;
  /// The last of `buffers` are flags if there are any, or the bits of numbers.
  std::function<void(float *const *buffers, size_t size)> body;
  /// The flags for indices, in memory of the host.
  size_t numFlags = 0;
  /// The bytes of each buffer. Empty: `size` elements each.
  std::vector<size_t> bytes = {};
  size_t elementBytes = sizeof(float);
  /// Numbers of 64 bits.
  size_t numNumbers = 0;

  size_t numBuffers() const { return numReads + numWrites; }
  size_t numParameters() const {
    return numBuffers() + (numFlags > 0) + numNumbers;
  }
};

/// Memory that a library uses.
struct FakeRange {
  const void *begin = nullptr;
  size_t bytes = 0;
  bool isWritten = false;
};

/// All members are thread-safe.
class FakeCuda {
public:
  virtual ~FakeCuda() = default;

  /// Gives code a meaning: the entry `name` of every module is `kernel`.
  virtual void define(const std::string &name, FakeKernel kernel) = 0;
  /// Chooses the random order.
  virtual void seed(unsigned number) = 0;

  /// Lets the call `number`, from 1 on, of the function `name` fail with
  /// `code`. Calls count from now on.
  virtual void failCall(const std::string &name, size_t number, int code) = 0;
  /// Lets the GPU that carries out the kernel `number` fail with `code`, and
  /// from then on all calls in its context.
  virtual void failKernel(size_t number, int code) = 0;
  /// Lets the GPU that carries out the kernel `number` never end it, nor do
  /// anything else. Complains of calls that wait for it.
  virtual void hangKernel(size_t number) = 0;
  /// Whether it does.
  virtual bool isHanging() const = 0;
  /// Ends all failures to come and counts calls from now on. A GPU that has
  /// failed is lost for ever.
  virtual void forget() = 0;
  /// How often each function was called.
  virtual std::map<std::string, size_t> calls() const = 0;

  /// For libraries of the pretended GPUs: counts a call, and returns the code
  /// that it ends with.
  virtual int enterLibrary(const std::string &name) = 0;
  /// Appends work to a stream, which uses `ranges` in this order, and takes so
  /// many times 10 ns. `body` gets where each of them is.
  virtual void launch(void *stream, const std::string &name,
                      std::vector<FakeRange> ranges,
                      std::function<void(std::vector<char *>)> body,
                      uint64_t units) = 0;
  /// Something was made (1) or destroyed (-1).
  virtual void noteLibrary(const std::string &what, int change) = 0;
  virtual void complain(const std::string &text) = 0;
  /// Another thread of the process captures a stream of its own, in the mode
  /// that others can spoil.
  virtual void beginCaptureElsewhere() = 0;
  /// Ends that. Returns whether nobody has spoiled it.
  virtual bool endCaptureElsewhere() = 0;

  /// The host is going to read, write or free its memory. Complains of copies
  /// there that may still be under way.
  virtual void useOnHost(const void *begin, size_t bytes) = 0;
  /// The bytes that are allocated on all GPUs.
  virtual size_t bytesUsed() const = 0;
  /// Floats in the memory of a GPU, which tests may look at.
  virtual float floatAt(const void *address) = 0;

  /// What was wrong since the last call: uses of memory without an order, calls
  /// that are not allowed.
  virtual std::vector<std::string> takeComplaints() = 0;
  /// What was made and not destroyed: "2 streams".
  virtual std::vector<std::string> leaks() const = 0;
  /// The first lines of the images that were loaded.
  virtual std::vector<std::string> images() const = 0;
};

} // namespace weir::test

/// What the shared object exports besides the driver's functions.
extern "C" weir::test::FakeCuda *weirFakeCuda();

#endif // WEIR_TEST_UNIT_PLUGINS_FAKECUDA_H
