#include "tools/magi-code/stage/replay_stage.h"

#include "libcommon/event/fields.h"
#include "libcommon/event/names.h"
#include "libcommon/json/node.h"

namespace magi::code {
namespace {

constexpr std::string_view kNoDigest = "--no-digest";

// `type` is the first key of every record (contracts, section 1), so a line need not be parsed to know what it is.
bool is_record_of(std::string_view line, std::string_view type) {
  constexpr std::string_view kOpening = "{\"type\":\"";
  if (!line.starts_with(kOpening)) return false;
  line.remove_prefix(kOpening.size());
  return line.starts_with(type) && line.substr(type.size()).starts_with('"');
}

}  // namespace

void ReplayStage::start(std::function<void(Result<Replayed>)> on_done) {
  on_done_ = std::move(on_done);
  // Nobody reads the digest; one in its place that does not know the option is asked without it.
  command_.args.emplace_back(kNoDigest);
  start_child();
}

void ReplayStage::start_child() {
  auto on_notice = [this](std::string_view line) {
    last_notice_ = line;
    on_notice_(line);
  };
  auto child = CoProcess::start(
      loop_, command_,
      {[this](std::string_view line) { on_line(line); }, [this](int status) { on_exit(status); }, on_notice});
  if (!child) return loop_.post([this, error = child.error()] { on_done_(error); });
  child_ = *std::move(child);
  child_->close_input();
}

void ReplayStage::on_line(std::string_view line) {
  if (is_record_of(line, event::name::kToolCall)) {
    json::Parser parser;
    if (const auto root = parser.parse_padded(line))
      replayed_.call_ids.push_back(root->find("call_id").as_string().value_or(""));
  }
  replayed_.stream.append(line) += '\n';
}

void ReplayStage::on_exit(int status) {
  child_.reset();
  if (status == 0) return on_done_(std::move(replayed_));
  if (status == kExitUsage && std::erase(command_.args, kNoDigest) > 0) return start_child();
  on_done_(make_error(ErrorCode::kUpstream, last_notice_.empty()
                                                ? "magi-replay failed with status " + std::to_string(status)
                                                : last_notice_));
}

}  // namespace magi::code
