#!/usr/bin/env python3
"""Puts faults into the compiler, which the random graphs have to find.

    test/RandomGraphs/mutants.py --tree FOLDER [--only N] [--list]

A fault changes one expression, as a person might have written it. FOLDER is a
checkout without changes whose build/ is configured. All faults are built into
it at once, and WEIR_MUTANT says which one acts; the sources are put back then,
so the next build compiles them again. For each fault, graphs are compared in
all ways until one fails, which is reduced. A fault that is not found, or whose
graph stays large, is an error. It takes about 5 minutes of CPU time.
"""
import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass

import random_graphs
from checker import Checker
from reducer import count_ops, reduce

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_OPS = 6
KERNELS = "lib/Conversion/LinalgToKernels"
PASSES = "lib/Dialect/Weir/Transforms"
LIBRARY = "lib/Runtime/Kernels/CPU"
# What each source with a fault begins with.
CHOICE = """#ifndef WEIR_MUTANT_CHOICE
#define WEIR_MUTANT_CHOICE
#include <cstdlib>
inline bool isMutant(int number) {
  static const char *chosen = std::getenv("WEIR_MUTANT");
  return chosen && std::atoi(chosen) == number;
}
#endif
"""


@dataclass(frozen=True)
class Mutant:
    """`old`, an expression, becomes `new` where `file` has `around`, in which
    "@" stands for the expression."""
    what: str
    file: str
    old: str
    new: str
    around: str = "@"

    def apply(self, text, number):
        """The text with both expressions."""
        found = self.around.replace("@", self.old)
        if text.count(found) != 1:
            sys.exit(f"error: {self.what}: {text.count(found)} places in "
                     f"{self.file}, expected 1")
        both = f"(isMutant({number}) ? ({self.new}) : ({self.old}))"
        return text.replace(found, self.around.replace("@", both))


MUTANTS = (
    #===------------------------------------------------------------------===#
    # Vectors
    #===------------------------------------------------------------------===#
    Mutant("the last lanes of a reduction have no mask",
           f"{KERNELS}/NestEmitter.cpp",
           "code.make<arith::SelectOp>(mask.value, next, now[0])",
           "Value(next)"),
    Mutant("a single vector behind several is left out",
           f"{KERNELS}/NestEmitter.cpp",
           "loop.size % (vectors * width) >= width",
           "loop.size % (vectors * width) > width"),
    Mutant("a single vector of a reduction is left out",
           f"{KERNELS}/NestEmitter.cpp",
           "loop.size % (count * width) < width",
           "loop.size % (count * width) <= width"),
    Mutant("the last block of a loop has no partial vector",
           f"{KERNELS}/NestEmitter.cpp",
           "isCut || loop.size % width != 0", "loop.size % width != 0"),
    Mutant("lanes are gathered from three vectors at their first places",
           f"{KERNELS}/LaneMemory.cpp", "number == 1 ? element : l", "element"),
    Mutant("a transposed block has its origin on the other side",
           f"{KERNELS}/LaneMemory.cpp", "moved(place, -shift)",
           "moved(place, shift)", "const Place origin = @;"),
    Mutant("halves are interleaved if they are equal",
           f"{KERNELS}/LaneMemory.cpp", "llvm::isPowerOf2_64(rows.size())",
           "rows.size() % 2 == 0"),
    #===------------------------------------------------------------------===#
    # Indices
    #===------------------------------------------------------------------===#
    Mutant("loops are joined although one is repeated",
           f"{KERNELS}/LoopClasses.cpp",
           "!isUsed(outer.symbol) && !isUsed(inner.symbol)",
           "!isUsed(outer.symbol)"),
    Mutant("joined loops are not looked at again",
           f"{KERNELS}/LoopClasses.cpp",
           "!llvm::all_of(joined.getReads(), staysStraight)", "false"),
    Mutant("part of a dim counts as the whole",
           f"{KERNELS}/LoopClasses.cpp",
           "symbols[symbol].range.max == symbols[dim].range.max",
           "symbols[symbol].range.max <= symbols[dim].range.max"),
    #===------------------------------------------------------------------===#
    # Moves
    #===------------------------------------------------------------------===#
    Mutant("an index below zero is inside",
           f"{KERNELS}/PointEmitter.cpp", "arith::CmpIPredicate::ult",
           "arith::CmpIPredicate::slt"),
    Mutant("one element behind a part belongs to it",
           f"{KERNELS}/TensorOps.cpp", "size", "size + 1",
           "symbols.getRange(indices.back()).isWithin(@)"),
    Mutant("an index from the end is one too small",
           "lib/Conversion/WeirToLinalg/LeafToLinalg.cpp", "constant(size)",
           "constant(size - 1)",
           "arith::AddIOp::create(body, location, found, @)"),
    Mutant("a reshape keeps a layout whatever the order of its dims",
           f"{PASSES}/Layouts/ChangedDims.cpp",
           "ArrayRef<int64_t>(behind).take_front(\n"
           "                              members.size()) != "
           "ArrayRef<int64_t>(members)",
           "behind.size() < members.size()"),
    #===------------------------------------------------------------------===#
    # Epilogues
    #===------------------------------------------------------------------===#
    Mutant("an epilogue exchanges the operands of a difference",
           f"{PASSES}/KernelChoice.cpp",
           "isRight && !op->hasTrait<OpTrait::IsCommutative>()", "false"),
    Mutant("the first epilogue that is not fused is dropped",
           f"{LIBRARY}/Pointwise.cpp", "fused.size()",
           "std::min(fused.size() + 1, epilogues.size())",
           "addEpilogues(builder, result, epilogues.subspan(@));"),
    #===------------------------------------------------------------------===#
    # Folding
    #===------------------------------------------------------------------===#
    Mutant("a shift in front of a scale is not scaled",
           f"{PASSES}/Rewriting/FoldAffine.cpp", "*sum.shift * by",
           "*sum.shift"),
    Mutant("what is subtracted first is added",
           f"{PASSES}/Rewriting/FoldAffine.cpp", "by * -1.0", "by"),
    Mutant("a folded difference has exchanged operands",
           f"{PASSES}/Rewriting/AffineStep.cpp",
           "isRight && !op->hasTrait<OpTrait::IsCommutative>()", "false"),
    Mutant("the product of two scales may be infinite",
           f"{PASSES}/Rewriting/AffineEffect.cpp", "!std::isfinite(product)",
           "std::isnan(product)"),
    Mutant("a folded vector lies along the first dims",
           f"{PASSES}/Rewriting/AffineStep.cpp", "missing + d", "d",
           "dim = @;"),
    Mutant("loops of a folded move join by their operand alone",
           f"{PASSES}/Folding/CopyElements.cpp",
           "loops.back().from == loop.from * size &&\n"
           "        loops.back().to == loop.to * size",
           "loops.back().from == loop.from * size"),
)


def mutated_sources(tree):
    """The files with mutants, and their texts with all of these."""
    texts = {}
    for number, mutant in enumerate(MUTANTS):
        path = tree / mutant.file
        text = texts.get(path) or CHOICE + path.read_text(encoding="utf-8")
        texts[path] = mutant.apply(text, number)
    return texts


@contextlib.contextmanager
def changed_sources(tree):
    """The tree has all mutants, until the end."""
    changed = mutated_sources(tree)
    before = {path: path.read_text(encoding="utf-8") for path in changed}
    try:
        for path, text in changed.items():
            path.write_text(text, encoding="utf-8")
        yield
    finally:
        for path, text in before.items():
            path.write_text(text, encoding="utf-8")


class Checkers(contextlib.ExitStack):
    """A checker for each way, which is started when it is needed."""

    def __init__(self):
        super().__init__()
        self.known = {}

    def get(self, name):
        if name not in self.known:
            self.known[name] = self.enter_context(
                Checker(random_graphs.WAYS[name]))
        return self.known[name]


def find(checkers, options):
    """How many graphs it takes until one fails, the graph, its failure and the
    name of its way."""
    modules = range(options.first, options.first + options.most_graphs,
                    random_graphs.AT_ONCE)
    for number, first in enumerate(modules):
        name = random_graphs.way_of(number)
        checker = checkers.get(name)
        seeds = range(first, first + random_graphs.AT_ONCE)
        graphs = [random_graphs.draw(seed, random_graphs.WAYS[name])
                  for seed in seeds]
        for seed, graph, failure in zip(seeds, graphs, checker.check(graphs)):
            # Some fail in company alone.
            again = failure and checker.check([graph])[0]
            if again:
                return seed - options.first + 1, graph, again, name
    return None


def report(number, options):
    """Prints what finds a mutant. Whether all is as it should be."""
    mutant = MUTANTS[number]
    os.environ["WEIR_MUTANT"] = str(number)
    with Checkers() as checkers:
        found = find(checkers, options)
        if not found:
            print(f"{number}. {mutant.what}: NOT FOUND", flush=True)
            return False
        count, graph, failure, name = found
        small = reduce(graph, checkers.get(name), failure)
        ops = count_ops(small)
        print(f"{number}. {mutant.what}: {count} graphs, {name}, "
              f"{failure.kind}, {count_ops(graph)} ops, reduced to {ops}",
              flush=True)
        if options.print or ops > MOST_OPS:
            print(random_graphs.text_of(small), flush=True)
        return ops <= MOST_OPS


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tree", type=pathlib.Path)
    parser.add_argument("--only", type=int, nargs="*",
                        help="the numbers of mutants, which --list tells")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--most-graphs", type=int, default=5000)
    parser.add_argument("--built", action="store_true",
                        help="the tree has been built with the mutants")
    parser.add_argument("--print", action="store_true",
                        help="print the reduced graphs")
    parser.add_argument("--list", action="store_true",
                        help="print the mutants, and try none; an error if a\n"
                        "place of one is gone")
    options = parser.parse_args()
    if options.list:
        mutated_sources(options.tree or ROOT)
        for number, mutant in enumerate(MUTANTS):
            print(f"{number}. {mutant.what}: {mutant.file}")
        return
    if not options.tree:
        parser.error("expected --tree")
    if not options.built:
        with changed_sources(options.tree):
            subprocess.run(["ninja", "-C", str(options.tree / "build"),
                            "weir-batch"], check=True)
    os.environ["PATH"] = f"{options.tree}/build/bin:{os.environ['PATH']}"
    os.environ["WEIR_PLUGIN_PATH"] = f"{options.tree}/build/test/plugins"
    numbers = options.only or range(len(MUTANTS))
    missed = [number for number in numbers if not report(number, options)]
    if missed:
        sys.exit(f"error: not found, or not reduced: {missed}")
    print(f"{len(numbers)} mutants: found and reduced")


if __name__ == "__main__":
    main()
