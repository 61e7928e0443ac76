//===- ForkedChild.h - Processes without the threads of devices -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A forked process has one thread. Devices that were open before the fork wait
// there for threads that do not exist, and locks that another thread held stay
// locked. So such a process is refused, and what it destroys is left as it is.
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

/// Whether this process was forked while the one before it had open devices.
bool isForkedChild();

/// Returns an error in a forked child.
Status checkNotForked();

} // namespace weir

#endif // WEIR_LIB_RUNTIME_FORKEDCHILD_H
