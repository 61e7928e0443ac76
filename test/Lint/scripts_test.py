"""Each linter as it is run: what is seeded into a tree makes it fail."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import linters

OPS = "include/weir/Dialect/Weir/IR/"
BASE = 'class Weir_Op<string name> : Op<Weir_Dialect, name> {}\n'
SEEDED = {
    "lint-includes": {"lib/Support/A.cpp": '#include "mlir/IR/Value.h"\n'},
    "lint-checks": {"test/a.mlir": "// RUN: graph-opt %s\n"},
    "lint-format": {"lib/A.cpp": "int a;\n"},
    "lint-ops": {OPS + "Base.td": BASE,
                 OPS + "Ops/A.td": 'def AddOp : Weir_Op<"add"> {}\n',
                 "lib/A.cpp": "AddOp", "lib/B.cpp": "AddOp",
                 "lib/C.cpp": "AddOp"},
}


def run(linter, files, *arguments):
    """The exit code of `linter` and what it prints on a tree of `files`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run(
            [sys.executable, "-B", linters.UTILS / f"{linter}.py", "--root",
             folder, *arguments], stdout=subprocess.PIPE, text=True)
        return done.returncode, done.stdout


class ScriptsTest(unittest.TestCase):
    def test_a_seeded_violation_fails(self):
        for linter, files in SEEDED.items():
            code, output = run(linter, files)
            self.assertEqual(code, 1, linter)
            self.assertTrue(output, linter)

    def test_an_empty_tree_passes(self):
        for linter in SEEDED:
            self.assertEqual(run(linter, {}), (0, ""), linter)

    def test_clang_format_is_asked_and_mends(self):
        banner = ("//===- A.cpp - A thing -*- C++ -*-===//\n//\n"
                  "// Part of Weir, under the Apache License v2.0. See LICENSE"
                  " for details.\n")
        style = "BasedOnStyle: LLVM\n"
        files = {"lib/A.cpp": banner + "int  a;\n", ".clang-format": style}
        code, output = run("lint-format", files)
        self.assertEqual(code, 1)
        self.assertIn("clang-format", output)
        self.assertIn("--fix", output)
        self.assertEqual(run("lint-format", files, "--fix"), (0, ""))
