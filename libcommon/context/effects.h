// What tools are known to have changed, added up over a session and over its compactions (requirements C4, R7): the
// `execution_effects` of a checkpoint.  Evidence, not proof: counters are exact sums of what was recorded, paths and
// calls are bounded samples, and whatever casts doubt on the record makes it incomplete.  Nothing here ever says that
// nothing was changed.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/json/node.h"

namespace magi::context {

class EffectsLedger {
 public:
  // Goes on from the effects of a checkpoint, which stand for all before it.  Unreadable ones are an empty record that
  // is incomplete.
  void restore(const json::Node& recorded);
  // The recorded effects of one dispatched call.
  void add(std::string_view call_id, std::string_view status, const json::Node& effects);
  // The record is incomplete, for this reason.
  void doubt(std::string_view reason);

  bool complete() const { return doubts_.empty(); }
  std::int64_t mutations() const { return counters_.mutations; }
  std::int64_t shell_calls() const { return counters_.shell_calls; }

  // One object, below kMaxEffectsBytes (evidence.h).
  std::string json() const;

 private:
  struct Counters {
    std::int64_t results = 0;  // of dispatched calls
    std::int64_t mutations = 0;
    std::int64_t shell_calls = 0;
    std::int64_t partial_calls = 0;  // failed after they had changed something
    std::int64_t paths_omitted = 0;  // mentions of paths that the samples do not hold
    std::int64_t calls_omitted = 0;
  };
  // Texts without duplicates, in the order in which they came, up to a number of bytes.
  struct Sample {
    std::vector<std::string> texts;
    std::set<std::string, std::less<>> known;
    std::size_t bytes = 0;
    // False where there is no room left for it.
    bool add(std::string text, std::size_t max_bytes);
  };

  bool read_counters(const json::Node& recorded, Counters& counters) const;
  void add_path(const json::Node& path, bool partial);

  Counters counters_;
  Sample paths_, partial_paths_, calls_;
  std::vector<std::string> doubts_;
};

}  // namespace magi::context
