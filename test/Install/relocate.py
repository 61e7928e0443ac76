"""Installs Weir, moves the tree, and builds and runs a project against it.

The move is the point: a path of the build or of the first place that is left
in a library, a tool or a CMake file makes a later step fail.
"""
import argparse
from concurrent import futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy

import surface


LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
# All but Weir's headers, those without a dot in their names, and three of C.
FOREIGN = re.compile(r'#\s*include\s*(?:"(?!weir/)'
                     r'|<(?!std(?:bool|def|int)\.h>)[^>]*[/.])')


def run(*command, variables=None, **options):
    """Runs a command and returns what it printed."""
    print("+", *command, flush=True)
    clean = {name: value for name, value in os.environ.items()
             if name not in ("LD_LIBRARY_PATH", "WEIR_DEPS_DIR")}
    clean.update(variables or {})
    done = subprocess.run([str(word) for word in command], env=clean,
                          stdout=subprocess.PIPE, text=True, **options)
    print(done.stdout, end="")
    done.check_returncode()
    return done.stdout


def check_no_build_paths(tree, forbidden):
    """No installed file may know where it was built or first installed."""
    for path in tree.rglob("*"):
        # oneDNN is not ours, and archives hold debugging information.
        if (path.is_file() and path.suffix != ".a"
                and not path.name.startswith("libdnnl")):
            data = path.read_bytes()
            for place in forbidden:
                assert os.fsencode(place) not in data, f"{path} names {place}"


def check_headers(tree, compiler, cxx_flags):
    """Each installed header compiles alone, with no other folder of headers,
    and names none but Weir's and those of the standard library. The C API's
    does so in C, too. The suite for devices needs GoogleTest; the plug-in's
    tests compile it."""
    include = tree / "include"
    headers = sorted(path for path in include.rglob("*.h")
                     if path.parent.name != "Testing")
    for path in headers:
        found = FOREIGN.search(path.read_text(encoding="utf-8"))
        assert not found, f"{path}: {found[0]}"

    def compile_alone(path):
        language = ["-std=c++20", "-x", "c++", *cxx_flags.split()]
        for flags in [language] + [["-std=c11", "-x", "c"]] * (
                path.parent.name == "C"):
            run(compiler, *flags, "-Wall", "-Wextra", "-Werror", "-pedantic",
                "-fsyntax-only", "-I", include, path)

    with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_alone, headers))


def check_documents(tree):
    """The licence and the pages are there, and only the example that stands
    by itself has its build file."""
    documents = tree / "share/doc/weir"
    for page in ["LICENSE", "README.md", "docs/README.md"]:
        assert (documents / page).is_file(), f"no {page} in {documents}"
    builds = [str(path.parent.name)
              for path in documents.rglob("CMakeLists.txt")]
    assert sorted(builds) == ["plugin", "two-devices"], builds
    for page in documents.rglob("*.md"):
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page} links to {link}"


def check_libraries(tree):
    """Every library is found, and oneDNN in the moved tree."""
    programs = surface.libraries_of(tree) + surface.plugins_of(tree)
    programs += [tool for tool in (tree / "bin").glob("*")]
    for program in programs:
        listing = run("ldd", program)
        assert "not found" not in listing, f"{program} misses a library"
        for line in listing.splitlines():
            if "libdnnl" in line or "libWeir" in line:
                assert str(tree) in line, f"outside the tree: {line.strip()}"


def build_project(options, source, build, tree):
    """Builds the project `source` against the installed `tree`."""
    run(options.cmake, "-S", source, "-B", build, "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={tree}",
        f"-DCMAKE_C_FLAGS={options.cxx_flags}",
        f"-DCMAKE_CXX_FLAGS={options.cxx_flags}")
    run(options.cmake, "--build", build)


def build_as_documented(options, program, tree):
    """Builds the C program with the command of docs/c-api.md."""
    page = tree / "share/doc/weir/docs/c-api.md"
    command = re.search(r"^cc (.* run\.c .*)$",
                        page.read_text(encoding="utf-8"), re.MULTILINE)[1]
    for name, path in [("run.c", f"{options.consumer}/consumer.c"),
                       ("WEIR/lib", surface.libraries_of(tree)[0].parent),
                       ("WEIR", tree)]:
        command = command.replace(name, str(path))
    run(options.cc, *command.split(), *options.cxx_flags.split(), "-o", program)


def check_consumers(options, build, tree):
    """A C and a C++ program run a model that the installed compiler made. In a
    tree without a compiler they say that there is no model. A third program
    uses the library for training."""
    build_project(options, options.consumer, build, tree)
    assert run(build / "reports") == (
        "step 1  epoch 1  loss 0.5  0:00\ntrained 1 step in 0:00\n")
    build_as_documented(options, build / "documented", tree)
    numpy.save(build / "rows.npy", numpy.zeros((5, 3), "f4"))
    shown = run(build / "batches", build / "rows.npy", "x=scale:2")
    assert "epoch 1, batch 0: 4x3xf32\n" in shown, shown
    model = build / "model.weir"
    graph_compile = tree / "bin" / "graph-compile"
    for name in ["consumer", "c-consumer", "documented"]:
        if graph_compile.exists():
            source = pathlib.Path(options.consumer, "../Inputs/model.mlir")
            run(graph_compile, source, "-o", model)
            assert run(build / name, model) == "2 5 10 17 \n"
        else:
            done = subprocess.run([build / name, model], check=False,
                                  stderr=subprocess.PIPE, text=True)
            assert done.returncode == 1, done
            assert "no such file" in done.stderr, done


# Half of it is on each device; the figures below are worked out by hand.
HALF_AND_HALF = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %w = weir.constant dense<[[1.0, 0.0, 1.0], [2.0, 2.0, 0.0]]> : tensor<2x3xf32>
  %a = weir.linear %x, %w on "demo:0" : tensor<2x3xf32>, tensor<2x3xf32>
  %r = weir.relu %a on "demo:0" : tensor<2x2xf32>
  %y = weir.mul %r, %r on "cpu:0" : tensor<2x2xf32>, tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
"""


def check_plugin(options, build, tree):
    """The example plug-in, built against the installed tree alone, passes the
    conformance suite, and the installed tools find it. So they do where it is
    installed beside the runtime library."""
    build_project(options, options.plugin, build, tree)
    path = {"WEIR_PLUGIN_PATH": str(build)}
    shown = run(build / "conformance", variables=path)
    assert "PASSED" in shown and "FAILED" not in shown, shown
    shown = run(tree / "bin/graph-run", "--list-devices", variables=path)
    assert "demo:7" in shown, shown
    assert "sim:0" in shown, shown
    if not options.builder_example:
        return
    graph, model = build / "net.mlir", build / "net.weir"
    graph.write_text(HALF_AND_HALF)
    numpy.save(build / "x.npy", numpy.float32([[1, -2, 3], [0, 4, -1]]))
    numpy.save(build / "y.npy", numpy.float32([[16, 0], [0, 64]]))
    run(tree / "bin/graph-compile", graph, "--devices=demo:0,cpu:0", "-o",
        model, variables=path)
    plugins = next(tree.rglob("libWeirRuntime.so")).parent / "weir/plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    shutil.copy(build / "libweir-demo.so", plugins)
    run(tree / "bin/graph-run", model, f"--input=x={build / 'x.npy'}",
        f"--expect=y={build / 'y.npy'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--consumer", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--builder-example")
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--cxx-flags", default="")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        first = pathlib.Path(folder) / "installed"
        moved = pathlib.Path(folder) / "moved"
        builds = pathlib.Path(folder) / "builds"
        run(options.cmake, "--install", options.build, "--prefix", first,
            "--strip")
        shutil.move(first, moved)
        check_no_build_paths(moved, [options.build, str(first)])
        surface.check(moved, options.build, bool(options.cxx_flags))
        check_headers(moved, options.cxx, options.cxx_flags)
        check_documents(moved)
        check_libraries(moved)
        check_consumers(options, builds / "consumer", moved)
        check_plugin(options, builds / "plugin", moved)
        if options.builder_example:
            build = builds / "example"
            build_project(options, options.builder_example, build, moved)
            shown = run(build / "two-devices")
            assert "vertical bar: 0.9820 vertical" in shown, shown


main()
