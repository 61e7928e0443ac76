#!/usr/bin/env python3
"""Compiles each network in processes and folders of their own: the artifacts
are the same bytes.
"""
import argparse
import pathlib
import shutil

from batch import check, run_tool
from networks import prepare_networks

FLAGS = ("--threads=1", "--devices=cpu:0-3", "--placement=random:9",
         "--isolated", "--kernel-cache=off")


def compile_artifact(text, artifact, cwd):
    run_tool("graph-compile", text, "-o", artifact, *FLAGS, cwd=cwd)
    return (cwd / artifact).read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    options = parser.parse_args()
    work = options.work.resolve()
    for network in prepare_networks(work):
        folder = network.folder
        first = compile_artifact(network.text.resolve(), folder / "a.weir",
                                 work)
        again = compile_artifact(network.text.name, "b.weir", folder)
        other = work / "elsewhere" / network.name
        other.mkdir(parents=True, exist_ok=True)
        for file in folder.iterdir():
            if file.suffix in (".mlir", ".safetensors"):
                shutil.copyfile(file, other / file.name)
        moved = compile_artifact(network.text.name, "c.weir", other)
        check(first == again, f"{network.name}: another process, other bytes")
        check(first == moved, f"{network.name}: another folder, other bytes")
        print(f"{network.name}: the same {len(first)} bytes")


if __name__ == "__main__":
    main()
