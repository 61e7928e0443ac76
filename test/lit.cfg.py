# The lit suite: what a test file is, the tools it may call, and the features it
# may require. Configured by test/lit.site.cfg.py.in.
import glob
import os
import shutil
import subprocess

import lit.formats

config.name = "Weir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Install", "Lint", "Unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.weir_build, "test")

config.weir_compiler |= bool(config.weir_compiler_dir)

# The tools of this build come first, then those of the build that compiles for
# it, then LLVM's of the very version that Weir links.
own_tools = os.path.join(config.weir_build, "bin")
compiler_dir = config.weir_compiler_dir or own_tools
config.environment["PATH"] = os.pathsep.join([
    own_tools, compiler_dir, config.llvm_tools, os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
# Tests find the kernels that others have compiled. Folders that would gain none
# or are about compiling have no cache: their lit.local.cfg takes it away. Other
# tests that compare compilations give --kernel-cache=off.
config.environment["XDG_CACHE_HOME"] = os.path.join(
    config.test_exec_root, "cache")
# Where tests of random graphs begin to draw them.
config.environment["WEIR_SEED"] = os.environ.get("WEIR_SEED", "0")
# All kernels that tests compile are checked, once for a build.
config.environment["WEIR_CHECK_KERNELS"] = os.environ.get(
    "WEIR_CHECK_KERNELS", os.path.join(config.test_exec_root, "checked"))
for setting in filter(None, config.weir_environment.split(";")):
    name, value = setting.split("=", 1)
    config.environment[name] = value

config.substitutions += [
    ("%python", config.python),
    ("%mlir_libs", config.llvm_libraries),
    ("%exits", f"{config.python} {config.weir_source}/test/Inputs/exits.py"),
    # What damage.py runs tools by; a sanitizer must be loaded first.
    ("%fork_server", "" if config.weir_sanitizer else
     f"--fork-server={config.weir_build}/lib/libweir-fork-server.so"),
    ("%onnx_model",
     f"{config.python} {config.weir_source}/test/Inputs/onnx-model.py"),
    ("%write_npy",
     f"{config.python} {config.weir_source}/test/Inputs/write-npy.py"),
    ("%compiler_dir", compiler_dir),
    ("%weir_src", config.weir_source),
    ("%weir_build", config.weir_build),
]

if config.weir_compiler:
    config.available_features.add("compiler")
# NVIDIA's assembler, where the compiler looks for it.
ptxas = shutil.which("ptxas", path=os.pathsep.join([
    os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin"),
    os.environ["PATH"]]))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
else:
    lit_config.note("tests that need ptxas are left out: there is none; it is "
                    "part of the CUDA toolkit")
if config.weir_cuda_plugin:
    config.available_features.add("cuda-plugin")
if os.path.exists(os.path.join(own_tools, "weir-gpu-faults")):
    config.available_features.add("gpu-faults")
# Says why not, if there is no cuDNN to make plans with.
cudnn_plans = os.path.join(config.weir_build, "bin", "weir-cudnn-plans")
if os.path.exists(cudnn_plans):
    config.available_features.add("cudnn-kernels")
    tried = subprocess.run([cudnn_plans], capture_output=True, text=True,
                           check=False)
    if tried.returncode == 0:
        config.available_features.add("cudnn-plans")
    else:
        lit_config.note("tests that need cuDNN are left out: " +
                        tried.stderr.strip())
if config.weir_libpng:
    config.available_features.add("libpng")
if config.weir_sanitizer:
    config.available_features.add(config.weir_sanitizer + "-sanitizer")
    config.available_features.add("sanitizer")
# The networks of the OCR example are files of this package.
FIND_NETWORKS = ("from importlib import util; import sys; "
                 "sys.exit(not util.find_spec('rapidocr_onnxruntime'))")
if subprocess.run([config.python, "-c", FIND_NETWORKS],
                  check=False).returncode == 0:
    config.available_features.add("rapidocr-onnxruntime")
else:
    lit_config.note("tests that need the package rapidocr-onnxruntime are left "
                    f"out: {config.python} does not find it; "
                    "utils/bootstrap.sh installs it")
# The node tests of the newest onnx, which utils/bootstrap.sh --checks writes.
newest_node_tests = os.path.join(config.weir_deps, "onnx-node-tests")
config.substitutions.append(("%newest_node_tests", newest_node_tests))
if os.path.exists(os.path.join(newest_node_tests, "written-by.txt")):
    config.available_features.add("newest-node-tests")
else:
    lit_config.note("the node tests of the newest onnx are left out: they are "
                    f"not in {newest_node_tests}; utils/bootstrap.sh --checks "
                    "writes them")
# `%with_tasks=N COMMAND`: the command, its threads and processes are at most N.
# The limit holds for all users but root, so root runs it as another user who
# may do all else.
with_tasks = "prlimit --nproc"
if os.geteuid() == 0:
    # Another user for each run of lit, as runs go on side by side.
    with_tasks = (f"setpriv --ruid={1000000 + os.getpid()} "
                  f"--bounding-set=-sys_resource,-sys_admin {with_tasks}")
config.substitutions.append(("%with_tasks", with_tasks))
START_THREAD = ("import threading\ntry: threading.Thread().start()\n"
                "except RuntimeError: print('none')")
if subprocess.run(f"{with_tasks}=1 {config.python} -c \"{START_THREAD}\"",
                  shell=True, check=False, capture_output=True,
                  text=True).stdout == "none\n":
    config.available_features.add("task-limit")
else:
    lit_config.note("tests with few threads are skipped: they need setpriv and "
                    "prlimit of util-linux, and a limit that the system keeps")
if lit_config.params.get("full"):
    config.available_features.add("full")
    # They take gigabytes, and the peers of utils/bench make them.
    networks = os.environ.get("WEIR_NETWORKS", "")
    if glob.glob(os.path.join(networks, "*", "network.json")):
        config.available_features.add("networks")
        config.substitutions.append(("%networks", networks))
    else:
        lit_config.note("tests with the networks of utils/bench are left out: "
                        "WEIR_NETWORKS names no folder of "
                        "utils/bench/make_networks.py")
