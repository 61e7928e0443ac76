//===- ForkServer.cpp - Starts a tool once for many runs --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A library to preload into a tool. For a small file, a tool spends nearly all
// of its time before main, on LLVM's symbols and static objects. With this
// library the tool starts once, and each run is a process that is forked at
// that point.
//
// If WEIR_FORK_SERVER is set, to the seconds that a run may take, the tool
// reads runs from standard input: the number of bytes that follow, as four
// bytes, then the arguments, each with a zero after it. It answers each with a
// line: the result of wait() for the run, and the most memory that it had, in
// KiB. Runs share the server's standard error. A run that takes too long is
// ended by SIGALRM.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {
using Main = int (*)(int, char **, char **);
using StartMain = int (*)(Main, int, char **, void (*)(), void (*)(),
                          void (*)(), void *);

Main toolMain;

/// Reads the next run's arguments; false if there is none.
bool readRun(std::string &arguments) {
  uint32_t size;
  if (std::fread(&size, sizeof(size), 1, stdin) != 1)
    return false;
  arguments.resize(size);
  return std::fread(arguments.data(), 1, size, stdin) == size;
}

/// What the tool does in a run. It returns to the start code, which exits.
int runTool(std::string &arguments, char *tool, char **environment,
            unsigned seconds) {
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::close(nothing);
  std::vector<char *> argv = {tool};
  for (size_t at = 0; at < arguments.size(); at = arguments.find('\0', at) + 1)
    argv.push_back(arguments.data() + at);
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  ::alarm(seconds);
  return toolMain(argc, argv.data(), environment);
}

int serve(int argc, char **argv, char **environment) {
  const char *limit = std::getenv("WEIR_FORK_SERVER");
  if (!limit)
    return toolMain(argc, argv, environment);
  const auto seconds = static_cast<unsigned>(std::atoi(limit));
  // The tool may start other programs.
  ::unsetenv("LD_PRELOAD");
  // A child must not consume the input for later runs.
  std::setvbuf(stdin, nullptr, _IONBF, 0);
  for (std::string arguments; readRun(arguments);) {
    const pid_t child = ::fork();
    if (child == 0)
      return runTool(arguments, argv[0], environment, seconds);
    int status;
    rusage usage;
    if (child < 0 || ::wait4(child, &status, 0, &usage) != child)
      return 1;
    std::printf("%d %ld\n", status, usage.ru_maxrss);
    std::fflush(stdout);
  }
  return 0;
}
} // namespace

/// Overrides the C library's function of this name, through which a program's
/// start code calls main.
extern "C" __attribute__((visibility("default"))) int
__libc_start_main(Main given, int argc, char **argv, void (*init)(),
                  void (*fini)(), void (*loaderFini)(), void *stackEnd) {
  toolMain = given;
  auto next =
      reinterpret_cast<StartMain>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(serve, argc, argv, init, fini, loaderFini, stackEnd);
}
