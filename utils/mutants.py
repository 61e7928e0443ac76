#!/usr/bin/env python3
"""Puts faults into the code, one at a time, and says which no quick test finds.

    utils/mutants.py --seed 1 --count 40 [--tree FOLDER] [--only REGEX]
                     [--skip N]

A fault changes one operator or number in one line. The folders of lib/ are
drawn alike, then a file by its lines, so that small parts are seen too. FOLDER
is a checkout without changes whose build/ is configured and built; it is
changed while this runs, and put back. What does not compile does not count.

Each fault is tested up to the first failure. The tests come first that mirror
the folder of the fault, and only what they need is built for them; then all is
built, and all unit tests and the whole suite follow. Faults that survive are
printed. Look at them: some cannot change any result. Exit code 1 when any
survives.

A run that was ended goes on with --skip N, N faults further. Other things that
run at the same time can make tests slow, and a test that takes too long counts
as a failure: the names of the tests that failed are printed.
"""
import argparse
import os
import pathlib
import random
import re
import resource
import signal
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
MOST_BYTES, CPU_SECONDS = 8 << 30, 300


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


def bound_process():
    """What a fault makes endless ends, however busy the machine is."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def succeeds(command, tree, seconds):
    """Whether `command` ends in time and well; and the end of what it says."""
    process = subprocess.Popen(command, cwd=tree, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True, preexec_fn=bound_process)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False, "took too long"
    failed = re.findall(r"^(?:FAIL|TIMEOUT|UNRESOLVED): (.*?) \(|"
                        r"^\s*\d+ - (\S+) \(", output, re.M)
    names = [first or second for first, second in failed]
    return process.returncode == 0, ", ".join(names[:3]) or output[-300:]


def mirroring(tree, path):
    """The folders of the suite and of unit tests that mirror that of `path`."""
    parts = path.relative_to(tree / "lib").parent.parts
    suite = [tree.joinpath("test", *parts[:count])
             for count in range(len(parts), 0, -1)]
    unit = [tree / "test" / "Unit" / part for part in parts]
    return ([folder for folder in suite if folder.is_dir()][:1],
            [folder for folder in unit if folder.is_dir()])


def ninja(tree, targets, options):
    return succeeds(["ninja", "-C", "build", f"-j{options.jobs}", *targets],
                    tree, BUILD_SECONDS)


def unit_tests(folder, options):
    # The linters look at sources alone, and the suite follows.
    return ["ctest", "--test-dir", folder, "-j", str(options.jobs), "-LE",
            "long", "-E", "^(Lint|Lit|Install)", "--stop-on-failure"]


def suite(folders, options):
    return [str(options.lit), "-v", f"-j{options.jobs}", "--max-failures=1",
            "--order=smart", *folders]


def steps(tree, path, options):
    """Targets to build, and the commands that test them then."""
    near, units = mirroring(tree, path)
    build = tree / "build"
    places = [folder.relative_to(tree) for folder in units]
    yield (["tools/all", *(f"{place}/all" for place in places)],
           [unit_tests(build / place, options) for place in places] +
           ([suite([build / folder.relative_to(tree) for folder in near],
                   options)] if near else []))
    yield [], [unit_tests(build, options), suite([build / "test"], options)]


def try_fault(tree, path, number, line, options):
    """What finds the fault, empty if nothing does, None if it cannot be
    built."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    lines[number] = line
    try:
        path.write_text("\n".join(lines), encoding="utf-8")
        for targets, commands in steps(tree, path, options):
            if not ninja(tree, targets, options)[0]:
                return None
            for command in commands:
                passes, said = succeeds(command, tree, TEST_SECONDS)
                if not passes:
                    return said
        return ""
    finally:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT)
    parser.add_argument("--skip", type=int, default=0,
                        help="pass over the first faults that are drawn")
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
        if len(seen) <= options.skip:
            continue
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
