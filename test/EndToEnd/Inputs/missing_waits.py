#!/usr/bin/env python3
"""Takes one wait after the other out of a network's programs: the schedule
verifier misses each, and nothing in the whole.
"""
import argparse
import pathlib
import subprocess

from batch import Batch, check
from networks import prepare_networks

PLACEMENT = {"devices": "cpu:0-3", "placement": "random:2", "isolated": "all"}
VERIFY = "--pass-pipeline=builtin.module(exec.entry(exec-verify-schedule))"


def verify(lines):
    """The verifier's messages; empty if it finds nothing."""
    done = subprocess.run(["graph-opt", "-", VERIFY], input="\n".join(lines),
                          text=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    check((done.returncode == 0) == (done.stderr == ""),
          f"graph-opt: exit code {done.returncode}\n{done.stderr}")
    return done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("network")
    options = parser.parse_args()
    network = next(network for network in prepare_networks(options.work)
                   if network.name == options.network)
    with Batch() as batch:
        lines = batch.ask(network.name, text=network.text, threads=1,
                          emit=["exec"],
                          **PLACEMENT)["texts"]["exec"].splitlines()
    whole = verify(lines)
    check(not whole, f"{network.name}: {whole}")
    waits = [number for number, line in enumerate(lines)
             if line.strip().startswith("exec.wait ")]
    check(waits, f"{network.name} has no wait")
    for number in waits:
        messages = verify(lines[:number] + lines[number + 1:])
        check("without an order" in messages,
              f"{network.name}: line {number + 1}, {lines[number].strip()}, is "
              f"not missed")
    print(f"{network.name}: {len(waits)} waits, each is missed")


if __name__ == "__main__":
    main()
