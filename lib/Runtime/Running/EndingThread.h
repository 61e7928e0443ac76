//===- EndingThread.h - Destroys what a thread must not wait for *- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_ENDINGTHREAD_H
#define WEIR_LIB_RUNTIME_RUNNING_ENDINGTHREAD_H

#include <functional>

namespace weir {

/// Whether the end of the process waits for the thread.
enum class AtExit { Wait, Leave };

/// Calls `destroy` on a thread of its own, for callers that must not wait for
/// devices. If there is no memory or no thread, the objects that `destroy`
/// should destroy stay until the process ends.
void endOnThread(AtExit atExit, std::function<void()> destroy);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_ENDINGTHREAD_H
