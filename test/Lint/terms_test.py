"""How utils/lint-terms.py compares the glossary with the names of types."""
import unittest

import linters

lint = linters.load("lint-terms")

TABLE = """\
# Glossary

| word | meaning |
|---|---|
| plan | `NoType` in another section |

## Words in the names of types

| word | meaning | types |
|---|---|---|
| plan | how an entry runs | `Plan`, `PlanReader` |
| plan | offsets of buffers | `MemoryPlan` |
"""
CODE = """\
struct Plan {
};
class PlanReader final : public Reader {
};
enum class MemoryPlan { None };
class PlanForward;
struct Planet {
};
"""


def complaints(table, *codes):
    glossary = lint.Source(lint.GLOSSARY, table)
    sources = [lint.Source(f"lib/{index}.h", code)
               for index, code in enumerate(codes)]
    return [str(finding) for finding in lint.check_sources(glossary, sources)]


class TermsTest(unittest.TestCase):
    def test_listed_types_pass(self):
        self.assertEqual(complaints(TABLE, CODE), [])

    def test_a_new_type_must_be_listed(self):
        for name in ("KernelPlan", "Plans", "RowPlanner", "PlannedRow"):
            found = complaints(TABLE, CODE, f"\nclass {name} : A {{\n}};\n")
            self.assertEqual(len(found), 1, name)
            self.assertIn(f"lib/1.h:2: '{name}' has the word 'plan'", found[0])

    def test_a_listed_type_must_exist(self):
        found = complaints(TABLE, CODE.replace("MemoryPlan", "Memory"))
        self.assertEqual(found, [
            "docs/glossary.md:12: there is no type 'MemoryPlan'"])

    def test_a_listed_type_exists_once(self):
        found = complaints(TABLE, CODE, "struct Plan {\n};\n")
        self.assertEqual(found, [
            "lib/1.h:1: a second type 'Plan', after that of lib/0.h; choose "
            "another name"])

    def test_a_type_has_one_meaning(self):
        found = complaints(TABLE + "| plan | more | `Plan` |\n", CODE)
        self.assertEqual(found, [
            "docs/glossary.md:13: 'Plan' is in line 11 already"])

    def test_a_table_is_needed(self):
        found = complaints("# Glossary\n", CODE)
        self.assertEqual(found, [
            "docs/glossary.md: no table below '## Words in the names of "
            "types'"])


if __name__ == "__main__":
    unittest.main()
