"""Which comments utils/lint-comments.py refuses."""
import unittest

import linters

lint = linters.load("lint-comments")


class CommentsTest(unittest.TestCase):
    def assertFinds(self, text, path="lib/A.h", at=(1,)):
        found = lint.check_source(lint.Source(path, text))
        self.assertEqual([finding.line for finding in found], list(at), found)

    def assertPasses(self, text, path="lib/A.h"):
        self.assertFinds(text, path, at=())

    def test_a_comment_names_its_subject(self):
        for words in ("Of the device.", "By device.", "Those of the run.",
                      "That of `a`.", "As in `b`."):
            for mark in ("//", "///", "  //", "  ///", "int a; //", "a, ///<"):
                self.assertFinds(f"{mark} {words}\nint a;\n")

    def test_other_words_pass(self):
        for words in ("The links by device.", "Office hours.", "Bytes.",
                      "That is all.", "Asks the device.", "of small letters"):
            self.assertPasses(f"/// {words}\nint a;\n")

    def test_a_line_that_goes_on_is_no_beginning(self):
        self.assertPasses("// The links, in the order\n// Of the file.\n")
        self.assertPasses("int a; // The links,\n       // By device.\n")

    def test_each_comment_and_paragraph_counts(self):
        self.assertFinds("// The links.\nint a;\n// By device.\nint b;\n",
                         at=(3,))
        self.assertFinds("// The links.\n//\n// By device.\n", at=(3,))
        self.assertFinds("int a; // The links.\n// By device.\nint b;\n",
                         at=(2,))

    def test_titles_count(self):
        rule = "//===" + "-" * 70 + "===//\n"
        self.assertFinds(rule + "// By position\n" + rule, at=(2,))

    def test_directives_are_no_comments(self):
        self.assertPasses("// CHECK: By device\n", "test/a.mlir")
        self.assertFinds("// RUN: tool\n// Of several the first.\n",
                         "test/a.mlir", at=(2,))

    def test_strings_are_no_comments(self):
        self.assertPasses('f("https://a", "//Of", "# Of");\n')

    def test_scripts(self):
        self.assertFinds("# Of the run.\n", "utils/a.py")
        self.assertFinds("set(a) " "# By name.\n", "test/CMakeLists.txt")
        self.assertPasses("// Of the run.\n", "utils/a.py")

    def test_doc_strings(self):
        self.assertFinds('    """By the definition."""\n', "utils/a.py")
        self.assertPasses('    """The definition."""\n', "utils/a.py")

    def test_records(self):
        self.assertFinds('  let summary = "of each row the largest";\n',
                         "include/A.td")
        self.assertFinds("  let description = [{\n    As `add`.\n  }];\n",
                         "include/A.td", at=(2,))
        self.assertPasses('  let summary = "the largest of each row";\n',
                          "include/A.td")


if __name__ == "__main__":
    unittest.main()
