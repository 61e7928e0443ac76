//===- graph-opt.cpp - Runs weir passes by name ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/OptMain.h"

int main(int argc, char **argv) { return weir::runGraphOpt(argc, argv); }
