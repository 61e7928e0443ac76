//===- TestNoPlugin.c - A shared object that is no plug-in ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

int weirTestNoPlugin(void) { return 0; }
