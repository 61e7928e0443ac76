"""What utils/gen-op-tables.py makes of op records, and which it refuses."""
import pathlib
import shutil
import tempfile
import unittest

import linters

generator = linters.load("gen-op-tables")
records = linters.load("op_records")
code = linters.load("op_builder_code")
reference = linters.load("op_reference")

ROOT = linters.UTILS.parent
LLVM = pathlib.Path("/usr/lib/llvm-22")


def operand(name, **flags):
    return records.Operand(name, **flags)


def row(kernel="gemm", types=("f32",), params=()):
    return records.KernelRow("cpu", kernel, list(types), list(params), False)


def make_op(**changes):
    """A record without faults, but for `changes`."""
    facts = dict(
        name="ScaledMatmulOp", mnemonic="scaled_matmul", family="Contraction",
        line=7, summary="scaled product", description="", is_computing=True,
        operands=[operand("lhs"), operand("rhs")],
        attributes=[records.Attribute("scale_factor", "f64", "1.0"),
                    records.Attribute("axes", "i64 array")],
        results=[operand("result")], index_spec="mk,kn->mn", type_spec="T->T",
        expression="a * b", combiner="Sum", kernels=[row()])
    return records.OpRecord(**{**facts, **changes})


class CheckTest(unittest.TestCase):
    def assertRefused(self, why, *ops):
        with self.assertRaises(records.RecordError) as caught:
            records.check_records(ops)
        self.assertIn(why, str(caught.exception))
        self.assertIn("Ops/Contraction.td:7: ScaledMatmulOp",
                      str(caught.exception))

    def test_a_right_record_is_taken(self):
        records.check_records([make_op(kernels=[
            row(types=["f32"], params=["algorithm=any", "alpha=scale_factor",
                                       "beta=-0.5"]),
            row("other", types=["bf16"])])])

    def test_two_records_of_one_op(self):
        self.assertRefused("already", make_op(), make_op())

    def test_a_summary_is_required(self):
        self.assertRefused("no summary", make_op(summary=""))

    def test_operands_fit_the_index_spec(self):
        self.assertRefused("1 operand terms", make_op(index_spec="mk->mn"))

    def test_an_expression_needs_an_index_spec(self):
        self.assertRefused("no index spec", make_op(index_spec=""))
        records.check_records([make_op(index_spec="", expression="")])

    def test_an_optional_operand_in_the_middle(self):
        self.assertRefused("only the last", make_op(
            operands=[operand("lhs", is_optional=True), operand("rhs")]))

    def test_type_specs_name_what_there_is(self):
        self.assertRefused("'f33'", make_op(type_spec="f33->T"))
        self.assertRefused("'@to'", make_op(type_spec="T->@to"))
        self.assertRefused("one operand entry or 2", make_op(
            type_spec="T,T,T->T"))

    def test_kernels_name_what_there_is(self):
        self.assertRefused("no element type", make_op(
            kernels=[row(types=["float"])]))
        self.assertRefused("neither a number", make_op(
            kernels=[row(params=["alpha=slope"])]))

    def test_two_kernels_for_one_type(self):
        self.assertRefused("two kernels serve f32", make_op(
            kernels=[row(), row("other")]))


class TableTest(unittest.TestCase):
    def test_each_kernel_has_one_row(self):
        tables = generator.kernel_tables([
            make_op(kernels=[row("z_last"), row("add_two", types=["bf16"])]),
            make_op(kernels=[row("z_last")])])
        self.assertEqual(list(tables), ["lib/Runtime/Kernels/CPU/"
                                        "CpuKernels.inc"])
        rows = [line for text in tables.values() for line in text.split("\n")
                if line.startswith("WEIR_KERNEL")]
        self.assertEqual(rows, [
            'WEIR_KERNEL("add_two", prepareAddTwo, checkAddTwo)',
            'WEIR_KERNEL("generated", prepareGenerated, checkGenerated)',
            'WEIR_KERNEL("reference", prepareReference, checkReference)',
            'WEIR_KERNEL("z_last", prepareZLast, checkZLast)'])


class BuilderTest(unittest.TestCase):
    def test_what_must_be_given_comes_first(self):
        text = " ".join(code.header([make_op()]).split())
        self.assertIn("struct ScaledMatmulOptions { double scaleFactor = 1.0; "
                      "};", text)
        self.assertIn("Value scaledMatmul(Value lhs, Value rhs, const "
                      "std::vector<int64_t> &axes, const ScaledMatmulOptions "
                      "&options = {}, CallSite site = CallSite::current());",
                      text)

    def test_calls_name_the_op_as_its_record_does(self):
        text = " ".join(code.source([make_op()]).split())
        self.assertIn('addOp("weir.scaled_matmul", {{"lhs", lhs}, {"rhs", '
                      'rhs}}, {{"axes", axes}, {"scale_factor", '
                      'options.scaleFactor}}, site)[0];', text)

    def test_optional_and_variadic_operands(self):
        text = code.declaration(make_op(operands=[
            operand("lhs"), operand("bias", is_optional=True)]))
        self.assertIn("Value bias = {}", text)
        text = code.source([make_op(operands=[
            operand("parts", is_variadic=True)])])
        self.assertIn('manyOperands("parts", parts)', text)

    def test_passes_alone_insert_internal_ops(self):
        self.assertNotIn("scaledMatmul", code.header([
            make_op(is_internal=True)]))


class ReferenceTest(unittest.TestCase):
    def test_an_op_without_a_kernel_is_seen(self):
        text = reference.support_matrix([
            make_op(), make_op(mnemonic="bare", kernels=[])])
        self.assertIn("`gemm` (f32) |", text)
        self.assertIn("[`bare`](#weirbare) | leaf | scaled product | - |",
                      text)

    def test_a_composite_without_a_kernel_runs_by_its_body(self):
        text = reference.support_matrix([
            make_op(), make_op(mnemonic="whole", kernels=[],
                               is_composite=True)])
        self.assertIn("| composite | scaled product | its body |", text)

    def test_a_view_needs_no_kernel(self):
        text = reference.support_matrix([
            make_op(), make_op(mnemonic="seen", kernels=[], is_view=True)])
        self.assertIn("| scaled product | view |", text)

    def test_code_at_the_beginning_keeps_its_letter(self):
        for summary, shown in [("scaled product", "Scaled product."),
                               ("a product", "A product."),
                               ("lhs times rhs", "lhs times rhs."),
                               ("x * y", "x * y."),
                               ("log(1 + x)", "log(1 + x).")]:
            text = reference.op_section(make_op(summary=summary))
            self.assertIn(f"\n{shown}\n", text)

    def test_defaults_are_shown(self):
        text = reference.op_section(make_op())
        self.assertIn("| attribute | `scale_factor` | f64 | default `1.0` |",
                      text)
        self.assertIn("| attribute | `axes` | i64 array | required |", text)


@unittest.skipUnless((LLVM / "bin/llvm-tblgen").exists(), "LLVM is not here")
class RecordsTest(unittest.TestCase):
    """The project's own records, in a copy that can be damaged."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "include/weir/Dialect",
                        self.root / "include/weir/Dialect")

    def damage(self, family, old, new):
        path = self.root / records.OPS / f"{family}.td"
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def test_ops_and_structure_are_told_apart(self):
        ops = {op.mnemonic: op
               for op in records.read_records(self.root, LLVM)}
        self.assertTrue(ops["conv"].is_computing)
        self.assertFalse(ops["group"].is_computing)
        self.assertEqual([a.name for a in code.own_attributes(ops["conv"])],
                         ["strides", "pads", "dilations", "groups"])

    def test_a_wrong_record_is_refused(self):
        self.damage("Elementwise", '"alpha=alpha"', '"alpha=slope"')
        with self.assertRaisesRegex(records.RecordError, "'alpha=slope'"):
            records.read_records(self.root, LLVM)

    def test_a_new_kernel_makes_the_table_stale(self):
        self.damage("Contraction", 'FusingCPU<"matmul"', 'FusingCPU<"gemm"')
        ops = records.read_records(self.root, LLVM)
        self.assertEqual(generator.stale(generator.kernel_tables(ops), ROOT),
                         ["lib/Runtime/Kernels/CPU/CpuKernels.inc"])
