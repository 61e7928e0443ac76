#!/usr/bin/env python3
"""Checks that includes follow the direction of dependencies.

The layers and what each may include are the tables below. The runtime half, its
tools and every header that a user of the builder sees include nothing of LLVM
or MLIR, neither directly nor through the compiler half. One folder alone uses
OpenMP.
"""
import posixpath
import re

import source_tree
from source_tree import Finding, Source

# What makes up each layer: the longest prefix of a path below include/weir/ or
# lib/ decides. A layer may include itself and what the next table lists.
LAYERS = {
    "Support": "Support",
    "Artifact": "Artifact",
    "C": "C",
    "C/Training": "CTraining",
    "Runtime": "Runtime",
    "Runtime/Devices": "Devices",
    "Runtime/Collectives": "Collectives",
    "Runtime/Kernels": "Kernels",
    "Testing": "Testing",
    "Training": "Training",
    "Plugins": "Plugins",
    "Analysis": "Analysis",
    "Cache": "Cache",
    "Data": "Data",
    "Dialect/Weir/IR": "WeirIR",
    "Dialect/Exec/IR": "ExecIR",
    "Dialect/Weir/Transforms": "Transforms",
    "Dialect/Exec/Transforms": "Transforms",
    "Conversion": "Conversion",
    "Target": "Target",
    "Import": "Import",
    "Compiler": "Compiler",
    "Builder": "Builder",
}
IR = {"Support", "WeirIR", "ExecIR"}
MAY_INCLUDE = {
    "Support": set(),
    "Artifact": {"Support"},
    "C": {"Support", "Runtime"},
    "CTraining": {"Support", "C", "Data", "Runtime", "Training"},
    "Runtime": {"Support", "Artifact"},
    "Collectives": {"Support", "Artifact", "Runtime"},
    "Kernels": {"Support", "Artifact", "Runtime"},
    "Devices": {"Support", "Artifact", "Runtime", "Kernels", "Collectives"},
    # The installed headers, as for the plug-ins of others.
    "Plugins": {"Support", "Artifact", "Cache", "Runtime"},
    "Training": {"Support", "Data", "Runtime"},
    # For the tests of plug-ins: public headers.
    "Testing": {"Support", "Artifact", "Runtime"},
    "Analysis": {"Support"},
    "Cache": {"Support"},
    "Data": {"Support"},
    "WeirIR": {"Support"},
    # The exec dialect is the artifact's plan as text, and keeps its limits.
    "ExecIR": {"Support", "Artifact", "WeirIR"},
    "Transforms": IR | {"Analysis"},
    "Conversion": IR | {"Analysis", "Cache", "Transforms"},
    "Target": IR | {"Artifact", "Analysis", "Cache", "Conversion",
                    "Transforms"},
    "Import": IR | {"Analysis", "Transforms"},
    "Compiler": IR | {"Artifact", "Analysis", "Cache", "Transforms",
                      "Conversion", "Target", "Import"},
    "Builder": IR | {"Compiler"},
}
RUNTIME_HALF = {"Support", "Artifact", "C", "CTraining", "Runtime",
                "Collectives", "Kernels", "Devices", "Testing", "Training",
                "Plugins", "Cache", "Data"}
RUNTIME_TOOL = re.compile(r"tools/graph-(run|dump)/")
# What programs that build and compile graphs include, and such programs.
COMPILER_API = re.compile(r"(include/)?weir/(Builder/|Compiler/Compiler\.h$)")
EXAMPLES = "docs/examples/"
# Constant folding runs kernels, who chooses a kernel asks whether it takes the
# op, and who counts memory asks what kernels pack and need. For the last one
# the runtime has a header that is not installed, HeldMemory.h; the others use
# its public API alone. Kernels that are checked are run.
ASKS_KERNELS = re.compile(
    r"lib/(Dialect/Weir/Transforms/(Folding/\w*Fold\w*|KernelChoice)"
    r"|Compiler/(MemoryCaps|CapErrors))\.cpp$"
    r"|lib/Target/Check/(ClusterRun\.h|LaunchCheck\.(h|cpp))$")
LLVM_HEADER = re.compile(r"(llvm|llvm-c|mlir|mlir-c|lld|clang)/")
OPENMP_FOLDER = "lib/Runtime/OpenMP/"
OPENMP_PRAGMA = re.compile(r"\s*#\s*pragma\s+omp\b")
INCLUDE = re.compile(r'\s*#?\s*include\s*(["<])([^">]+)[">]')


def layer_of(path: str):
    """The layer of `include/weir/A/B.h`, `lib/A/B.cpp` or `weir/A/B.h`, or
    None outside of the libraries."""
    inner = re.sub(r"^(include/weir|lib|weir)/", "", path)
    if inner == path:
        return None
    prefixes = [p for p in LAYERS if inner.startswith(p + "/")]
    return LAYERS[max(prefixes, key=len)] if prefixes else None


def must_be_free_of_llvm(path: str):
    return (layer_of(path) in RUNTIME_HALF or RUNTIME_TOOL.match(path)
            or uses_compiler_api(path))


def uses_compiler_api(path: str):
    return COMPILER_API.match(path) or path.startswith(EXAMPLES)


def complaint(path: str, included: str):
    """Why `path` may not include `included`, or None."""
    if LLVM_HEADER.match(included) and must_be_free_of_llvm(path):
        return f"{included} is LLVM's, and {path} is used without LLVM"
    if included == "omp.h" and not path.startswith(OPENMP_FOLDER):
        return f"{included} is for {OPENMP_FOLDER}; use its headers"
    source, target = layer_of(path), layer_of(included)
    if target is None or source == target:
        return None
    if (must_be_free_of_llvm(path) and target not in RUNTIME_HALF
            and not (uses_compiler_api(path)
                     and COMPILER_API.match(included))):
        return f"{included} needs LLVM, and {path} is used without LLVM"
    if source is None:
        return None
    if target == "Runtime" and ASKS_KERNELS.match(path):
        return None
    if target in MAY_INCLUDE[source]:
        return None
    allowed = ", ".join(sorted(MAY_INCLUDE[source])) or "nothing else"
    return f"{source} may not include {included} ({target}); only {allowed}"


def resolve(path: str, quote: str, included: str):
    """What `included` means in the file `path`: an include in quotes that does
    not begin with the name of a library is relative to the file."""
    if quote == "<" or re.match(r"weir/", included) or LLVM_HEADER.match(
            included):
        return included
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), included))


def check_source(source: Source):
    findings = []
    for number, line in enumerate(source.lines, 1):
        match = INCLUDE.match(line)
        message = match and complaint(
            source.path, resolve(source.path, match[1], match[2]))
        if message:
            findings.append(Finding(source.path, number, message))
        if (OPENMP_PRAGMA.match(line)
                and not source.path.startswith(OPENMP_FOLDER)):
            findings.append(Finding(
                source.path, number, f"parallel regions are for "
                f"{OPENMP_FOLDER}; call parallelFor"))
    return findings


def check_placement(source: Source):
    """Every file of the libraries belongs to a layer."""
    if source.path.startswith(("include/weir/", "lib/")):
        if layer_of(source.path) is None:
            return [Finding(source.path, 0, "in no layer; see the table in "
                            "utils/lint-includes.py")]
    return []


def check(root):
    findings = []
    for source in source_tree.read_sources(
            root, (".h", ".cpp", ".inc", ".td", ".cu", ".cuh"),
            ("docs", "include", "lib", "tools")):
        findings += check_placement(source) + check_source(source)
    return findings


if __name__ == "__main__":
    source_tree.main(__doc__, check)
