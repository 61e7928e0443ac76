#!/usr/bin/env python3
"""Puts faults into the code, one at a time, and says which no quick test finds.

    utils/mutants.py --seed 1 --count 40 [--tree FOLDER] [--only REGEX]

A fault changes one operator or number in one line. The folders of lib/ are
drawn alike, then a file by its lines, so that small parts are seen too. FOLDER
is a checkout without changes whose build/ is configured and built; it is
changed while this runs, and put back. What does not compile does not count.

Each fault is built, then tested by the unit tests and by the suite, up to the
first failure. Faults that survive are printed. Look at them: some cannot change
any result. Exit code 1 when any survives.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A regular expression, and what stands in its place.
FAULTS = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" / ", " * "),
    (r" % ", " / "), (r" \+= ", " -= "), (r"\+\+(\w)", r"--\1"),
    (r"\bif \((?!constexpr)([^;]+)\)(?=[ ]?\{?$)", r"if (!(\1))"),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"\bstd::max\b", "std::min"), (r"\bstd::min\b", "std::max"),
    (r"\ball_of\b", "any_of"), (r"\bany_of\b", "all_of"),
    (r"(?<![\w.\"])0(?![\w.\"])", "1"), (r"(?<![\w.\"])1(?![\w.\"])", "0"),
    (r"\bcontinue;", ";"), (r"\breturn success\(\);", "return failure();"),
]
# Comments, what is checked while compiling, and what speaks to people.
LEFT_ALONE = re.compile(
    r'^\s*(//|\*|#|template|static_assert|assert\()|"|namespace|LDBG|operator')
BUILD_SECONDS, TEST_SECONDS = 1800, 1800


def folders(tree):
    """The folders of lib/ with sources, and their files."""
    found = {}
    for path in sorted((tree / "lib").rglob("*")):
        if path.suffix in (".cpp", ".h"):
            found.setdefault(path.parent, []).append(path)
    return found


def faults_of(line):
    """All lines that `line` becomes by one fault."""
    if LEFT_ALONE.search(line):
        return []
    code = line.split("//")[0]
    return [line[:match.start()] + match.expand(new) + line[match.end():]
            for old, new in FAULTS for match in re.finditer(old, code)]


def draw(rng, files_of, only):
    """A path, the number of a line, and the line with a fault in it."""
    while True:
        files = files_of[rng.choice(list(files_of))]
        texts = [path.read_text(encoding="utf-8").split("\n")
                 for path in files]
        which = rng.choices(range(len(files)), [len(text) for text in texts])[0]
        number = rng.randrange(len(texts[which]))
        changed = faults_of(texts[which][number])
        if changed and re.search(only, str(files[which])):
            return files[which], number, rng.choice(changed)


def succeeds(command, tree, seconds):
    """Whether `command` ends in time and well; and the end of what it says."""
    try:
        done = subprocess.run(command, cwd=tree, timeout=seconds, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return False, "took too long"
    failed = re.findall(r"^(?:FAIL|TIMEOUT|UNRESOLVED): (.*?) \(|"
                        r"^\s*\d+ - (\S+) \(", done.stdout, re.M)
    names = [first or second for first, second in failed]
    return done.returncode == 0, ", ".join(names[:3]) or done.stdout[-300:]


def find_killer(tree, options):
    """The first test that fails; empty if all pass."""
    jobs = str(options.jobs)
    lit = [str(options.lit), "-v", f"-j{jobs}", "--max-failures=1",
           "--order=smart", "build/test"]
    for command in (["ctest", "--test-dir", "build", "-R", "^Unit", "-j", jobs,
                     "-LE", "long", "--stop-on-failure"], lit):
        passes, said = succeeds(command, tree, TEST_SECONDS)
        if not passes:
            return said
    return ""


def try_fault(tree, path, number, line, options):
    """What finds the fault, empty if nothing does, None if it cannot be
    built."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    lines[number] = line
    try:
        path.write_text("\n".join(lines), encoding="utf-8")
        built, _ = succeeds(["ninja", "-C", "build", f"-j{options.jobs}"], tree,
                            BUILD_SECONDS)
        return find_killer(tree, options) if built else None
    finally:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT)
    parser.add_argument("--only", default="", help="a regex on paths")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--lit", type=pathlib.Path,
                        default=ROOT / ".deps" / "venv" / "bin" / "lit")
    parser.add_argument("--list", action="store_true",
                        help="print the faults, and try none")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    files_of, survivors, tried = folders(options.tree), 0, 0
    seen = set()
    while tried < options.count:
        path, number, line = draw(rng, files_of, options.only)
        if (path, number, line) in seen:
            continue
        seen.add((path, number, line))
        old = path.read_text(encoding="utf-8").split("\n")[number]
        where = f"{path.relative_to(options.tree)}:{number + 1}"
        change = f"{where}: {old.strip()}  ->  {line.strip()}"
        if options.list:
            tried += 1
            print(change)
            continue
        killer = try_fault(options.tree, path, number, line, options)
        if killer is None:
            continue
        tried += 1
        survivors += not killer
        print(f"{'found' if killer else 'SURVIVED'} {change}\n    {killer}",
              flush=True)
    print(f"{tried} faults, {survivors} survived")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
