// The one writer of a session.  It holds the session's lease from its first append (or its opening) until it is
// destroyed, masks secrets, numbers events, appends them whole and keeps the sidecar.
//
// A new session leaves nothing on the disk before its first append.  Blocking: disk and bounded lock waits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "libcommon/base/clock.h"
#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"
#include "libcommon/session/facts.h"
#include "libcommon/session/mask_fields.h"
#include "libcommon/session/paths.h"

namespace magi::session {

enum class Durability {
  kRequired,    // on the disk before append returns: input, results, checkpoints, whatever a request depends on
  kBestEffort,  // in the file, synced with the next required append: titles, usage, diagnostics
};

// Payloads that are appended together: one write and at most one sync.
class Batch {
 public:
  // Secrets in `payload` are masked and invalid UTF-8 is replaced in place: what the caller holds afterwards is what
  // is stored, and what the conversation in memory must use.
  template <class Payload>
  void add(Payload& payload) {
    mask_fields(payload);
    push(Payload::kType, event::payload_json(payload));
  }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }

 private:
  friend class Writer;
  struct Item {
    std::string_view type;
    std::string json;
  };
  void push(std::string_view type, std::string json);

  std::vector<Item> items_;
};

struct WriterOptions {
  std::string cwd;  // goes into every envelope
  Family family = Family::kPrimary;
  std::int64_t (*now_ms)() = &unix_time_ms;
};

class Writer {
 public:
  // A session that does not exist yet, with a new ID.  Touches nothing.
  static Writer create(Home home, WriterOptions options);
  // An existing session.  kNotFound, kBusy (another writer, after 2 s), kUnsafe (requirement S5).
  static Result<Writer> open(Home home, std::string id, WriterOptions options);

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  // Writes the sidecar, then lets the lease go.
  ~Writer();

  const std::string& id() const;
  const std::string& cwd() const;
  Family family() const;

  // Appends one payload and returns its event ID.  A payload that is an lvalue is masked in place, see Batch::add().
  // Errors: nothing was stored, unless is_uncertain() is true afterwards.  kNoSpace when the disk is full; the text
  // begins "cannot save session 'ID': ".
  template <class Payload>
  Result<std::string> append(Payload&& payload, Durability durability) {
    Batch batch;
    if constexpr (std::is_const_v<std::remove_reference_t<Payload>>) {
      auto copy = payload;
      batch.add(copy);
    } else {
      batch.add(payload);
    }
    auto ids = append_batch(std::move(batch), durability);
    if (!ids) return std::move(ids.error());
    return std::move(ids->front());
  }

  // The event IDs, in order.  Requires: !batch.empty().
  Result<std::vector<std::string>> append_batch(Batch batch, Durability durability);

  // Makes best-effort appends durable.
  Result<void> sync();

  // After a failed append: part of it may be in the file, and every later append is refused.  Opening the session
  // again tells.
  bool is_uncertain() const;

  // Takes the lease, makes what is missing and reserves event IDs, so that the first append cannot fail for want of
  // these and costs less.  Appends nothing.
  Result<void> prepare();

  // True once the session exists on the disk.
  bool exists() const;
  // Identity and length of the file as this writer left it (requirement R11).
  os::FileStamp stamp() const;
  const SessionFacts& facts() const;
  // What was found at open: bytes of an unfinished last record.  They stay in the file as a line of their own.
  std::uint64_t torn_tail_bytes() const;

  // For handing the lease to magi-compact; -1 before the first append.
  int lease_fd() const;
  // After another process replaced the file under the lease (compaction): reads the facts anew.
  Result<void> reload();

  // At turn ends.  Best effort.
  void save_sidecar();

 private:
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::session
