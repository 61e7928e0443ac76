"""Which lit tests utils/lint-checks.py refuses."""
import unittest

import linters

lint = linters.load("lint-checks")

SOUND = """\
// RUN: graph-opt %s --weir-group-ops \\
// RUN:   | FileCheck %s
// RUN: not graph-opt %s --strict 2>&1 \\
// RUN:   | FileCheck %s --check-prefixes=ERR,COMMON
// CHECK-LABEL: func @f
// CHECK{LITERAL}: [[
// CHECK-NEXT{LITERAL}: [[
// CHECK-COUNT-2: weir.group
// ERR: error: no such device
// COMMON-NOT: weir.copy
"""


def complaints(text):
    return [str(finding) for finding in
            lint.check_source(lint.Source("test/a.mlir", text))]


class ChecksTest(unittest.TestCase):
    def assertFinds(self, text, part):
        found = complaints(text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_a_sound_test_passes(self):
        self.assertEqual(complaints(SOUND), [])

    def test_a_directive_needs_its_colon(self):
        for line in ("// CHECK-SAME   %[[SIZE]]", "// CHECK weir.add",
                     "// ERR-NOT stream", "// CHECK-NEXT"):
            self.assertFinds(SOUND + line + "\n", "lacks its colon")

    def test_a_prefix_without_a_run_line_is_found(self):
        self.assertFinds(SOUND + "// CHEKC-NEXT: a\n", "no RUN line")
        self.assertFinds(SOUND + "// CHECK-NXT: a\n", "no RUN line")
        self.assertFinds(SOUND + "// CHECK-OLD: a\n", "no RUN line")

    def test_a_prefix_without_a_directive_is_found(self):
        self.assertFinds(SOUND.replace("// COMMON-NOT: weir.copy\n", ""),
                         "no directive uses 'COMMON'")

    def test_directives_in_another_file_are_not_asked_for(self):
        self.assertEqual(complaints(
            "// RUN: graph-opt %s | FileCheck %S/Inputs/shared.txt\n"), [])

    def test_a_run_line_must_be_looked_at(self):
        self.assertFinds("// RUN: graph-opt %s\n", "nothing looks")
        self.assertFinds("// RUN: graph-compile %s -o %t.weir\n",
                         "nothing looks")
        self.assertFinds("// RUN: not graph-compile %s\n", "nothing looks")

    def test_a_file_that_a_later_line_reads_is_looked_at(self):
        self.assertEqual(complaints(
            "// RUN: graph-compile %s -o %t.weir\n"
            "// RUN: graph-run %t.weir --output y=%t.npy\n"
            "// RUN: cmp %t.npy %S/Inputs/y.npy\n"), [])

    def test_tools_that_verify_by_themselves_pass(self):
        self.assertEqual(complaints(
            "// RUN: graph-opt %s -verify-diagnostics -split-input-file\n"), [])

    def test_a_file_without_a_run_line_is_no_test(self):
        self.assertFinds("func.func @f()\n", "without a RUN line")
