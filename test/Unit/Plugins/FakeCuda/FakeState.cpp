//===- FakeState.cpp - What pretended GPUs do -----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <algorithm>
#include <cstring>
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

void FakeState::forget() {
  const Lock lock(mutex);
  numCalls.clear();
  faults.clear();
  kernelFault = {0, 0};
  broken = CUDA_SUCCESS;
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
                       std::function<void(std::vector<char *>)> body) {
  const Lock lock(mutex);
  auto &stream = *static_cast<FakeStream *>(handle);
  FakeWork work{name, {}, {}, {}};
  std::vector<char *> memory;
  for (const FakeRange &range : ranges) {
    char *start = static_cast<char *>(const_cast<void *>(range.begin));
    if (deviceOf(start) != stream.device)
      complain(name + " uses memory that is not its GPU's");
    memory.push_back(start);
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
  for (const int retained : numRetained)
    add(static_cast<size_t>(retained), "uses of a context");
  return texts;
}

std::vector<std::string> FakeState::images() const {
  const Lock lock(mutex);
  return loaded;
}

CUresult FakeState::enter(const std::string &name) {
  const size_t number = ++numCalls[name];
  if (broken != CUDA_SUCCESS)
    return broken;
  const auto fault = faults.find(name);
  return fault != faults.end() && fault->second.number == number
             ? static_cast<CUresult>(fault->second.code)
             : CUDA_SUCCESS;
}

std::vector<int> &FakeState::current() {
  static thread_local std::vector<int> stack;
  return stack;
}

size_t FakeState::bytesFree() const {
  size_t used = 0;
  for (const auto &[start, allocation] : allocations)
    used += allocation.bytes;
  return deviceBytes - std::min(used, deviceBytes);
}

CUresult FakeState::allocate(char *&start, size_t bytes) {
  if (current().empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (bytes > bytesFree())
    return CUDA_ERROR_OUT_OF_MEMORY;
  constexpr size_t alignment = 256;
  Allocation made;
  made.memory = std::make_unique<char[]>(bytes + alignment);
  // Nobody may rely on what is in new memory.
  std::memset(made.memory.get(), 0xa5, bytes + alignment);
  const auto address = reinterpret_cast<uintptr_t>(made.memory.get());
  start = made.memory.get() + (alignment - address % alignment) % alignment;
  made.bytes = bytes;
  made.device = current().back();
  allocations[start] = std::move(made);
  return CUDA_SUCCESS;
}

CUresult FakeState::release(char *start) {
  if (!allocations.count(start)) {
    complain("memory is freed that was not allocated");
    return CUDA_ERROR_INVALID_VALUE;
  }
  workUntil([] { return false; });
  allocations.erase(start);
  return CUDA_SUCCESS;
}

FakeState::Allocation *FakeState::find(const char *address) {
  auto at = allocations.upper_bound(const_cast<char *>(address));
  if (at == allocations.begin())
    return nullptr;
  --at;
  return address < at->first + at->second.bytes ? &at->second : nullptr;
}

int FakeState::deviceOf(const char *address) const {
  const Allocation *found = const_cast<FakeState *>(this)->find(address);
  return found ? found->device : -1;
}

void FakeState::checkUse(FakeStream &stream, const FakeUse &use,
                         const std::string &name) {
  Allocation *memory = find(use.begin);
  // Memory of the host.
  if (!memory)
    return;
  if (use.bytes == 0 || find(use.begin + use.bytes - 1) != memory)
    return complain(name + " goes beyond its memory");
  const auto overlaps = [&](const FakeUse &other) {
    return use.begin < other.begin + other.bytes &&
           other.begin < use.begin + use.bytes;
  };
  for (const Done &other : memory->uses)
    if (overlaps(other.use) && (use.writes || other.use.writes) &&
        !stream.clock.knows(other.stream, other.work))
      complain(name + " on stream " + std::to_string(stream.number) +
               " is not ordered behind " + other.name + " on stream " +
               std::to_string(other.stream));
  if (use.writes)
    std::erase_if(memory->uses, [&](const Done &other) {
      return other.use.begin >= use.begin &&
             other.use.begin + other.use.bytes <= use.begin + use.bytes;
    });
  memory->uses.push_back({use, stream.number, stream.numWorks, name});
}

void FakeState::checkUses(FakeStream &stream, const FakeWork &work) {
  for (const bool writes : {false, true})
    for (const FakeUse &use : work.uses)
      if (use.writes == writes)
        checkUse(stream, use, work.name);
}

CUresult FakeState::append(FakeStream &stream, FakeWork work) {
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
    if (!stream->works.empty() &&
        (!stream->works.front().wait || stream->works.front().wait->isDone))
      ready.push_back(stream);
  if (ready.empty())
    return false;
  std::ranges::sort(ready, {}, &FakeStream::number);
  FakeStream &stream = *ready[random() % ready.size()];
  FakeWork work = std::move(stream.works.front());
  stream.works.pop_front();
  // A GPU that has failed touches no memory any more.
  if (work.run && (broken == CUDA_SUCCESS || work.uses.empty()))
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

void FakeState::runKernel(const FakeKernel &kernel,
                          std::vector<float *> buffers, size_t size) {
  if (++numKernels == kernelFault.number) {
    broken = static_cast<CUresult>(kernelFault.code);
    return;
  }
  kernel.body(buffers.data(), size);
}

extern "C" __attribute__((visibility("default"))) FakeCuda *weirFakeCuda() {
  return &FakeState::get();
}
