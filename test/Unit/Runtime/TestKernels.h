//===- TestKernels.h - Kernels of the device kind "test" -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_TESTKERNELS_H
#define WEIR_TEST_UNIT_RUNTIME_TESTKERNELS_H

#include "weir/Runtime/Device.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Runtime/Session.h"

#include <atomic>
#include <thread>

namespace weir::test {

/// "add": the sum of all operands.
/// "affine": operand 0 times attribute "scale" plus attribute "shift".
/// "count": "affine" that counts its launches.
/// "fail": an error with the attribute "message".
/// "gate": copies operand 0 once the gate is open.
/// "lacking": cannot be prepared, for lack of a library.
/// "nan": NaN at element attribute "at", else operand 0.
/// "packed": operand 0 plus a constant operand 1 that was packed as its double.
/// "processor": the number of the processor that runs it.
/// "racing_reader", "racing_writer": "affine" on two threads. The second one
/// writes once the first one has read, which begins when the second one waits.
/// These waits are no synchronisation.
/// "scalar": "affine" that says it is the library's scalar code.
/// "serial_thread": "thread" that needs no team.
/// "sleep": "affine" after as many microseconds as the attribute "us" says.
/// "throw": throws when it is prepared.
/// "throw_in_run": throws when it is run.
/// "slow_prepare": "affine" that takes 5 ms to be prepared.
/// "thread": "affine" that writes down which thread ran it.
/// "via_workspace": operand 0 by way of the workspace.
const DeviceDriver &testDriver();
/// Options with the driver in them.
SessionOptions testOptions();

/// The threads of this process.
int countThreads();
/// The same, once no thread of an earlier test is ending.
int countSettledThreads();
/// Waits for threads that are ending, and expects `count` to remain.
void expectThreads(int count);

/// The memory of this process that is in use.
int64_t residentBytes();

/// Holds all "gate" kernels back while it exists.
class GateCloser {
public:
  GateCloser();
  ~GateCloser();
};
/// Launches of "count".
extern std::atomic<int> numCounted;
/// Launches that have reached a gate.
extern std::atomic<int> numAtGate;
/// The longest launch of "sleep" that has ended since this was 0, in ns.
extern std::atomic<uint64_t> longestSleep;
/// The thread of the last "thread" kernel.
extern std::atomic<std::thread::id> lastThread;
/// Kernels prepared, and operands packed, since the process began.
extern std::atomic<int> numPrepared;
extern std::atomic<int> numPacked;

} // namespace weir::test

#endif // WEIR_TEST_UNIT_RUNTIME_TESTKERNELS_H
