"""A peer, by a worker process that holds its library."""
import json
import pathlib
import sys

import numpy as np

from contenders import process

WORKER = pathlib.Path(__file__).with_name("worker.py")


class Peer:
    """`precisions` are those that it has on CPUs."""

    def __init__(self, name, precisions, scratch):
        self.name, self.precisions = name, precisions
        self.scratch = pathlib.Path(scratch)

    def version(self):
        return process.run_json([sys.executable, WORKER, self.name,
                                 "--version"], 1)["version"]

    def run(self, made, setting, **task):
        task |= {"model": str(made.static_model),
                 "inputs": {name: str(file)
                            for name, file in made.inputs.items()},
                 "threads": setting.threads, "precision": setting.precision}
        return process.run_json([sys.executable, WORKER, self.name,
                                 json.dumps(task)], setting.threads)

    def answer(self, made, setting, outputs=None):
        """Arrays by name."""
        folder = self.scratch / "answers"
        folder.mkdir(exist_ok=True)
        names = self.run(made, setting, budget_ms=0,
                         answers=str(folder))["outputs"]
        return {name: np.load(folder / f"{at}.npy")
                for at, name in enumerate(names)}

    def measure(self, made, setting, budget_ms):
        """One process's load time and latencies."""
        return self.run(made, setting, budget_ms=budget_ms)

    def peak(self, made, setting):
        return self.run(made, setting, budget_ms=0)

    def release(self, made):
        """Keeps nothing of a network."""
