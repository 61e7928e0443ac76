"""What utils/lint-op-tests.py misses in the test of an op."""
import unittest

import linters

lint = linters.load("lint-op-tests")
records = lint.op_records

OP = records.OpRecord(
    name="ScaleOp", mnemonic="scale", family="Elementwise", line=7,
    summary="a product", description="", is_computing=True,
    operands=[records.Operand("lhs"), records.Operand("rhs")],
    attributes=[records.Attribute("by", "f64", None)],
    results=[records.Operand("result")], index_spec="...,...->...",
    type_spec="T->T", expression="a * b",
    kernels=[records.KernelRow("cpu", "binary", ["f32"], [], False)])

HEAD = """\
// RUN: split-file %s %t
// RUN: graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic \\
// RUN:   | graph-opt | FileCheck %t/cases.mlir
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/scale.safetensors \\
// RUN:   | FileCheck %t/cases.mlir --check-prefix=COST
// RUN: weir-op-check %t/cases.mlir --expect=%S/Inputs/scale.safetensors \\
// RUN:   --emit-linalg | %run_linalg | weir-op-check %t/cases.mlir \\
// RUN:   --expect=%S/Inputs/scale.safetensors --linalg-output=-
// RUN: graph-opt %t/errors.mlir -verify-diagnostics -split-input-file

//--- cases.mlir
"""
ERRORS = """\
//--- errors.mlir
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{operand 1 expects element type f32}}
}
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{requires attribute 'by'}}
}
func.func @error(%x: tensor<4xf32>) {
  // expected-error@below {{dim 0 of operand 1 is 4}}
}
"""


def make_case(name, shape, library="ok"):
    return f"""\
// CHECK-LABEL: func.func @{name}(
// CHECK: %y = weir.scale %a, %b
// COST: {name}: tensor<{shape}xf32>, 6 flops, 24 bytes, library {library}
func.func @{name}(%a: tensor<{shape}xf32>, %b: tensor<{shape}xf32>)
    -> tensor<{shape}xf32> {{
  %y = weir.scale %a, %b {{by = 2.0}} : tensor<{shape}xf32>
}}
"""


CASES = (make_case("plain", "2x3") + make_case("row", "1x3")
         + make_case("vector", "6"))
DATA = {"__metadata__": {"source": "numpy"},
        **{f"{name}.{tensor}": {} for name in ("plain", "row", "vector")
           for tensor in ("in0", "in1", "out0")}}


def complaints(text=HEAD + CASES + ERRORS, data=None):
    return lint.check_op(OP, text, DATA if data is None else data)


class OpTestsTest(unittest.TestCase):
    def assertMisses(self, what, text, data=None):
        found = complaints(text, data)
        self.assertEqual(len(found), 1, found)
        self.assertIn(what, found[0])

    def test_a_whole_test_passes(self):
        self.assertEqual(complaints(), [])

    def test_each_run_line_is_needed(self):
        for part in (" -mlir-print-op-generic", " --check-prefix=COST",
                     " | %run_linalg", " -verify-diagnostics"):
            text = (HEAD + CASES + ERRORS).replace(part, "")
            self.assertMisses("lacks 'RUN: ", text)

    def test_three_shapes_and_one_of_them_odd(self):
        self.assertMisses("less than 3 different shapes", HEAD + CASES.replace(
            "tensor<6xf32>", "tensor<2x3xf32>") + ERRORS)
        self.assertMisses("no case with a dim of size 1", HEAD + CASES.replace(
            "tensor<1x3xf32>", "tensor<4x3xf32>") + ERRORS)

    def test_each_case_is_about_the_op_and_checked(self):
        self.assertMisses("'row' is not about the op", (
            HEAD + CASES + ERRORS).replace(
                "%y = weir.scale %a, %b {by = 2.0} : tensor<1x3xf32>", "%y"))
        self.assertMisses("no line 'COST: row: ...'", (
            HEAD + CASES + ERRORS).replace("COST: row:", "COST: line:"))
        self.assertMisses("'row' is not checked to come back", (
            HEAD + CASES + ERRORS).replace("CHECK-LABEL: func.func @row(",
                                           "CHECK-LABEL: func.func @other("))

    def test_the_library_serves_three_cases(self):
        self.assertMisses("has 2 cases that a library kernel serves",
                          HEAD + CASES.replace("library ok", "library no", 1)
                          + ERRORS)

    def test_errors_of_each_kind(self):
        self.assertMisses("no error about an element type", (
            HEAD + CASES + ERRORS).replace("element type f32", "rank 2"))
        self.assertMisses("no error about an attribute", (
            HEAD + CASES + ERRORS).replace("requires attribute", "wants"))

    def test_data_are_there_and_say_where_from(self):
        self.assertMisses("do not say who", HEAD + CASES + ERRORS,
                          {**DATA, "__metadata__": {}})
        lacking = dict(DATA)
        del lacking["row.out0"]
        self.assertMisses("lack 'row.out0'", HEAD + CASES + ERRORS, lacking)


if __name__ == "__main__":
    unittest.main()
