"""Which includes utils/lint-includes.py refuses."""
import unittest

import linters

lint = linters.load("lint-includes")


def complaint(path, included, quote):
    """What check_source says about the include, or None."""
    closing = {"<": ">", '"': '"'}[quote]
    found = lint.check_source(lint.Source(
        path, f"#include {quote}{included}{closing}\n"))
    return found[0].message if found else None


class IncludesTest(unittest.TestCase):
    def assertAllowed(self, path, included, quote="<"):
        self.assertIsNone(complaint(path, included, quote))

    def assertRefused(self, path, included, quote="<"):
        self.assertIsNotNone(complaint(path, included, quote))

    def test_the_runtime_half_is_free_of_llvm(self):
        for path in ("lib/Support/Json.cpp", "include/weir/Artifact/Reader.h",
                     "lib/Runtime/Kernels/CPU/Matmul.cpp",
                     "tools/graph-run/graph-run.cpp"):
            self.assertRefused(path, "llvm/ADT/StringRef.h")
            self.assertRefused(path, "mlir/IR/Operation.h")
        self.assertAllowed("lib/Dialect/Weir/IR/WeirOps.cpp",
                           "mlir/IR/Operation.h")

    def test_the_runtime_half_does_not_see_the_compiler(self):
        self.assertRefused("lib/Runtime/Session/Session.cpp",
                           "weir/Dialect/Weir/IR/WeirOps.h")
        self.assertRefused("tools/graph-run/graph-run.cpp",
                           "weir/Compiler/Compiler.h")

    def test_the_runtime_half_has_one_direction(self):
        self.assertAllowed("lib/Artifact/Writer.cpp", "weir/Support/Status.h")
        self.assertRefused("lib/Support/Json.cpp", "weir/Artifact/Reader.h")
        self.assertRefused("lib/Artifact/Reader.cpp", "weir/Runtime/Device.h")
        self.assertAllowed("lib/Runtime/Kernels/CPU/Matmul.cpp",
                           "weir/Runtime/Kernel.h")
        self.assertRefused("lib/Runtime/Session/Session.cpp",
                           "weir/Runtime/Kernels/KernelTable.h")

    def test_the_compiler_has_one_direction(self):
        self.assertRefused("lib/Analysis/Placement.cpp",
                           "weir/Dialect/Weir/IR/WeirOps.h")
        self.assertRefused("lib/Dialect/Weir/IR/WeirOps.cpp",
                           "weir/Dialect/Weir/Transforms/Passes.h")
        self.assertAllowed("lib/Conversion/WeirToExec/WeirToExec.cpp",
                           "weir/Analysis/Schedule.h")
        self.assertRefused("lib/Dialect/Exec/Transforms/PlanMemory.cpp",
                           "weir/Compiler/Pipelines.h")

    def test_only_folding_calls_the_runtime(self):
        header = "weir/Runtime/Session.h"
        passes = "lib/Dialect/Weir/Transforms"
        self.assertAllowed(f"{passes}/Folding/FoldConstants.cpp", header)
        self.assertRefused(f"{passes}/Folding/BindInputs.cpp", header)
        self.assertRefused(f"{passes}/Grouping/FormGroups.cpp", header)
        self.assertRefused(f"{passes}/Folding/FoldConstants.cpp",
                           "weir/Runtime/Kernels/KernelTable.h")

    def test_headers_of_the_builder_hide_the_compiler(self):
        header = "include/weir/Builder/Graph.h"
        self.assertRefused(header, "mlir/IR/Value.h")
        self.assertRefused(header, "weir/Dialect/Weir/IR/WeirOps.h")
        self.assertAllowed(header, "weir/Support/DType.h")
        self.assertAllowed("lib/Builder/Graph.cpp", "mlir/IR/Value.h")

    def test_the_compiler_api_is_free_of_llvm(self):
        for path in ("include/weir/Builder/Graph.h",
                     "docs/examples/two-devices/two-devices.cpp"):
            self.assertAllowed(path, "weir/Compiler/Compiler.h")
            self.assertAllowed(path, "weir/Builder/Value.h")
            self.assertRefused(path, "weir/Compiler/Registration.h")
            self.assertRefused(path, "mlir/IR/Value.h")
        self.assertRefused("include/weir/Compiler/Compiler.h",
                           "mlir/IR/Value.h")
        self.assertRefused("lib/Runtime/Session/Session.cpp",
                           "weir/Builder/Graph.h")

    def test_relative_includes_are_resolved(self):
        self.assertRefused("lib/Runtime/Session/Session.cpp",
                           "../Devices/CPU/CpuDriver.h", '"')
        self.assertRefused("lib/Runtime/Devices/Host/HostQueue.cpp",
                           "../../../Import/ForeignFile.h", '"')
        self.assertRefused("tools/graph-run/graph-run.cpp",
                           "../../lib/Import/Nesting.h", '"')
        self.assertAllowed("lib/Runtime/Devices/CPU/CpuDevice.cpp",
                           "../Host/HostQueue.h", '"')
        self.assertAllowed("lib/Runtime/Kernels/CPU/Cast.cpp",
                           "../../OpenMP/Team.h", '"')
        # A library may include whatever lies beside the source.
        self.assertAllowed("lib/Runtime/Session/Session.cpp", "Devices/Thing.h")

    def test_openmp_is_used_in_one_folder(self):
        self.assertAllowed("lib/Runtime/OpenMP/Team.h", "omp.h")
        for path in ("lib/Runtime/Kernels/CPU/Cast.cpp",
                     "lib/Runtime/OpenMPUsers.cpp",
                     "lib/Analysis/Placement.cpp", "tools/graph-run/main.cpp"):
            self.assertRefused(path, "omp.h")
            self.assertTrue(lint.check_source(
                lint.Source(path, "  #pragma omp parallel\n")))

    def test_both_languages_are_read(self):
        text = ('#include <llvm/ADT/Twine.h>\n'
                '// #include "mlir/IR/Value.h"\n'
                'include "mlir/IR/OpBase.td"\n')
        found = lint.check_source(lint.Source("lib/Support/A.cpp", text))
        self.assertEqual([finding.line for finding in found], [1, 3])

    def test_a_folder_without_a_layer_is_named(self):
        self.assertTrue(lint.check_placement(
            lint.Source("lib/Misc/Thing.cpp", "")))
        self.assertFalse(lint.check_placement(
            lint.Source("lib/Target/CPU/Object.cpp", "")))
