//===- FakeState.h - What pretended GPUs do ---------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_FAKESTATE_H
#define WEIR_TEST_UNIT_PLUGINS_FAKESTATE_H

#include "FakeCuda.h"

#include <cuda.h>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <set>

namespace weir::test {

/// For each stream, by number, how much of its work is known to be done.
class Clock {
public:
  void join(const Clock &other);
  void set(size_t stream, uint64_t work);
  bool knows(size_t stream, uint64_t work) const {
    return stream < done.size() && done[stream] >= work;
  }

private:
  std::vector<uint64_t> done;
};

/// One record of an event.
struct FakeRecord {
  bool isDone = false;
  Clock clock;
};

struct FakeEvent {
  std::shared_ptr<FakeRecord> last;
};

/// A use of memory by a piece of work.
struct FakeUse {
  char *begin = nullptr;
  size_t bytes = 0;
  bool writes = false;
};

/// Work of a stream: waits for a record, then runs.
struct FakeWork {
  std::string name;
  std::vector<FakeUse> uses;
  std::function<void()> run;
  std::shared_ptr<FakeRecord> wait;
};

struct FakeGraph {
  std::vector<FakeWork> works;
};

struct FakeStream {
  size_t number = 0;
  int device = 0;
  std::deque<FakeWork> works;
  Clock clock;
  uint64_t numWorks = 0;
  /// While it is captured.
  FakeGraph *capture = nullptr;
  bool isInvalid = false;
};

struct FakeModule {
  std::string text;
};

struct FakeEntry {
  const FakeKernel *kernel = nullptr;
};

/// The state of all pretended GPUs. Its mutex is held while members are called.
class FakeState final : public FakeCuda {
public:
  static constexpr int numDevices = 4;
  static constexpr int arch = 90;
  static constexpr size_t deviceBytes = size_t(1) << 30;

  static FakeState &get();
  mutable std::recursive_mutex mutex;

  void define(const std::string &name, FakeKernel kernel) override;
  void seed(unsigned number) override;
  void failCall(const std::string &name, size_t number, int code) override;
  void failKernel(size_t number, int code) override;
  void forget() override;
  std::map<std::string, size_t> calls() const override;
  int enterLibrary(const std::string &name) override;
  void launch(void *stream, const std::string &name,
              std::vector<FakeRange> ranges,
              std::function<void(std::vector<char *>)> body) override;
  void noteLibrary(const std::string &what, int change) override;
  void complain(const std::string &text) override;
  std::vector<std::string> takeComplaints() override;
  std::vector<std::string> leaks() const override;
  std::vector<std::string> images() const override;

  /// Counts a call. Returns the error that it ends with.
  CUresult enter(const std::string &name);

  CUresult allocate(char *&start, size_t bytes);
  CUresult release(char *start);
  /// The GPU whose memory has the address, or -1.
  int deviceOf(const char *address) const;
  size_t bytesFree() const;

  /// Appends work to the stream, or to what is captured.
  CUresult append(FakeStream &stream, FakeWork work);
  /// Does work until `isDone`; false if nothing is left to do.
  bool workUntil(const std::function<bool()> &isDone);
  /// Does some work.
  void workABit();
  bool flip() { return random() & 1; }
  void finish(FakeStream &stream);
  void noteHost(const Clock &clock) { host.join(clock); }
  /// Runs a kernel unless it is to fail.
  void runKernel(const FakeKernel &kernel, std::vector<float *> buffers,
                 size_t size);

  /// The GPUs that are current on the calling thread.
  static std::vector<int> &current();
  std::set<FakeStream *> streams;
  std::set<FakeEvent *> events;
  std::set<FakeGraph *> graphs;
  std::set<FakeGraph *> execs;
  std::set<FakeModule *> modules;
  std::map<std::string, FakeKernel> kernels;
  std::map<std::string, FakeEntry> entries;
  std::vector<std::string> loaded;
  std::vector<int> numRetained = std::vector<int>(numDevices);
  size_t numStreams = 0;

private:
  struct Done {
    FakeUse use;
    size_t stream;
    uint64_t work;
    std::string name;
  };
  struct Allocation {
    std::unique_ptr<char[]> memory;
    size_t bytes = 0;
    int device = 0;
    std::vector<Done> uses;
  };
  struct Fault {
    size_t number;
    int code;
  };
  bool workOnce();
  void checkUses(FakeStream &stream, const FakeWork &work);
  void checkUse(FakeStream &stream, const FakeUse &use,
                const std::string &name);
  Allocation *find(const char *address);

  std::map<char *, Allocation> allocations;
  Clock host;
  std::mt19937 random;
  std::map<std::string, int> libraryObjects;
  std::map<std::string, size_t> numCalls;
  std::map<std::string, Fault> faults;
  size_t numKernels = 0;
  Fault kernelFault{0, 0};
  CUresult broken = CUDA_SUCCESS;
  std::vector<std::string> complaints;
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_FAKESTATE_H
