#!/usr/bin/env python3
"""Checks the memory plan in a text of the exec dialect.

Reads what `graph-compile --emit=exec` prints (a file, or - for standard input)
and, from commands and events alone, finds when each scratch buffer is in use.
Fails when two buffers that are in use at once share bytes, when a buffer lies
outside its arena, or when an arena's lower bound is not the most bytes that are
in use at once. Prints for each arena its bytes, its bound and their ratio.
Programs with repeats are not supported.

A buffer is in use from the first step of its arena's queue that is not complete
before every use of it, to the first step at whose end all uses are complete, as
far as events tell. An arena without a queue counts the steps of its device's
computing queue. Shares no code with the compiler.
"""
import argparse
import re
import sys
from collections import defaultdict

ALIGNMENT = 256
MEMORY = re.compile(r"(%[\w.$-]+) = exec\.(scratch|alias|version) (.*)")
SCRATCH = re.compile(r'(\d+) bytes on "([^"]+)"( queue \w+)?(?: at (\d+))?')
SOURCE = re.compile(r'(%[\w.$-]+)')
ARENA = re.compile(
    r'exec\.arena (\d+) bytes on "([^"]+)"( queue \w+)? lower_bound (\d+)')
PROGRAM = re.compile(r'exec\.program on "([^"]+)" queue (\w+)')
EVENT = re.compile(r"exec\.(record|wait) (\d+)")
COMMAND = re.compile(r"exec\.(launch|copy|fill) ")


class Entry:
    """Buffers, arenas and programs of one exec.entry."""

    def __init__(self, name):
        self.name = name
        self.scratch = {}   # name -> (bytes, arena, offset or None)
        self.aliases = {}   # name -> name, of versions too
        self.arenas = {}    # "cpu:0" or "cpu:0 queue compute" ->
                            # (bytes, lower bound)
        self.queues = {}    # (device, queue) -> [("use"|"record"|"wait", what)]

    def root(self, name):
        while name in self.aliases:
            name = self.aliases[name]
        return name


def parse(text):
    """The entries in `text`, which has one op in a line."""
    entries, queue = [], None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("exec.entry"):
            entries.append(Entry(line.split()[1]))
            queue = None
            continue
        if not entries:
            continue
        entry = entries[-1]
        if match := MEMORY.match(line):
            name, kind, rest = match.groups()
            if kind != "scratch":
                entry.aliases[name] = SOURCE.match(rest)[1]
            else:
                size, device, of, offset = SCRATCH.match(rest).groups()
                entry.scratch[name] = (int(size), device + (of or ""),
                                       None if offset is None else int(offset))
        elif match := ARENA.match(line):
            arena = match[2] + (match[3] or "")
            entry.arenas[arena] = (int(match[1]), int(match[4]))
        elif match := PROGRAM.match(line):
            queue = entry.queues.setdefault((match[1], match[2]), [])
        elif line.startswith("exec.repeat"):
            sys.exit(f"error: {entry.name} has repeats, which are not "
                     f"supported")
        elif match := EVENT.match(line):
            queue.append((match[1], int(match[2])))
        elif COMMAND.match(line):
            bare = re.sub(r'"[^"]*"', "", line)
            used = {entry.root(n) for n in re.findall(r"%[\w.$-]+", bare)}
            queue.append(("use", used))
    return entries


def happens_before(queues):
    """The number of each queue, and for each command, by queue and index, how
    many commands of every queue are complete when it starts. Runs the programs
    as far as they go."""
    keys = list(queues)
    number = {key: i for i, key in enumerate(keys)}
    done = {key: 0 for key in keys}
    clock = {key: [0] * len(keys) for key in keys}
    recorded, before = {}, {key: [] for key in keys}
    moved = True
    while moved:
        moved = False
        for key in keys:
            while done[key] < len(queues[key]):
                kind, what = queues[key][done[key]]
                if kind == "wait":
                    if what not in recorded:
                        break
                    clock[key] = [max(pair) for pair in
                                  zip(clock[key], recorded[what])]
                before[key].append(list(clock[key]))
                done[key] += 1
                clock[key][number[key]] = done[key]
                if kind == "record":
                    recorded[what] = list(clock[key])
                moved = True
    stuck = [key for key in keys if done[key] < len(queues[key])]
    if stuck:
        sys.exit(f"error: these programs wait for ever: {stuck}")
    return number, before


def lives(entry):
    """When each scratch buffer is in use: name -> (first, last)."""
    number, before = happens_before(entry.queues)
    owners = {}
    for name, (_, arena, _) in entry.scratch.items():
        device, _, queue = arena.partition(" queue ")
        owner = (device, queue or "compute")
        if owner not in entry.queues and not queue:
            owner = next((key for key in entry.queues if key[0] == device),
                         None)
        owners[name] = owner
    found = {}
    for key, commands in entry.queues.items():
        for index, (kind, used) in enumerate(commands):
            if kind != "use":
                continue
            for name in used & entry.scratch.keys():
                owner = owners[name]
                first = last = index
                if owner != key:
                    first = before[key][index][number[owner]]
                    last = next((step for step, clock in
                                 enumerate(before[owner])
                                 if clock[number[key]] > index),
                                len(before[owner]))
                low, high = found.get(name, (first, last))
                found[name] = (min(low, first), max(high, last))
    return found


def check_arena(entry, arena, found):
    """The errors in `arena`."""
    errors = []
    size, bound = entry.arenas.get(arena, (0, 0))
    steps = defaultdict(list)
    for name, (first, last) in found.items():
        length, where, offset = entry.scratch[name]
        if where != arena:
            continue
        if offset is None:
            errors.append(f"{name} is used and has no place")
            continue
        if offset % ALIGNMENT or offset + length > size:
            errors.append(f"{name} lies badly: {length} bytes at {offset} in "
                          f"an arena of {size}")
        for step in range(first, last + 1):
            steps[step].append((offset, length, name))
    most = 0
    for step in sorted(steps):
        most = max(most, sum(-(-length // ALIGNMENT) * ALIGNMENT
                             for _, length, _ in steps[step]))
        placed = sorted(p for p in steps[step] if p[1])
        for left, right in zip(placed, placed[1:]):
            if left[0] + left[1] > right[0]:
                errors.append(f"{left[2]} and {right[2]} share bytes at step "
                              f"{step} of {arena}")
    if most != bound:
        errors.append(f"{arena}: the lower bound is {most}, not {bound}")
    ratio = size / most if most else 1.0
    print(f"{entry.name} {arena}: {size} bytes, lower bound {most}, "
          f"ratio {ratio:.4f}")
    if size > most * ARGUMENTS.ratio:
        errors.append(f"{arena}: {size} bytes are more than {ARGUMENTS.ratio} "
                      f"times the lower bound")
    return sorted(set(errors))


def main():
    """Returns the exit code."""
    file = sys.stdin if ARGUMENTS.file == "-" else open(ARGUMENTS.file)
    entries = parse(file.read())
    if not entries:
        print("error: there is no exec.entry in the text", file=sys.stderr)
        return 1
    errors = []
    for entry in entries:
        found = lives(entry)
        arenas = {arena for _, arena, _ in entry.scratch.values()}
        for arena in sorted(arenas | entry.arenas.keys()):
            errors += check_arena(entry, arena, found)
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", help="text of the exec dialect; - for stdin")
    parser.add_argument("--ratio", type=float, default=float("inf"),
                        help="the most that an arena may be above its bound")
    ARGUMENTS = parser.parse_args()
    sys.exit(main())
