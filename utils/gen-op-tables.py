#!/usr/bin/env python3
"""Writes what follows from the op records: the builder's methods, the kernel
tables of the runtime, and the op and pass references.

The kernel tables alone are kept in the repository, because the runtime is built
where LLVM is not; --check fails when they are not what the records say. The
build writes the rest, so a new op changes no file but its own.
"""
import argparse
import pathlib
import subprocess
import sys

import op_builder_code
import op_reference
from op_records import RecordError, read_records

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Kernels without an op's row: the compiler requests generated code, and
# graph-compile --allow-reference the reference kernel.
EXTRA_KERNELS = {"cpu": {"generated", "reference"}}


def kernel_row(name, camel):
    """A row of a kernel table, on two lines where one is too short."""
    row = f'WEIR_KERNEL("{name}", prepare{camel}, check{camel})\n'
    if len(row) <= 81:
        return row
    return row.replace(f" check{camel}", f"\n            check{camel}")


def kernel_table(device, kernels):
    """The rows of one device kind as C++, by name."""
    camel = op_builder_code.camel_case
    rows = "".join(kernel_row(name, camel(name, True))
                   for name in sorted(kernels))
    title = f"The kernels of {device.upper()} devices by name -*- C++ -*-"
    return f"""\
//===- CpuKernels.inc - {title}===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// WEIR_KERNEL(name, prepare function, check function), both in weir::{device},
// in the order of the names. Written by utils/gen-op-tables.py from the op
// records' kernel rows.
//
//===----------------------------------------------------------------------===//

{rows}
#undef WEIR_KERNEL
"""


def kernel_tables(ops):
    """The text of each device kind's table, by path."""
    kernels = {device: set(names) for device, names in EXTRA_KERNELS.items()}
    for op in ops:
        for row in op.kernels:
            kernels.setdefault(row.device, set()).add(row.kernel)
    return {f"lib/Runtime/Kernels/{device.upper()}/CpuKernels.inc":
            kernel_table(device, names) for device, names in kernels.items()}


def pass_docs(root, llvm):
    """The output of mlir-tblgen for each Passes.td, by its path."""
    docs = {}
    for path in sorted(root.glob("include/weir/**/Passes.td")):
        command = [llvm / "bin" / "mlir-tblgen", "-gen-pass-doc",
                   "-I", root / "include", "-I", llvm / "include", path]
        docs[path.relative_to(root).as_posix()] = subprocess.run(
            command, stdout=subprocess.PIPE, check=True, text=True).stdout
    return docs


def write(path, text):
    """Writes a file only if it changes, so that nothing is rebuilt
    otherwise."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def stale(files, root):
    return [name for name, text in files.items()
            if not (root / name).exists()
            or (root / name).read_text(encoding="utf-8") != text]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT,
                        help="the repository (default: the script's)")
    parser.add_argument("--llvm", type=pathlib.Path,
                        default="/usr/lib/llvm-22",
                        help="where LLVM and MLIR are installed")
    parser.add_argument("--builder", type=pathlib.Path, metavar="FOLDER",
                        help="write only GraphOps.h and GraphOps.cpp, there")
    parser.add_argument("--references", type=pathlib.Path, metavar="FOLDER",
                        help="write only Ops.md and Passes.md, there")
    parser.add_argument("--check", action="store_true",
                        help="write nothing, fail when a file is stale")
    options = parser.parse_args()
    try:
        ops = read_records(options.root, options.llvm)
    except RecordError as error:
        sys.exit(str(error))
    if options.builder:
        write(options.builder / "GraphOps.h", op_builder_code.header(ops))
        write(options.builder / "GraphOps.cpp", op_builder_code.source(ops))
        return
    if options.references:
        write(options.references / "Ops.md", op_reference.ops(ops))
        write(options.references / "Passes.md", op_reference.passes(
            pass_docs(options.root, options.llvm)))
        return
    files = kernel_tables(ops)
    if not options.check:
        for name, text in files.items():
            write(options.root / name, text)
        return
    if old := stale(files, options.root):
        sys.exit(f"not what the records say: {', '.join(old)}\n"
                 "write them anew with: utils/gen-op-tables.py")


if __name__ == "__main__":
    main()
