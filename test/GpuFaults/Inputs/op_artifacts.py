#!/usr/bin/env python3
"""Compiles files of test/Ops for a GPU: op_artifacts.py FOLDER GLOB..."""
import concurrent.futures
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "utils" / "gpu"))
import op_cases  # noqa: E402 (its folder is added above)


def main():
    folder = pathlib.Path(sys.argv[1])
    jobs = [job for pattern in sys.argv[2:] for job in op_cases.jobs(
        ROOT, folder, ["graph-compile"], pattern)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for text in pool.map(lambda job: job(), jobs) if text]
    print("\n".join(problems) or f"{len(jobs)} ops are compiled")
    sys.exit(bool(problems) or not jobs)


if __name__ == "__main__":
    main()
