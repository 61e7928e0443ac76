//===- FakeStreams.cpp - Streams, events and captures of pretended GPUs ---===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <cstring>
#include <utility>

using namespace weir::test;

CUresult FakeDriver::cuMemsetD8Async(CUdeviceptr to, unsigned char value,
                                     size_t bytes, CUstream stream) {
  ENTER_CURRENT(cuMemsetD8Async);
  char *start = pointer(to);
  if (state.deviceOf(start) < 0)
    return state.refuse("a fill is not of a GPU's memory",
                        CUDA_ERROR_INVALID_VALUE);
  return state.append(
      of(stream),
      {"a fill",
       {{start, bytes, true}},
       [=] { std::memset(FakeState::get().inside(start), value, bytes); },
       {}});
}

CUresult FakeDriver::cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from,
                                   size_t bytes, CUstream stream) {
  ENTER_CURRENT(cuMemcpyAsync);
  char *target = pointer(to), *source = pointer(from);
  const auto isPageable = [&](const char *address) {
    return state.deviceOf(address) < 0 && !state.isPinned(address);
  };
  const bool crossesHost = isPageable(target) || isPageable(source);
  if (crossesHost && of(stream).capture)
    return state.spoil(of(stream), "a copy from or to pageable memory");
  const CUresult result =
      state.append(of(stream), {"a copy",
                                {{source, bytes, false}, {target, bytes, true}},
                                [=] {
                                  FakeState &now = FakeState::get();
                                  std::memmove(now.inside(target),
                                               now.inside(source), bytes);
                                },
                                {}});
  // To pageable memory, and with many bytes from there, the call may wait for
  // the copy.
  constexpr size_t mostKept = size_t(64) << 10;
  if (crossesHost && (isPageable(target) || bytes > mostKept) &&
      result == CUDA_SUCCESS && state.flip())
    state.finish(of(stream));
  return result;
}

CUresult FakeDriver::cuStreamCreate(CUstream *stream, unsigned) {
  ENTER_UNSAFE(cuStreamCreate);
  auto *made = new FakeStream;
  made->number = state.numStreams++;
  made->device = FakeState::current().back();
  state.streams.insert(made);
  *stream = reinterpret_cast<CUstream>(made);
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuStreamDestroy(CUstream stream) {
  ENTER_RELEASE(cuStreamDestroy);
  if (of(stream).capture)
    state.complain("a stream is destroyed while it is captured");
  state.finish(of(stream));
  return destroy(state, state.streams, stream, failure);
}

CUresult FakeDriver::cuStreamQuery(CUstream stream) {
  ENTER_UNSAFE(cuStreamQuery);
  if (of(stream).capture)
    return state.spoil(of(stream), "cuStreamQuery");
  state.workABit();
  if (!of(stream).works.empty())
    return CUDA_ERROR_NOT_READY;
  state.noteHost(of(stream).clock);
  return state.enterCurrent("work");
}

CUresult FakeDriver::cuStreamWaitEvent(CUstream stream, CUevent event,
                                       unsigned) {
  ENTER_CURRENT(cuStreamWaitEvent);
  if (of(stream).capture)
    return state.spoil(of(stream), "a wait for an event outside of it");
  if (!of(event).last) {
    state.complain("a stream waits for an event that was never recorded");
    return CUDA_SUCCESS;
  }
  return state.append(of(stream), {"a wait", {}, {}, of(event).last});
}

CUresult FakeDriver::cuEventCreate(CUevent *event, unsigned flags) {
  ENTER_UNSAFE(cuEventCreate);
  auto *made = new FakeEvent;
  made->device = FakeState::current().back();
  made->hasTime = !(flags & CU_EVENT_DISABLE_TIMING);
  state.events.insert(made);
  *event = reinterpret_cast<CUevent>(made);
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuEventDestroy(CUevent event) {
  ENTER_RELEASE(cuEventDestroy);
  return destroy(state, state.events, event, failure);
}

CUresult FakeDriver::cuEventRecord(CUevent event, CUstream stream) {
  ENTER_CURRENT(cuEventRecord);
  if (of(event).device != of(stream).device)
    return state.refuse("an event is recorded by a stream of another context",
                        CUDA_ERROR_INVALID_HANDLE);
  if (of(stream).capture)
    return state.spoil(of(stream), "a record that others wait for");
  const auto record = std::make_shared<FakeRecord>();
  const CUresult result =
      state.append(of(stream), {"a record",
                                {},
                                [record] {
                                  record->time = FakeState::get().numDone();
                                  record->isDone = true;
                                },
                                {}});
  record->clock = of(stream).clock;
  of(event).last = record;
  return result;
}

CUresult FakeDriver::cuEventQuery(CUevent event) {
  ENTER_UNSAFE(cuEventQuery);
  state.workABit();
  if (const auto &last = of(event).last; last && !last->isDone)
    return CUDA_ERROR_NOT_READY;
  else if (last)
    state.noteHost(last->clock);
  return state.enterCurrent("work");
}

CUresult FakeDriver::cuEventElapsedTime(float *milliseconds, CUevent begin,
                                        CUevent end) {
  ENTER_CURRENT(cuEventElapsedTime);
  const std::shared_ptr<FakeRecord> first = of(begin).last, last = of(end).last;
  if (!of(begin).hasTime || !of(end).hasTime || !first || !last)
    return state.refuse("an event has no time", CUDA_ERROR_INVALID_HANDLE);
  if (!first->isDone || !last->isDone)
    return state.refuse("an event has not happened", CUDA_ERROR_NOT_READY);
  // Each unit of work takes 10 ns.
  *milliseconds = static_cast<float>(last->time - first->time) * 1e-5f;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuStreamBeginCapture(CUstream stream,
                                          CUstreamCaptureMode mode) {
  ENTER_CURRENT(cuStreamBeginCapture);
  if (of(stream).capture)
    return state.refuse("a capture begins in a capture",
                        CUDA_ERROR_ILLEGAL_STATE);
  of(stream).capture = *state.graphs.insert(new FakeGraph).first;
  of(stream).capturer = std::this_thread::get_id();
  of(stream).mode = mode;
  of(stream).isInvalid = false;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  ENTER_RELEASE(cuStreamEndCapture);
  FakeGraph *captured = std::exchange(of(stream).capture, nullptr);
  *graph = nullptr;
  if (!captured || of(stream).capturer != std::this_thread::get_id())
    return state.refuse("a capture ends that was not begun here",
                        CUDA_ERROR_ILLEGAL_STATE);
  if (failure == CUDA_SUCCESS && !of(stream).isInvalid) {
    *graph = reinterpret_cast<CUgraph>(captured);
    return CUDA_SUCCESS;
  }
  (void)destroy(state, state.graphs, captured);
  return failure ? failure : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}
