//===- FakeState.h - What pretended GPUs do ---------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_FAKESTATE_H
#define WEIR_TEST_UNIT_PLUGINS_FAKESTATE_H

#include "FakeCuda.h"
#include "FakeMemory.h"

#include <cuda.h>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>

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
  /// How many units of work were done before it.
  uint64_t time = 0;
};

struct FakeEvent {
  int device = 0;
  bool hasTime = false;
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
  /// How long it takes, in units of 10 ns.
  uint64_t units = 1;
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
  /// While it is captured: the graph, whose thread, and how.
  FakeGraph *capture = nullptr;
  std::thread::id capturer;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool isInvalid = false;
};

/// A loaded image. Its kernels are compiled when they are first needed. What is
/// wrong with them is written where the program has said.
struct FakeModule {
  std::string text;
  char *log = nullptr;
};

/// A kernel of a module, and of this on one GPU.
struct FakeEntry {
  const FakeKernel *kernel = nullptr;
  const FakeModule *module = nullptr;
  /// The most shared memory that a launch may ask for.
  unsigned mostShared = 48 << 10;
};
struct FakeFunction {
  FakeEntry *entry = nullptr;
  int device = 0;
  bool isLoaded = false;
};

/// The state of all pretended GPUs. Its mutex is held while members are called.
class FakeState final : public FakeCuda {
public:
  static constexpr int numDevices = 25;
  /// The number of the architecture of GPU `device`. The last one is too old.
  static constexpr int archOf(int device) {
    return device == numDevices - 1 ? 75 : 90;
  }
  static constexpr size_t deviceBytes = size_t(1) << 30;

  static FakeState &get();
  mutable std::recursive_mutex mutex;

  void define(const std::string &name, FakeKernel kernel) override;
  void seed(unsigned number) override;
  void failCall(const std::string &name, size_t number, int code) override;
  void failKernel(size_t number, int code) override;
  void hangKernel(size_t number) override;
  bool isHanging() const override;
  void forget() override;
  std::map<std::string, size_t> calls() const override;
  int enterLibrary(const std::string &name) override;
  void launch(void *stream, const std::string &name,
              std::vector<FakeRange> ranges,
              std::function<void(std::vector<char *>)> body,
              uint64_t units) override;
  void noteLibrary(const std::string &what, int change) override;
  void complain(const std::string &text) override;
  void beginCaptureElsewhere() override;
  bool endCaptureElsewhere() override;
  void useOnHost(const void *begin, size_t bytes) override;
  size_t bytesUsed() const override;
  float floatAt(const void *address) override;
  std::vector<std::string> takeComplaints() override;
  std::vector<std::string> leaks() const override;
  std::vector<std::string> images() const override;

  /// Counts a call. Returns the error that it ends with.
  CUresult enter(const std::string &name);
  /// The same for a call that needs a current context.
  CUresult enterCurrent(const std::string &name);
  /// The same for one that spoils captures, unless the thread has said that it
  /// knows what it does.
  CUresult enterUnsafe(const std::string &name);
  /// Complains of a call that is refused.
  CUresult refuse(const std::string &text, CUresult code);
  /// Ends what is captured, as the driver does.
  CUresult spoil(FakeStream &stream, const std::string &name);

  CUresult allocate(char *&start, size_t bytes);
  CUresult release(char *start);
  /// The GPU whose memory has the address, or -1.
  int deviceOf(const char *address) const;
  /// Whether the host's memory at `address` is registered.
  bool isPinned(const char *address) const;
  /// Where the driver finds the memory at `address`.
  char *inside(char *address);
  size_t bytesFree() const;

  /// Appends work to the stream, or to what is captured.
  CUresult append(FakeStream &stream, FakeWork work);
  /// Does work until `isDone`; false if nothing is left to do.
  bool workUntil(const std::function<bool()> &isDone);
  /// Does some work.
  void workABit();
  bool flip() { return random() & 1; }
  void finish(FakeStream &stream);
  void noteHost(const Clock &clock);
  /// Runs a kernel on a GPU unless it is to fail.
  void runKernel(const FakeKernel &kernel, int device,
                 std::vector<float *> buffers, size_t size);
  /// The error of all calls in the context of a GPU.
  CUresult brokenBy(int device) const {
    return broken[static_cast<size_t>(device)];
  }
  void breakDevice(int device, int code) {
    broken[static_cast<size_t>(device)] = static_cast<CUresult>(code);
  }
  uint64_t numDone() const { return unitsDone; }

  /// The GPUs that are current on the calling thread.
  static std::vector<int> &current();
  /// How captures affect the calling thread.
  static CUstreamCaptureMode &threadMode();
  std::set<FakeStream *> streams;
  std::set<FakeEvent *> events;
  std::set<FakeGraph *> graphs;
  std::set<FakeGraph *> execs;
  std::set<FakeModule *> modules;
  /// Memory of the host that is registered, by its begin.
  std::map<char *, size_t> pinned;
  std::map<std::string, FakeKernel> kernels;
  std::map<std::pair<const FakeModule *, std::string>, FakeEntry> entries;
  std::map<std::pair<FakeEntry *, int>, FakeFunction> functions;
  /// Which GPU reaches the memory of which other one.
  std::set<std::pair<int, int>> peers;
  std::vector<std::string> loaded;
  std::vector<int> numRetained = std::vector<int>(numDevices);
  size_t numStreams = 0;

private:
  struct Done {
    FakeUse use;
    int device;
    size_t stream;
    uint64_t work;
    std::string name;
  };
  struct Allocation {
    FakeMemory memory;
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
  void checkOrder(const FakeStream &stream, const FakeUse &use,
                  const std::string &name, const std::vector<Done> &others);
  Allocation *find(const char *address);

  std::map<char *, Allocation> allocations;
  /// Uses of the host's memory that the host does not know to be done.
  std::vector<Done> hostUses;
  Clock host;
  std::mt19937 random;
  std::map<std::string, int> libraryObjects;
  std::map<std::string, size_t> numCalls;
  std::map<std::string, Fault> faults;
  size_t numKernels = 0;
  uint64_t unitsDone = 0;
  Fault kernelFault{0, 0};
  size_t hangingKernel = 0;
  /// For each GPU, whether it hangs.
  std::vector<bool> hangs = std::vector<bool>(numDevices);
  std::vector<CUresult> broken = std::vector<CUresult>(numDevices);
  bool isCapturedElsewhere = false;
  bool isElsewhereSpoilt = false;
  std::vector<std::string> complaints;
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_FAKESTATE_H
