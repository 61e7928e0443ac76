"""What utils/lint-format.py refuses, and what --fix mends."""
import unittest

import linters

lint = linters.load("lint-format")

BANNER = ("//===- A.h - A thing -*- C++ -*-===//\n//\n" + lint.LICENSE
          + "\n//\n//===" + "-" * 70 + "===//\n")
MARK = "TO" "DO"


def complaints(body, path="lib/A.h", banner=BANNER):
    return [finding.message for finding in
            lint.check_source(lint.Source(path, banner + body))]


class FormatTest(unittest.TestCase):
    def assertFinds(self, part, *arguments, **options):
        found = complaints(*arguments, **options)
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_a_sound_file_passes(self):
        self.assertEqual(complaints("int a; // the first wins; so be it\n"), [])

    def test_the_banner_names_the_file(self):
        self.assertFinds("banner", "int a;\n", banner="")
        self.assertFinds("banner", "int a;\n", path="lib/B.h")
        self.assertFinds("banner", "int a;\n",
                         banner=BANNER.replace(lint.LICENSE, "// Mine."))

    def test_a_script_says_its_purpose(self):
        self.assertFinds("purpose", "import os\n", "utils/a.py", "")
        self.assertEqual(complaints('#!/usr/bin/env python3\n"""Does."""\n',
                                    "utils/a.py", ""), [])

    def test_lines_and_files_are_bounded(self):
        self.assertFinds("81 columns", "x" * 81 + "\n")
        self.assertFinds("more than 800", "int a;\n" * 800)
        self.assertEqual(complaints("x" * 99 + "\n", "test/a.mlir", ""), [])

    def test_prose_is_wrapped(self):
        self.assertFinds("101 columns", "x" * 101 + "\n", "docs/a.md", "")
        self.assertFinds("101 columns", "```\n```\n" + "x" * 101 + "\n",
                         "docs/a.md", "")
        for wide in ("x" * 100, "| " + "x" * 101, "```sh\n" + "x" * 101):
            self.assertEqual(complaints(wide + "\n", "docs/a.md", ""), [])

    def test_white_space(self):
        self.assertFinds("a tab", "\tint a;\n")
        self.assertFinds("at the end", "int a; \n")
        self.assertFinds("no new line", "int a;")
        self.assertFinds("empty lines", "int a;\n\n")

    def test_a_reminder_cites_an_issue(self):
        self.assertFinds("reminder", f"// {MARK}: later\n")
        self.assertFinds("reminder", "// FIX" "ME later\n")
        self.assertEqual(complaints(f"// {MARK}(#12): later\n"), [])

    def test_code_in_comments(self):
        for line in ("// int a = 3;", "//return x;", "// run(a, b);",
                     "// if (a) {", "// }", '// #include "a.h"',
                     "// a->b = c;"):
            self.assertFinds("code in a comment", line + "\n")
        for line in ("// the first wins; so be it", "/// use(a);",
                     "//   auto a = use(b);", "// a call (see below);",
                     "// one of {a, b}"):
            self.assertEqual(complaints(line + "\n"), [], line)
        self.assertFinds("code in a comment", "# print(a)\n", "utils/a.py",
                         '"""Does."""\n')

    def test_fix_mends_white_space(self):
        self.assertEqual(lint.fix_white_space("a \n\tb\n\n\n"), "a\n  b\n")
        self.assertEqual(lint.fix_white_space(""), "")

    def test_fix_joins_a_broken_banner(self):
        purpose = "Element type, shape and strides of a tensor"
        broken = f"//===- Tensor.h - {purpose}{'y' * 6} -*- C++\n//-*-===//\n"
        fixed = lint.fix_banner(broken)
        self.assertEqual(len(fixed), 81)
        self.assertTrue(fixed.startswith(f"//===- Tensor.h - {purpose}"))
        self.assertEqual(lint.fix_banner(
            f"//===- Tensor.h - {purpose} -*-\n// C++ -*-===//\n"),
            f"//===- Tensor.h - {purpose} -*- C++ -*-===//\n")
        self.assertEqual(lint.fix_banner(BANNER), BANNER)
