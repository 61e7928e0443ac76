#!/usr/bin/env python3
"""Runs clang-tidy, with the checks of .clang-tidy, on what has changed.

Sources are checked that differ from the branch `main`, on that branch from
what it was 30 commits ago; uncommitted changes count. Renaming a file and
comments are no changes here. A header that has changed is checked in a source
that includes it. Without a history, nothing is known to have changed: nothing
is checked, and the exit code is 77. --all checks all sources.

The build has to be configured: clang-tidy needs its compile_commands.json.

If WEIR_TIDY_CACHE names a folder, it keeps which sources were found good: the
hash of a source, all that it includes of this tree, its command and the checks.
It also keeps which commits were: sources are then compared with the newest.

With --most, only the newest commits count if these would be more sources. The
last line says how many are left out.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMITS = 30
# How ctest knows that a test was not run.
SKIPPED = 77
# Changes are left out all of whose lines one of these finds.
UNIMPORTANT = ("-I^ *//",)
FOLDERS = ("docs", "include", "lib", "test", "tools")
SEARCHED = re.compile(r"-I\s*(\S+)")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
# What GCC alone understands, and its precompiled headers: sources include what
# they use. Without assertions, as users build it, is how Clang sees the code:
# its warnings are findings as well.
LEFT_OUT = re.compile(r"-fpch-preprocess|-Winvalid-pch|-UNDEBUG|-Wno-error=\S+"
                      r"|-Wno-subobject-linkage|-include \S+cmake_pch\S+")
CLANG_ARGUMENTS = (
    "--extra-arg=-Werror",
    # libstdc++ deprecates what its own std::stable_sort calls.
    "--extra-arg=-Wno-deprecated-declarations")


def git(*arguments):
    """What git prints; nothing where it fails."""
    done = subprocess.run(["git", "-C", ROOT, *arguments], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.strip() if done.returncode == 0 else ""


def base_commit():
    """What to compare with; empty if there is no history."""
    head = git("rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        base = git("merge-base", "HEAD", branch)
        if base and base != head:
            return base
    commits = git("rev-list", "--first-parent", f"--max-count={COMMITS + 1}",
                  "HEAD").split()
    return commits[-1] if len(commits) > 1 else ""


def changed_files(base):
    """Paths whose code differs from `base`, of files that are there."""
    fields = subprocess.check_output(
        ["git", "-C", ROOT, "diff", "--numstat", "-z", "--find-renames",
         "--diff-filter=d", *UNIMPORTANT, base], text=True).split("\0")
    paths = set()
    while len(fields) > 1:
        added, deleted, path = fields.pop(0).split("\t")
        if not path:  # A renamed file: its old and its new path follow.
            path = fields[1]
            fields = fields[2:]
        if (added, deleted) != ("0", "0"):
            paths.add(path)
    return paths


def commands_of(entry):
    """The commands for the sources that the command `entry` compiles: of a
    unity build, all sources that its source includes."""
    path = pathlib.Path(entry["file"])
    if not path.exists():  # Removed since the build was configured.
        return []
    if path.parent.name != "Unity":
        return [entry]
    return [dict(entry, file=source,
                 command=entry["command"].replace(str(path), source))
            for source in INCLUDE.findall(path.read_text(encoding="utf-8"))]


def write_commands(build, folder):
    """The sources of the build; their commands, as clang takes them, go into
    `folder`."""
    commands = json.loads((build / "compile_commands.json").read_text())
    commands = [each for entry in commands for each in commands_of(entry)]
    commands = [dict(entry, command=LEFT_OUT.sub("", entry["command"]))
                for entry in commands if entry["file"].startswith(str(ROOT))]
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    paths = {pathlib.Path(entry["file"]).relative_to(ROOT).as_posix()
             for entry in commands}
    return sorted(path for path in paths if path.startswith(FOLDERS))


def included_names(source):
    text = (ROOT / source).read_text(encoding="utf-8")
    return {name.rsplit("/", 1)[-1] for name in INCLUDE.findall(text)}


def sources_to_check(sources, changed):
    """The changed ones of `sources`, and one for each changed header."""
    chosen = {source for source in sources if source in changed}
    headers = {path.rsplit("/", 1)[-1] for path in changed
               if path.endswith(".h") and path.startswith(FOLDERS)}
    # First what is checked anyway.
    for source in sorted(sources, key=lambda path: path not in chosen):
        found = headers & included_names(source) if headers else set()
        if found:
            chosen.add(source)
            headers -= found
    return sorted(chosen)


class GoodCode:
    """What clang-tidy has found nothing in, by what it has looked at."""

    def __init__(self, program, folder):
        name = os.environ.get("WEIR_TIDY_CACHE")
        self.kept = pathlib.Path(name) if name else None
        self.texts = {}
        self.places = {}
        if not self.kept:
            return
        self.kept.mkdir(parents=True, exist_ok=True)
        version = subprocess.check_output([program, "--version"])
        self.start = version + (ROOT / ".clang-tidy").read_bytes() + repr(
            CLANG_ARGUMENTS).encode()
        # A source in several programs has several commands.
        self.commands = collections.defaultdict(list)
        for entry in json.loads((folder / "compile_commands.json").read_text()):
            self.commands[entry["file"]].append(entry["command"])

    def text_of(self, path):
        if path not in self.texts:
            self.texts[path] = path.read_text(encoding="utf-8")
        return self.texts[path]

    def included(self, path, command):
        """`path` and the files of the tree and the build that it includes."""
        places = [pathlib.Path(name) for name in SEARCHED.findall(command)]
        found, todo = {path}, [path]
        while todo:
            here = todo.pop()
            for name in INCLUDE.findall(self.text_of(here)):
                for place in (here.parent, *places):
                    each = (place / name).resolve()
                    if each.is_file() and each not in found:
                        found.add(each)
                        todo.append(each)
        return sorted(found)

    def place_of(self, source):
        """The file that says that `source` is good."""
        if source not in self.places:
            self.places[source] = self.kept / self.hash_of(source)
        return self.places[source]

    def hash_of(self, source):
        path = ROOT / source
        commands = " ".join(self.commands[str(path)])
        key = hashlib.sha256(self.start)
        key.update(commands.replace(str(ROOT), "").encode())
        for each in self.included(path, commands):
            text = self.text_of(each)
            key.update(f"\0{each.name}\0{len(text)}\0{text}".encode())
        return key.hexdigest()

    def place_of_commit(self, commit):
        """The file that says that `commit` is good."""
        return self.kept / hashlib.sha256(
            self.start + commit.encode()).hexdigest()

    def newest_commit(self, base):
        """The newest commit behind `base` that is good, or `base`."""
        commits = git("rev-list", "--first-parent", f"{base}..HEAD").split()
        good = (commit for commit in commits
                if self.kept and self.place_of_commit(commit).exists())
        return next(good, base)

    def add_head(self):
        """The commit that is checked out, unless files differ from it."""
        if self.kept and not git("status", "--porcelain"):
            self.place_of_commit(git("rev-parse", "HEAD")).touch()

    def has(self, source):
        return bool(self.kept) and self.place_of(source).exists()

    def unknown(self, sources):
        return [source for source in sources if not self.has(source)]

    def add(self, source):
        if self.kept:
            self.place_of(source).touch()


def check(program, folder, source):
    """What clang-tidy finds; empty if nothing."""
    done = subprocess.run(
        [program, "-p", folder, "--quiet", *CLANG_ARGUMENTS,
         f"--header-filter={ROOT}/({'|'.join(FOLDERS)})/", ROOT / source],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def later_sources(sources, base, good, most):
    """The sources that differ from `base`, or from a later commit: half of the
    commits are left out, until `most` sources at most are not known to be
    good. No limit is None. Also returns how many sources are left out."""
    commits = git("rev-list", "--first-parent", f"{base}..HEAD").split()
    changed = found = sources_to_check(sources, changed_files(base))
    distance = len(commits)
    while most is not None and distance > 1 and len(good.unknown(found)) > most:
        distance //= 2
        found = sources_to_check(sources, changed_files(commits[distance]))
    # A header may be checked in another source than before.
    return found, len(set(changed) - set(found))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="a configured build (default: build)")
    parser.add_argument("--clang-tidy", metavar="PROGRAM",
                        default="/usr/lib/llvm-22/bin/clang-tidy")
    parser.add_argument("--since", metavar="COMMIT",
                        help="check what differs from this commit")
    parser.add_argument("--all", action="store_true",
                        help="check all sources")
    parser.add_argument("--most", type=int, metavar="SOURCES",
                        help="leave out old commits beyond so many sources")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    base = options.since or base_commit()
    if not base and not options.all:
        print("there is no history to compare with: nothing was checked")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sources = write_commands(options.build, folder)
        good = GoodCode(options.clang_tidy, folder)
        left_out = 0
        if not options.all:
            base = options.since or good.newest_commit(base)
            sources, left_out = later_sources(sources, base, good,
                                              options.most)
        unknown = good.unknown(sources)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            findings = list(pool.map(
                lambda source: check(options.clang_tidy, folder, source),
                unknown))
        for source, text in zip(unknown, findings):
            if text:
                print(text)
            else:
                good.add(source)
        if not options.since and not left_out and not any(findings):
            good.add_head()
    print(f"{len(sources)} sources: {len(sources) - len(unknown)} known to be "
          f"good, {len(unknown)} checked, {sum(map(bool, findings))} with "
          f"findings; {left_out} that changed earlier were left out")
    sys.exit(1 if any(findings) else 0)


if __name__ == "__main__":
    main()
