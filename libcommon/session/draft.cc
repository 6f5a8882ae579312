#include "libcommon/session/draft.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "libcommon/json/writer.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/retry.h"
#include "libcommon/session/event_ids.h"
#include "libcommon/session/sidecar.h"
#include "libcommon/session/worktree.h"

namespace magi::session {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

// Source text of values, each with what replaces it.
using Splices = std::vector<std::pair<std::string_view, std::string>>;

std::string spliced(std::string_view text, Splices splices) {
  std::sort(splices.begin(), splices.end(),
            [](const auto& a, const auto& b) { return a.first.data() < b.first.data(); });
  std::string out;
  const char* from = text.data();
  for (const auto& [old, replacement] : splices) {
    out.append(from, old.data()).append(replacement);
    from = old.data() + old.size();
  }
  return out.append(from, text.data() + text.size());
}

}  // namespace

struct Draft::Impl {
  std::string id, name;
  os::Dir sessions, locks;
  std::optional<os::Dir> primary_sessions, primary_locks;  // of a child session: where the event counter is
  std::optional<EventIds> ids;
  os::Fd fd;
  std::string buffer;
  SessionFacts facts;
  bool published = false;

  Impl(std::string new_id, os::Dir sessions_dir, os::Dir locks_dir)
      : id(std::move(new_id)),
        name(std::string(os::kTemporaryPrefix) + id + ".draft"),
        sessions(std::move(sessions_dir)),
        locks(std::move(locks_dir)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (fd && !published) static_cast<void>(sessions.remove_file(name));
  }

  Result<void> open(const Home& home, Family family);
  Result<void> add(std::string_view line);
  Result<void> flush();
  Result<void> publish();
  void save_sidecar();
};

Result<void> Draft::Impl::open(const Home& home, Family family) {
  if (family == Family::kChild) {
    MAGI_TRY(primary_sessions, open_sessions(home, Family::kPrimary, os::IfMissing::kCreate));
    MAGI_TRY(primary_locks, open_locks(*primary_sessions));
  }
  ids.emplace(primary_sessions ? *primary_sessions : sessions, primary_locks ? *primary_locks : locks);
  MAGI_TRY(fd, sessions.open_file(name, os::FileUse::kCreateNew));
  return {};
}

Result<void> Draft::Impl::add(std::string_view line) {
  buffer += line;
  return buffer.size() < kBufferBytes ? Result<void>() : flush();
}

Result<void> Draft::Impl::flush() {
  std::string_view left = buffer;
  while (!left.empty()) {
    const ssize_t count = os::retry([&] { return os::disk().write(fd.get(), left.data(), left.size()); });
    if (count <= 0) return errno_error("cannot write session " + quoted(id), count < 0 ? errno : EIO);
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer.clear();
  return {};
}

Result<void> Draft::Impl::publish() {
  MAGI_CHECK(flush());
  if (os::retry([&] { return os::disk().fdatasync(fd.get()); }) != 0)
    return errno_error("cannot sync session " + quoted(id), errno);
  const std::string final_name = file::session(id);
  const int renamed =
      os::retry([&] { return os::disk().renameat(sessions.fd(), name.c_str(), sessions.fd(), final_name.c_str()); });
  if (renamed != 0) return errno_error("cannot create session " + quoted(id), errno);
  published = true;
  save_sidecar();
  return sessions.sync();
}

void Draft::Impl::save_sidecar() {
  const auto stamp = sessions.stamp(file::session(id));
  if (!stamp) return;
  if (facts.worktree.empty()) facts.worktree = worktree_of(facts.cwd);
  static_cast<void>(write_sidecar(sessions, id, Sidecar(*stamp, facts)));
}

Draft::Draft(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Draft::Draft(Draft&&) noexcept = default;
Draft::~Draft() = default;

Result<Draft> Draft::create(const Home& home, Family family, std::int64_t (*now_ms)()) {
  MAGI_TRY(os::Dir sessions, open_sessions(home, family, os::IfMissing::kCreate));
  MAGI_TRY(os::Dir locks, open_locks(sessions));
  auto impl = std::make_unique<Impl>(new_session_id(now_ms()), std::move(sessions), std::move(locks));
  MAGI_CHECK(impl->open(home, family));
  return Draft(std::move(impl));
}

const std::string& Draft::id() const { return impl_->id; }
bool Draft::was_published() const { return impl_->published; }
Result<void> Draft::publish() { return impl_->publish(); }

Result<std::string> Draft::add_line(std::string_view type, std::string payload, std::string_view timestamp,
                                    std::string_view cwd) {
  // A line break between tokens, which only raw values may bring, means nothing there and would end the record.
  std::replace(payload.begin(), payload.end(), '\n', ' ');
  MAGI_TRY(std::string event_id, impl_->ids->next());
  std::string line;
  event::append_session_line(line, {event_id, std::string(timestamp), impl_->id, std::string(cwd)}, type, payload);
  MAGI_CHECK(impl_->add(line));
  json::Parser parser;
  if (const auto node = parser.parse(payload)) impl_->facts.apply(type, parse_rfc3339(timestamp), cwd, *node);
  return event_id;
}

Result<std::string> Draft::add_copy(const json::Node& root) {
  MAGI_TRY(const event::SessionEvent event, event::parse_session_event(root));
  MAGI_TRY(std::string event_id, impl_->ids->next());
  const std::string session_id = in_quotes(impl_->id);
  Splices splices = {{root.find("event_id").raw(), in_quotes(event_id)}};
  if (const json::Node old = root.find("session_id"))
    splices.emplace_back(old.raw(), session_id);
  else
    splices.front().second += R"(,"session_id":)" + session_id;
  if (event.event_type == event::ToolResultAssessment::kType)
    if (const json::Node old = event.payload.find("session_id")) splices.emplace_back(old.raw(), session_id);
  MAGI_CHECK(impl_->add(spliced(root.raw(), std::move(splices)) + '\n'));
  impl_->facts.apply(event.event_type, parse_rfc3339(event.envelope.timestamp), event.envelope.cwd, event.payload);
  return event_id;
}

}  // namespace magi::session
