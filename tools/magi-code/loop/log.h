// The session that a run records into, or none (--no-session): then nothing is stored, but secrets are masked all the
// same, so that a run without a session sends what a run with one would.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/session/writer.h"

namespace magi::code {

class Log {
 public:
  Log() = default;
  explicit Log(session::Writer writer) : writer_(std::move(writer)) {}

  bool persistent() const { return writer_.has_value(); }
  // Empty without a session.
  std::string id() const { return writer_ ? writer_->id() : std::string(); }
  session::Writer* writer() { return writer_ ? &*writer_ : nullptr; }

  // Event IDs in order; empty strings without a session.
  Result<std::vector<std::string>> append(session::Batch batch, session::Durability durability) {
    if (!writer_ || batch.empty()) return std::vector<std::string>(batch.size());
    return writer_->append_batch(std::move(batch), durability);
  }
  // Something this run depends on may not be what the file holds: nothing more may be sent.
  bool is_uncertain() const { return writer_ && writer_->is_uncertain(); }
  void save_sidecar() {
    if (writer_) writer_->save_sidecar();
  }

 private:
  std::optional<session::Writer> writer_;
};

}  // namespace magi::code
