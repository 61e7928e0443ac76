#!/usr/bin/env bash
# Checks and times Weir on a machine with an NVIDIA GPU. That machine needs the
# GPU's driver and nothing of Weir: no compiler, no network.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
archive=$repo/build/gpu-check.tar.xz

usage() {
  cat <<END
usage: utils/gpu-check.sh pack [--networks=CACHE] [options of utils/gpu/pack.py]
       utils/gpu-check.sh check|time|tune [--archive=FILE] [--report=FOLDER]
  pack   makes build/gpu-check.tar.xz from the build in build/, without a GPU:
         the runtime, an artifact for each op, steps of training, and one for
         each network of utils/bench in the folder CACHE
         (utils/bench/make_networks.py)
  check  unpacks the archive where the GPU is and compares all results with the
         stored ones, and training with that on the CPU; exit status 1 if
         anything is wrong
  time   measures the networks of the archive there, and PyTorch where it is
         installed
  tune   measures the networks as they are and with --tune
check, time and tune take less than ten minutes each. What they print is in
FOLDER/check.txt, FOLDER/time.txt and FOLDER/tune.txt, by default in the working
directory.
END
}

command=${1:-}
case $command in
pack)
  shift
  deps=${WEIR_DEPS_DIR:-$repo/.deps}
  exec "$deps/venv/bin/python3" -B "$repo/utils/gpu/pack.py" "$@"
  ;;
check | time | tune) shift ;;
-h | --help)
  usage
  exit 0
  ;;
*)
  usage >&2
  exit 2
  ;;
esac

report=$PWD
for argument in "$@"; do
  case $argument in
  --archive=*) archive=${argument#*=} ;;
  --report=*) report=${argument#*=} ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    printf 'gpu-check: error: unknown argument %s\n' "$argument" >&2
    usage >&2
    exit 2
    ;;
  esac
done
if [ ! -f "$archive" ] || [ ! -r "$archive" ]; then
  echo "gpu-check: error: there is no $archive; make it with" \
    "utils/gpu-check.sh pack" >&2
  exit 1
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Not every machine has xz.
python3 -m tarfile -e "$archive" "$folder"
mkdir -p "$report"
bash "$folder/gpu-check/on_gpu.sh" "$command" 2>&1 | tee "$report/$command.txt"
