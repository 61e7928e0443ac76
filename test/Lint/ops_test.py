"""How utils/lint-ops.py reads op records and counts where they are named."""
import unittest

import linters

lint = linters.load("lint-ops")

OPS = "include/weir/Dialect/Weir/IR/Ops/"
BASE = lint.Source("include/weir/Dialect/Weir/IR/WeirBase.td", """\
class KernelRow<string device, string kernel> {}
class CPU<string kernel, list<string> types,
          bit postOps = 0> : KernelRow<"cpu", kernel>;
class FusingCPU<string kernel, list<string> types> : CPU<kernel, types, 1>;
class Weir_Op<string mnemonic, string spec> : Op<Weir_Dialect, mnemonic> {}
class Weir_PlainOp<string mnemonic> : Op<Weir_Dialect, mnemonic> {}
""")
FAMILY = lint.Source(OPS + "Contraction.td", """\
class Weir_Product<string mnemonic> : Weir_Op<mnemonic, "mk,kn->mn"> {}
def MatmulOp : Weir_Product<"matmul"> {
  let kernels = [FusingCPU<"gemm", ["f32"]>];
}
def YieldOp : Weir_PlainOp<"yield"> {}
""")


def complaints(*texts, folder="lib/Conversion/"):
    sources = [BASE, FAMILY] + [
        lint.Source(f"{folder}{index}.cpp", text)
        for index, text in enumerate(texts)]
    return [finding.message for finding in lint.check_sources(sources)]


class OpsTest(unittest.TestCase):
    def test_names_come_from_the_records(self):
        names = [name.text for name in lint.op_names([BASE, FAMILY])]
        self.assertEqual(names, ["MatmulOp", "matmul", "gemm"])

    def test_three_files_may_name_an_op(self):
        self.assertEqual(complaints("isa<MatmulOp>(op)", "MatmulOp a;"), [])

    def test_a_fourth_file_is_refused(self):
        for use in ("isa<MatmulOp>(op)", "weir::MatmulOp a;",
                    "::weir::MatmulOp a;", 'name == "matmul"',
                    'name == "weir.matmul"', "// as weir.matmul does",
                    'kernel == "gemm"'):
            found = complaints(use, use, use)
            self.assertEqual(len(found), 1, use)
            self.assertIn("stands in 4 files", found[0])

    def test_other_names_belong_to_one_op(self):
        more = lint.Source(OPS + "More.td", """\
def DotOp : Weir_Op<"dot", "k,k->"> {
  let otherNames = ["inner",
                    "matmul"];
}
def OuterOp : Weir_Op<"outer", "m,n->mn"> {
  let otherNames = ["inner"];
}
""")
        found = [finding.message
                 for finding in lint.check_sources([BASE, FAMILY, more])]
        self.assertEqual(found, [
            "DotOp: the other name 'matmul' belongs to MatmulOp",
            "OuterOp: the other name 'inner' belongs to DotOp"])

    def test_other_words_do_not_count(self):
        for use in ("linalg::MatmulOp a;", "BatchMatmulOp a;", '"matmuls"',
                    "weir.matmul_add", "matmul(a, b)", "gemm"):
            self.assertEqual(complaints(use, use, use), [], use)

    def test_importers_are_apart(self):
        self.assertEqual(complaints("MatmulOp", "MatmulOp", "MatmulOp",
                                    folder="lib/Import/ONNX/"), [])

    def test_plugins_are_apart(self):
        self.assertEqual(complaints('"gemm"', '"gemm"', '"gemm"',
                                    folder="lib/Plugins/CUDA/"), [])

    def test_structure_is_no_computation(self):
        self.assertEqual(complaints("YieldOp", "YieldOp", "YieldOp"), [])

    def test_a_record_must_spell_its_mnemonic(self):
        record = lint.Source(OPS + "Odd.td", "def OddOp : Weir_Op<name, s>;\n")
        found = lint.check_sources([BASE, record])
        self.assertIn("its mnemonic is not the first argument",
                      found[0].message)

    def test_no_records_is_no_error(self):
        self.assertEqual(lint.check_sources([]), [])
