#!/usr/bin/env python3
"""Packs what utils/gpu-check.sh needs on a machine with a GPU.

    utils/gpu/pack.py --build=BUILD --output=FILE.tar.xz [--networks=CACHE]
                      [--only=GLOB] [--arch=sm_90] [--jobs=N]

The archive has the runtime with its plug-in, an artifact for each file of
test/Ops with the inputs and results that are stored there, one for kinds of
attention and one for gradients of convolutions with the results of numpy, one
for the gradients of a small network with those of PyTorch, steps of training of
three networks for the GPU and for the CPU, and an artifact for each network of
utils/bench in CACHE (utils/bench/make_networks.py). Weights of these networks
become random numbers that a seed determines, so they take no space; their
expected outputs are those of the same graph on this machine's CPU in f32.
Nothing of it needs a GPU.
"""
import argparse
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import filled_networks
import op_cases
import step_cases

# What the tools are linked with and a machine may lack.
LIBRARIES = ("libWeirRuntime.so", "libdnnl.so", "libfmt.so", "libhwloc.so",
             "libgomp.so", "libudev.so")
PROGRAMS = ("graph-run", "graph-dump", "weir-artifact-check")


def find_program(build, name):
    for path in (build / "bin" / name, *build.glob(f"test/**/{name}")):
        if path.is_file():
            return path
    sys.exit(f"error: {build} has no {name}; build it with `ninja -C {build}`")


def copy_stripped(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    subprocess.run(["strip", "--strip-unneeded", target], check=True)


def linked_libraries(program):
    """The libraries of LIBRARIES that `program` loads: names and files."""
    listing = subprocess.run(["ldd", program], check=True, text=True,
                             capture_output=True).stdout
    for line in listing.splitlines():
        name, _, rest = line.strip().partition(" => ")
        if name.startswith(LIBRARIES):
            yield name, pathlib.Path(rest.split(" (")[0])


def pack_programs(build, folder):
    programs = [find_program(build, name) for name in PROGRAMS]
    # Runs on the GPU what the unit tests run on a pretended one.
    programs += build.glob("test/Unit/CudaSmokeTests")
    for program in programs:
        copy_stripped(program, folder / "bin" / program.name)
        for name, path in linked_libraries(program):
            if not (folder / "lib" / name).exists():
                copy_stripped(path, folder / "lib" / name)
    plugin = build / "lib" / "weir" / "plugins" / "libweir-cuda.so"
    if not plugin.exists():
        sys.exit(f"error: {plugin} was not built; CMake's summary says why")
    copy_stripped(plugin, folder / "lib" / "weir" / "plugins" / plugin.name)


def run_jobs(jobs, workers):
    """Runs functions, and prints what they return, which is what went wrong.
    Returns how many went wrong."""
    with concurrent.futures.ThreadPoolExecutor(max(workers, 1)) as pool:
        problems = [text for text in pool.map(lambda job: job(), jobs) if text]
    for text in problems:
        print(f"left out: {text}")
    return len(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--networks", type=pathlib.Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    output = options.output or options.build / "gpu-check.tar.xz"
    if not output.parent.is_dir():
        sys.exit(f"error: there is no folder {output.parent}")
    if options.networks and not any(options.networks.glob("*/network.json")):
        sys.exit(f"error: {options.networks} has no networks; "
                 "utils/bench/make_networks.py makes them")
    build = options.build.resolve()
    compiler = [find_program(build, "graph-compile"),
                f"--gpu-arch={options.arch}"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary, "gpu-check")
        pack_programs(build, folder)
        jobs = op_cases.jobs(ROOT, folder / "ops", compiler, options.only)
        jobs += step_cases.jobs(ROOT, folder / "steps", compiler, options.only)
        if options.networks:
            jobs += filled_networks.jobs(
                options.networks, folder / "networks", compiler,
                {name: find_program(build, name)
                 for name in ("graph-run", "graph-dump")}, options.only)
            jobs += filled_networks.timed_jobs(
                options.networks, folder / "timed", compiler)
        if not jobs:
            sys.exit(f"error: nothing is called {options.only}")
        wrong = run_jobs(jobs, options.jobs)
        for name in ("on_gpu.sh", "torch_times.py"):
            shutil.copy(ROOT / "utils" / "gpu" / name, folder)
        with tarfile.open(output, "w:xz", preset=3) as archive:
            archive.add(folder, "gpu-check")
    print(f"{output}: {output.stat().st_size / 2**20:.1f} MiB, "
          f"{len(jobs) - wrong} parts, {wrong} left out")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
