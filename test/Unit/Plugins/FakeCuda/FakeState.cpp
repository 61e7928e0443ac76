//===- FakeState.cpp - What pretended GPUs do -----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <algorithm>
#include <utility>

using namespace weir::test;
using Lock = std::lock_guard<std::recursive_mutex>;

void Clock::join(const Clock &other) {
  done.resize(std::max(done.size(), other.done.size()));
  for (size_t i = 0; i < other.done.size(); ++i)
    done[i] = std::max(done[i], other.done[i]);
}

void Clock::set(size_t stream, uint64_t work) {
  done.resize(std::max(done.size(), stream + 1));
  done[stream] = work;
}

FakeState &FakeState::get() {
  // Never destroyed, since threads may outlive statics.
  static auto *state = new FakeState;
  return *state;
}

void FakeState::define(const std::string &name, FakeKernel kernel) {
  const Lock lock(mutex);
  kernels[name] = std::move(kernel);
}

void FakeState::seed(unsigned number) {
  const Lock lock(mutex);
  random.seed(number);
}

void FakeState::failCall(const std::string &name, size_t number, int code) {
  const Lock lock(mutex);
  numCalls.clear();
  faults[name] = {number, code};
}

void FakeState::failKernel(size_t number, int code) {
  const Lock lock(mutex);
  numKernels = 0;
  kernelFault = {number, code};
}

void FakeState::hangKernel(size_t number) {
  const Lock lock(mutex);
  numKernels = 0;
  hangingKernel = number;
}

bool FakeState::isHanging() const {
  const Lock lock(mutex);
  return std::ranges::find(hangs, true) != hangs.end();
}

void FakeState::forget() {
  const Lock lock(mutex);
  numCalls.clear();
  faults.clear();
  kernelFault = {0, 0};
  hangingKernel = 0;
}

std::map<std::string, size_t> FakeState::calls() const {
  const Lock lock(mutex);
  return numCalls;
}

int FakeState::enterLibrary(const std::string &name) {
  const Lock lock(mutex);
  return enter(name);
}

void FakeState::launch(void *handle, const std::string &name,
                       std::vector<FakeRange> ranges,
                       std::function<void(std::vector<char *>)> body,
                       uint64_t units) {
  const Lock lock(mutex);
  auto &stream = *static_cast<FakeStream *>(handle);
  FakeWork work{name, {}, {}, {}, units};
  std::vector<char *> memory;
  for (const FakeRange &range : ranges) {
    char *start = static_cast<char *>(const_cast<void *>(range.begin));
    if (deviceOf(start) != stream.device)
      complain(name + " uses memory that is not its GPU's");
    memory.push_back(inside(start));
    work.uses.push_back({start, range.bytes, range.isWritten});
  }
  work.run = [body = std::move(body), memory] { body(memory); };
  (void)append(stream, std::move(work));
}

void FakeState::noteLibrary(const std::string &what, int change) {
  const Lock lock(mutex);
  libraryObjects[what] += change;
}

void FakeState::complain(const std::string &text) {
  const Lock lock(mutex);
  complaints.push_back(text);
}

void FakeState::beginCaptureElsewhere() {
  const Lock lock(mutex);
  isCapturedElsewhere = true;
  isElsewhereSpoilt = false;
}

bool FakeState::endCaptureElsewhere() {
  const Lock lock(mutex);
  isCapturedElsewhere = false;
  return !isElsewhereSpoilt;
}

void FakeState::useOnHost(const void *begin, size_t bytes) {
  const Lock lock(mutex);
  const auto *start = static_cast<const char *>(begin);
  for (const Done &other : hostUses)
    // A GPU that has failed touches no memory any more.
    if (other.use.begin < start + bytes &&
        start < other.use.begin + other.use.bytes &&
        brokenBy(other.device) == CUDA_SUCCESS)
      complain("the host uses memory of which " + other.name + " on stream " +
               std::to_string(other.stream) + " may be under way");
}

float FakeState::floatAt(const void *address) {
  const Lock lock(mutex);
  char *where = const_cast<char *>(static_cast<const char *>(address));
  return *reinterpret_cast<float *>(inside(where));
}

std::vector<std::string> FakeState::takeComplaints() {
  const Lock lock(mutex);
  return std::exchange(complaints, {});
}

std::vector<std::string> FakeState::leaks() const {
  const Lock lock(mutex);
  std::vector<std::string> texts;
  const auto add = [&](size_t number, const char *what) {
    if (number)
      texts.push_back(std::to_string(number) + " " + what);
  };
  add(allocations.size(), "allocations");
  add(streams.size(), "streams");
  add(events.size(), "events");
  add(graphs.size(), "graphs");
  add(execs.size(), "executable graphs");
  add(modules.size(), "modules");
  for (const auto &[what, number] : libraryObjects)
    add(static_cast<size_t>(number), what.c_str());
  add(pinned.size(), "registered parts of the host's memory");
  // A context may stay for the life of the process.
  for (const int retained : numRetained)
    add(static_cast<size_t>(std::max(retained - 1, 0)),
        "more uses of a context than one");
  return texts;
}

std::vector<std::string> FakeState::images() const {
  const Lock lock(mutex);
  return loaded;
}

CUresult FakeState::enter(const std::string &name) {
  const size_t number = ++numCalls[name];
  if (!current().empty())
    if (const CUresult lost = brokenBy(current().back()); lost != CUDA_SUCCESS)
      return lost;
  const auto fault = faults.find(name);
  return fault != faults.end() && fault->second.number == number
             ? static_cast<CUresult>(fault->second.code)
             : CUDA_SUCCESS;
}

CUresult FakeState::refuse(const std::string &text, CUresult code) {
  complain(text);
  return code;
}

CUresult FakeState::enterCurrent(const std::string &name) {
  if (const CUresult failure = enter(name); failure != CUDA_SUCCESS)
    return failure;
  return current().empty()
             ? refuse(name + " is called without a current context",
                      CUDA_ERROR_INVALID_CONTEXT)
             : CUDA_SUCCESS;
}

CUresult FakeState::spoil(FakeStream &stream, const std::string &name) {
  stream.isInvalid = true;
  return refuse(name + " spoils a capture",
                CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult FakeState::enterUnsafe(const std::string &name) {
  CUresult result = enterCurrent(name);
  if (result != CUDA_SUCCESS)
    return result;
  const bool isGlobal = threadMode() == CU_STREAM_CAPTURE_MODE_GLOBAL;
  for (FakeStream *stream : streams) {
    const bool isOwn = stream->capturer == std::this_thread::get_id();
    if (stream->capture &&
        (isOwn || (isGlobal && stream->mode == CU_STREAM_CAPTURE_MODE_GLOBAL)))
      result = spoil(*stream, name);
  }
  if (!isCapturedElsewhere || !isGlobal)
    return result;
  isElsewhereSpoilt = true;
  return refuse(name + " spoils the capture of another thread",
                CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

std::vector<int> &FakeState::current() {
  static thread_local std::vector<int> stack;
  return stack;
}

CUstreamCaptureMode &FakeState::threadMode() {
  static thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

size_t FakeState::bytesUsed() const {
  const Lock lock(mutex);
  size_t used = 0;
  for (const auto &[start, allocation] : allocations)
    used += allocation.memory.size();
  return used;
}

size_t FakeState::bytesFree() const {
  return deviceBytes - std::min(bytesUsed(), deviceBytes);
}

CUresult FakeState::allocate(char *&start, size_t bytes) {
  if (bytes > bytesFree())
    return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation made{FakeMemory(bytes), current().back(), {}};
  start = made.memory.address();
  allocations[start] = std::move(made);
  return CUDA_SUCCESS;
}

CUresult FakeState::release(char *start) {
  if (!allocations.count(start))
    return refuse("memory is freed that was not allocated",
                  CUDA_ERROR_INVALID_VALUE);
  workUntil([] { return false; });
  if (hangs[static_cast<size_t>(allocations[start].device)])
    complain("memory of a GPU that hangs is freed");
  allocations.erase(start);
  return CUDA_SUCCESS;
}

FakeState::Allocation *FakeState::find(const char *address) {
  auto at = allocations.upper_bound(const_cast<char *>(address));
  if (at == allocations.begin())
    return nullptr;
  --at;
  return address < at->first + at->second.memory.size() ? &at->second : nullptr;
}

int FakeState::deviceOf(const char *address) const {
  const Allocation *found = const_cast<FakeState *>(this)->find(address);
  return found ? found->device : -1;
}

bool FakeState::isPinned(const char *address) const {
  auto at = pinned.upper_bound(const_cast<char *>(address));
  return at != pinned.begin() &&
         address < std::prev(at)->first + std::prev(at)->second;
}

char *FakeState::inside(char *address) {
  const Allocation *found = find(address);
  return found ? found->memory.inside() + (address - found->memory.address())
               : address;
}

void FakeState::checkOrder(const FakeStream &stream, const FakeUse &use,
                           const std::string &name,
                           const std::vector<Done> &others) {
  const auto overlaps = [&](const FakeUse &other) {
    return use.begin < other.begin + other.bytes &&
           other.begin < use.begin + use.bytes;
  };
  for (const Done &other : others)
    if (overlaps(other.use) && (use.writes || other.use.writes) &&
        !stream.clock.knows(other.stream, other.work))
      complain(name + " on stream " + std::to_string(stream.number) +
               " is not ordered behind " + other.name + " on stream " +
               std::to_string(other.stream));
}

void FakeState::checkUse(FakeStream &stream, const FakeUse &use,
                         const std::string &name) {
  Allocation *memory = find(use.begin);
  std::vector<Done> &uses = memory ? memory->uses : hostUses;
  if (memory && (use.bytes == 0 || find(use.begin + use.bytes - 1) != memory))
    return complain(name + " goes beyond its memory");
  checkOrder(stream, use, name, uses);
  if (use.writes && memory)
    std::erase_if(uses, [&](const Done &other) {
      return other.use.begin >= use.begin &&
             other.use.begin + other.use.bytes <= use.begin + use.bytes;
    });
  uses.push_back({use, stream.device, stream.number, stream.numWorks, name});
}

void FakeState::checkUses(FakeStream &stream, const FakeWork &work) {
  for (const bool writes : {false, true})
    for (const FakeUse &use : work.uses)
      if (use.writes == writes)
        checkUse(stream, use, work.name);
}

CUresult FakeState::append(FakeStream &stream, FakeWork work) {
  if (current().back() != stream.device)
    complain(work.name + " is asked for in another context than its stream's");
  if (stream.capture) {
    stream.capture->works.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  stream.clock.join(host);
  if (work.wait)
    stream.clock.join(work.wait->clock);
  stream.clock.set(stream.number, ++stream.numWorks);
  checkUses(stream, work);
  stream.works.push_back(std::move(work));
  return CUDA_SUCCESS;
}

bool FakeState::workOnce() {
  std::vector<FakeStream *> ready;
  for (FakeStream *stream : streams)
    if (!stream->works.empty() && !hangs[static_cast<size_t>(stream->device)] &&
        (!stream->works.front().wait || stream->works.front().wait->isDone))
      ready.push_back(stream);
  if (ready.empty())
    return false;
  std::ranges::sort(ready, {}, &FakeStream::number);
  FakeStream &stream = *ready[random() % ready.size()];
  FakeWork work = std::move(stream.works.front());
  stream.works.pop_front();
  unitsDone += work.units;
  // A GPU that has failed touches no memory any more.
  if (work.run &&
      (brokenBy(stream.device) == CUDA_SUCCESS || work.uses.empty()))
    work.run();
  return true;
}

bool FakeState::workUntil(const std::function<bool()> &isDone) {
  while (!isDone())
    if (!workOnce())
      return false;
  return true;
}

void FakeState::workABit() { (void)workOnce(); }

void FakeState::finish(FakeStream &stream) {
  if (!workUntil([&] { return stream.works.empty(); }))
    complain("a stream waits for ever");
  noteHost(stream.clock);
}

void FakeState::noteHost(const Clock &clock) {
  host.join(clock);
  std::erase_if(hostUses, [&](const Done &use) {
    return host.knows(use.stream, use.work);
  });
}

void FakeState::runKernel(const FakeKernel &kernel, int device,
                          std::vector<float *> buffers, size_t size) {
  if (++numKernels == kernelFault.number)
    return breakDevice(device, kernelFault.code);
  if (numKernels == hangingKernel) {
    hangs[static_cast<size_t>(device)] = true;
    return;
  }
  for (size_t i = 0; i < kernel.numBuffers(); ++i) {
    float *&buffer = buffers[i];
    // Kernels access 16 bytes at a time.
    if (reinterpret_cast<uintptr_t>(buffer) % 16 != 0)
      return breakDevice(device, CUDA_ERROR_MISALIGNED_ADDRESS);
    buffer =
        reinterpret_cast<float *>(inside(reinterpret_cast<char *>(buffer)));
  }
  kernel.body(buffers.data(), size);
}

extern "C" __attribute__((visibility("default"))) FakeCuda *weirFakeCuda() {
  return &FakeState::get();
}
