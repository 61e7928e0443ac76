"""small_memory.py FOLDER: fails if the digits network takes much more memory
than one product, at the peak, or than what graph-run says it holds."""
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "bench"))
import memory  # noqa: E402

# The network's weights, arena, heap and the code that it runs are 1.0 MB.
MOST_MB = 2.5
# What the peak may be above the bytes that the network holds.
MOST_ABOVE_HELD_MB = 1.5


def measure_mb(text, name, *flags):
    """The peak, and what the devices hold."""
    model = text.with_suffix(".weir")
    subprocess.run(["graph-compile", text, "-o", model, "--threads=2", *flags],
                   check=True)
    report = json.loads(subprocess.run(
        ["graph-run", model, f"--input={name}=random", "--threads=2",
         "--repeat=3", "--json"], check=True, text=True,
        stdout=subprocess.PIPE).stdout)
    held = sum(device["held_bytes"] for device in report["devices"])
    return (report["peak_rss_bytes"] / memory.BYTES_PER_MB,
            held / memory.BYTES_PER_MB)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    memory.write_product(folder)
    digits = folder / "digits.mlir"
    for name in (digits.name, "cnn.safetensors"):
        shutil.copy(ROOT / "docs" / "examples" / "digits" / name, folder)
    peak, held = measure_mb(digits, "image", "--shape=image:1x1x28x28")
    more = peak - measure_mb(folder / "product.mlir", "x")[0]
    if more > held + MOST_ABOVE_HELD_MB:
        sys.exit(f"error: {more:.1f} MB more than one product takes, but it "
                 f"holds {held:.1f} MB")
    if more > MOST_MB:
        sys.exit(f"error: {more:.1f} MB more than one product takes, expected "
                 f"at most {MOST_MB}")


if __name__ == "__main__":
    main()
