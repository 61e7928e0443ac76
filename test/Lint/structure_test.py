"""Which files and functions utils/lint-structure.py refuses."""
import unittest

import linters

lint = linters.load("lint-structure")


def source(path, lines):
    return lint.Source(path, "\n".join(lines) + "\n")


def function(head, length):
    """A function of `length` lines."""
    return [head, *["  run();"] * (length - 2), "}"]


class SizesTest(unittest.TestCase):
    def assertFinds(self, lines, *parts):
        found = [str(finding) for finding in
                 lint.check_sizes(source("lib/a.cpp", lines))]
        self.assertEqual(len(found), len(parts), found)
        for finding, part in zip(found, parts):
            self.assertIn(part, finding)

    def test_a_file_may_have_560_lines(self):
        self.assertFinds(["// A."] * 560)
        self.assertFinds(["// A."] * 561, "has 561 lines")

    def test_a_function_may_have_60_lines(self):
        for head in ("void f(int a) {", "Status A::f() const {",
                     "TEST(Suite, Name) {", "  bool f() {"):
            margin = head[:len(head) - len(head.lstrip())]
            short, long = function(head, 60), function(head, 61)
            short[-1] = long[-1] = margin + "}"
            self.assertFinds(short)
            self.assertFinds(long, "lib/a.cpp:1: a function of 61 lines")

    def test_a_head_of_several_lines_counts(self):
        self.assertFinds(["void f(int a,", *function("       int b) {", 60)],
                         "a function of 61 lines")

    def test_a_class_is_no_function(self):
        self.assertFinds(function("class A {", 100))
        self.assertFinds(function("namespace {", 100))

    def test_a_lambda_in_a_table_is_no_function(self):
        row = ["    {1, [](double x) {", "       return x;", "     }},"]
        self.assertFinds(["static const Row rows[] = {", *row * 40, "};"])


class PageTest(unittest.TestCase):
    def test_a_page_may_have_250_lines(self):
        self.assertEqual(lint.check_page(source("docs/a.md", ["A."] * 250)), [])
        found, = lint.check_page(source("docs/a.md", ["A."] * 251))
        self.assertIn("has 251 lines", str(found))

    def test_a_script_may_write_more(self):
        page = source("docs/onnx-support.md", ["A."] * 300)
        self.assertEqual(lint.check_page(page), [])


class RepetitionTest(unittest.TestCase):
    def found(self, first, second):
        return lint.check_repetition([source("lib/a.cpp", first),
                                      source("lib/b.cpp", second)])

    def test_twelve_lines_are_repetition(self):
        shared = [f"  f({i});" for i in range(12)]
        self.assertEqual(len(self.found(shared, ["  g();", *shared])), 1)
        self.assertEqual(self.found(shared[:11], shared[:11]), [])

    def test_comments_and_braces_do_not_count(self):
        shared = ["  // Text.", "  {", "  }", "#include <map>"] * 12
        self.assertEqual(self.found(shared, shared), [])


class NamesTest(unittest.TestCase):
    def found(self, *paths):
        return lint.check_names([source(path, []) for path in paths],
                                {"Pooling"})

    def test_a_name_has_one_meaning(self):
        self.assertEqual(len(self.found("lib/A/Plan.h", "lib/B/Plan.h")), 1)
        self.assertEqual(self.found("lib/A/Plan.h", "lib/A/Plan.cpp"), [])

    def test_families_of_ops_and_passes_share_names(self):
        self.assertEqual(self.found("lib/A/Pooling.cpp", "lib/B/Pooling.cpp"),
                         [])
        self.assertEqual(self.found("include/A/Passes.h", "include/B/Passes.h"),
                         [])


if __name__ == "__main__":
    unittest.main()
