#!/usr/bin/env python3
"""Checks that two models of a process that share weights hold them once.

    utils/bench/shared.py CACHE [--lib=build/lib] [--bin=build/bin]
        [--only=NAME,...]

CACHE has the networks of utils/bench/make_networks.py. Each is compiled twice,
for one and for two runs in flight. One process loads both through the C API.
The second session must report all its weights as shared, the process may grow
by at most 30 MB more than both report to hold, and when the first session ends,
the second must report the weights as its own. Exits with 1 if something is not
as it must be.
"""
import argparse
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile

import caps
import memory


def resident_bytes():
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


class Session:
    """A session of the C API."""

    def __init__(self, library, path):
        self.library, self.handle = library, ctypes.c_void_p()
        self.check(library.weir_session_load_file(
            str(path).encode(), None, ctypes.byref(self.handle)))

    def check(self, status):
        if status:
            sys.exit(self.library.weir_last_error().decode())

    def device(self):
        text = ctypes.c_char_p()
        self.check(self.library.weir_session_stats(self.handle,
                                                   ctypes.byref(text)))
        return json.loads(text.value)["devices"][0]

    def free(self):
        self.library.weir_session_free(self.handle)


def measure(path, base, first, second):
    """Prints what a process with both models holds."""
    library = ctypes.CDLL(str(path))
    library.weir_last_error.restype = ctypes.c_char_p
    library.weir_session_free.restype = None
    Session(library, base).free()
    before = resident_bytes()
    one, other = Session(library, first), Session(library, second)
    report = {"growth": resident_bytes() - before, "one": one.device(),
              "other": other.device()}
    one.free()
    report["last"] = other.device()
    print(json.dumps(report))


def weights(device):
    return device["packed_bytes"] + device["in_place_bytes"]


def wrong(report):
    """What is not as it must be."""
    one, other, last = report["one"], report["other"], report["last"]
    held = one["held_bytes"] + other["held_bytes"]
    if other["shared_bytes"] != weights(one) or weights(other):
        yield (f"shares {other['shared_bytes']} of {weights(one)} bytes, has "
               f"{weights(other)} of its own")
    if weights(last) != weights(one) or last["shared_bytes"]:
        yield f"keeps {weights(last)} of {weights(one)} bytes"
    if report["growth"] > held + caps.MOST_MB * memory.BYTES_PER_MB:
        yield f"grows by more than {caps.MOST_MB} MB above what is held"


def check(options, folder, work):
    static = folder / "static.onnx"
    model = static if static.exists() else folder / "model.onnx"
    for in_flight in (1, 2):
        memory.run(options.bin, "graph-compile", model,
                   f"--in-flight={in_flight}", "-o", work / f"{in_flight}.weir")
    done = subprocess.run(
        [sys.executable, __file__, "--measure",
         options.lib / "libWeirRuntime.so", work / "product.weir",
         work / "1.weir", work / "2.weir"],
        stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    errors = list(wrong(report))
    held = [report[which]["held_bytes"] / memory.BYTES_PER_MB
            for which in ("one", "other")]
    print(f"{folder.name:24} {held[0]:8.1f} {held[1]:8.1f} "
          f"{report['other']['shared_bytes'] / memory.BYTES_PER_MB:8.1f} "
          f"{report['growth'] / memory.BYTES_PER_MB:8.1f}  "
          f"{'; '.join(errors) or 'ok'}", flush=True)
    return not errors


def main():
    if sys.argv[1:2] == ["--measure"]:
        measure(*map(pathlib.Path, sys.argv[2:]))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cache", type=pathlib.Path)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--lib", type=pathlib.Path, default="build/lib")
    parser.add_argument("--only", help="names of networks, separated by commas")
    options = parser.parse_args()
    folders = caps.find_networks(options.cache, options.only)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        caps.compile_product(options.bin, work)
        print(f"{'MB':24} {'one':>8} {'other':>8} {'shared':>8} {'growth':>8}")
        good = sum(check(options, folder, work) for folder in folders)
    print(f"{good} of {len(folders)} networks share their weights")
    sys.exit(good < len(folders))


if __name__ == "__main__":
    main()
