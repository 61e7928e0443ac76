//===- TeamChoice.h - Measures whether a team is worth it -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// If other work keeps a core of a team busy, all threads of the team wait at
// the end of each kernel for the thread on that core. Short kernels are then
// several times faster on one thread. This class measures whether that is so.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_TEAMCHOICE_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_TEAMCHOICE_H

#include <cstdint>

namespace weir {

/// Chooses for each run of a list whether the run uses the team of its thread.
/// Runs use the team as long as they all take equally long. If their times
/// vary, as they do when a core is shared, some runs are carried out alone, on
/// one thread. If these runs are faster, the next runs are carried out alone,
/// too. Now and then some runs use the team again, to compare.
class TeamChoice {
public:
  /// Whether the next run does without the team.
  bool isAlone() const { return alone; }

  /// Notes that a run for which `isAlone` was asked has ended, and took `ns`.
  void add(uint64_t ns);

private:
  void endOfTeam(uint64_t mean);
  void endOfAlone(uint64_t mean);
  void become(bool isAlone) {
    alone = isAlone;
    numWindows = 0;
  }

  bool alone = false;
  /// Whether the list has run before. The first run is slower than later ones.
  bool isWarm = false;
  /// The runs of the present window, and their time.
  uint64_t numRuns = 0;
  uint64_t sumNs = 0;
  /// The number of windows since the choice last changed.
  uint64_t numWindows = 0;
  /// The number of windows for which runs keep the team after it was faster,
  /// and the number of windows for which they stay alone after that was faster.
  uint64_t teamWindows = 0;
  uint64_t aloneWindows = fewestWindows;
  /// The time of the shortest run on the team. It grows slowly, since times
  /// change.
  uint64_t leastNs = UINT64_MAX;
  /// The mean times of runs in the last window with the team, and in the last
  /// window of runs alone.
  uint64_t teamNs = 0;
  uint64_t aloneNs = 0;

  static constexpr uint64_t fewestWindows = 16, mostWindows = 64;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_TEAMCHOICE_H
