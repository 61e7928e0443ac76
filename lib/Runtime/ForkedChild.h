//===- ForkedChild.h - Processes without the threads of devices -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A forked process has one thread. Its copies of devices that were open before
// the fork wait for threads that do not exist. Locks that another thread held
// stay locked. So calls in such a process are errors, and destructors leave
// everything as it is.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_FORKEDCHILD_H
#define WEIR_LIB_RUNTIME_FORKEDCHILD_H

#include "weir/Support/Status.h"

namespace weir {

/// Notes that devices are going to be opened. Processes that are forked before
/// the matching call of `devicesAreClosed` are forked children.
void devicesAreOpening();
void devicesAreClosed();

/// Whether this process was forked while its parent process had open devices.
bool isForkedChild();

/// Returns an error in a forked child.
Status checkNotForked();

} // namespace weir

#endif // WEIR_LIB_RUNTIME_FORKEDCHILD_H
