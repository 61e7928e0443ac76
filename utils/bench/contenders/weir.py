"""Weir, by graph-compile and graph-run."""
import pathlib
import shutil
import time

import numpy as np

from contenders import process

# The runs of each process before the timed ones, as a share of these.
WARM_UP_SHARE = 0.2
LEAST_RUNS, MOST_RUNS = 5, 1000000

class Weir:
    name, precisions = "weir", ("f32", "bf16")

    def __init__(self, tools, scratch):
        self.tools, self.scratch = tools, pathlib.Path(scratch)
        self.compiled = {}   # (network, setting) -> (artifact, compile ms)
        self.expected_ms = {}

    def tool(self, name):
        return shutil.which(name, path=self.tools) or name

    def version(self):
        return process.run([self.tool("graph-run"), "--version"], 1).strip()

    def translate(self, made, artifact, threads, *flags):
        """Runs graph-compile with no cache of kernels; the milliseconds that
        it took."""
        shapes = [f"--shape={name}:" + "x".join(map(str, shape))
                  for name, shape in made.shapes.items()]
        begin = time.perf_counter()
        process.run([self.tool("graph-compile"), made.model, "-o", artifact,
                     f"--threads={threads}", *shapes, *flags], threads,
                    process.COLD)
        return (time.perf_counter() - begin) * 1e3

    def execute(self, made, artifact, cores, *flags):
        """Runs graph-run; its report."""
        inputs = [f"--input={name}={file}"
                  for name, file in made.inputs.items()]
        return process.run_json([self.tool("graph-run"), artifact, "--json",
                                 *inputs, *flags], cores)

    def compile(self, made, setting):
        """The artifact and its time; compiled once, whatever the rounds."""
        key = made.name, setting
        if key not in self.compiled:
            artifact = self.scratch / (f"{made.name}-{setting.threads}-"
                                       f"{setting.precision}.weir")
            flags = [f"--precision={setting.precision}"]
            self.compiled[key] = artifact, self.translate(
                made, artifact, setting.threads,
                *(flags if setting.precision != "f32" else []))
        return self.compiled[key]

    def run(self, made, setting, *flags):
        artifact, compile_ms = self.compile(made, setting)
        report = self.execute(made, artifact, setting.threads, *flags)
        return {"compile_ms": compile_ms, "load_ms": report["load_ms"],
                "latency_ms": report["latency_ms"],
                "peak_bytes": report["peak_rss_bytes"],
                "planned_bytes": sum(device["planned_bytes"]
                                     for device in report["devices"])}

    def answer(self, made, setting, outputs):
        """Arrays by name, for the names given."""
        files = {name: self.scratch / f"output{at}.npy"
                 for at, name in enumerate(outputs)}
        report = self.run(made, setting, "--warmup=1", "--repeat=3", *(
            f"--output={name}={file}" for name, file in files.items()))
        self.expected_ms[made.name, setting] = report["latency_ms"]["min"]
        return {name: np.load(file) for name, file in files.items()}

    def measure(self, made, setting, budget_ms):
        """One process's load time and latencies. `answer` comes first."""
        expected = max(self.expected_ms[made.name, setting], 1e-4)
        runs = round(min(max(budget_ms / expected, LEAST_RUNS), MOST_RUNS))
        warm = max(2, round(runs * WARM_UP_SHARE))
        return self.run(made, setting, f"--repeat={runs}", f"--warmup={warm}")

    def peak(self, made, setting):
        return self.run(made, setting, "--repeat=3")

    def release(self, made):
        """Removes the artifacts of a network."""
        for key in [key for key in self.compiled if key[0] == made.name]:
            self.compiled.pop(key)[0].unlink(missing_ok=True)
