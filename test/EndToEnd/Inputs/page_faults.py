"""page_faults.py FOLDER: runs two networks until runs of each need no page.

The system itself may take a page away that is cold, so that one run of many can
find it gone; a runtime that needs pages does so in every try.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "bench"))
import memory  # noqa: E402

TRIES, RUNS = 5, 40


def fewest_faults(model, name):
    found = []
    while 0 not in found and len(found) < TRIES:
        report = subprocess.run(
            ["graph-run", model, f"--input={name}=random", "--warmup=5",
             f"--repeat={RUNS}", "--json"], check=True, text=True,
            stdout=subprocess.PIPE).stdout
        found.append(json.loads(report)["page_faults_per_run"])
    return min(found)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    memory.write_vgg(folder, scale=0.125)
    digits = ROOT / "docs" / "examples" / "digits" / "digits.mlir"
    for text, name, flags in (
            (digits, "image", ["--shape=image:32x1x28x28"]),
            (folder / "vgg.mlir", "x", []),
            (folder / "vgg.mlir", "x", ["--devices=cpu:0-1", "--isolated",
                                        "--place=after:flat=cpu:1"])):
        model = folder / "net.weir"
        subprocess.run(["graph-compile", text, "-o", model, *flags], check=True)
        print(f"{pathlib.Path(text).stem}: {fewest_faults(model, name):g} "
              f"page faults per run")


if __name__ == "__main__":
    main()
