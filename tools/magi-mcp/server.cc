#include "tools/magi-mcp/server.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcommon/base/clock.h"
#include "libcommon/json/writer.h"
#include "tools/magi-mcp/http_channel.h"

namespace magi::mcp {

std::string one_line(std::string text) {
  constexpr std::size_t kShown = 500;
  if (text.size() > kShown) text.resize(kShown);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

CallOutcome failed_call(std::string why) { return {std::nullopt, {CallFailure::Kind::kFailed, std::move(why)}}; }

namespace {

constexpr std::string_view kProtocol = "2025-11-25";
constexpr std::string_view kProtocols[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::int64_t kStartMs = 60'000;  // a program may have to be fetched first
constexpr std::int64_t kListMs = 20'000;
constexpr std::int64_t kRestartMs[] = {250, 1'000, 4'000};
constexpr int kMostPages = 64;
constexpr int kMostProgress = 200;  // of one call, passed on
constexpr std::size_t kMostStrange = 2000;
constexpr std::int64_t kStrangeNs = 10'000'000'000;

std::string initialize_params() {
  std::string out;
  json::Writer writer(out);
  writer.begin_object().key("protocolVersion").string(kProtocol).key("capabilities").begin_object();
  writer.key("roots").begin_object().end_object().end_object().key("clientInfo").begin_object();
  writer.key("name").string("magi-code").key("version").string(MAGI_VERSION).end_object().end_object();
  return out;
}

// A path as the URI of a root.
std::string file_uri(std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
  return out;
}

}  // namespace

Result<std::string> with_variables(std::string_view text,
                                   const std::function<std::string(std::string_view)>& variable) {
  std::string out;
  for (std::size_t open; (open = text.find("${")) != std::string_view::npos;) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view name = text.substr(open + 2, close - open - 2);
    const std::string value = variable(name);
    if (value.empty()) return make_error(ErrorCode::kConfig, "the variable ", quoted(name), " is not set");
    out.append(text.substr(0, open)).append(value);
    text.remove_prefix(close + 1);
  }
  return out.append(text);
}

Server::~Server() {
  drop_channel();
  for (const Loop::Token timer : {restart_, relist_, sweep_}) around_.loop.cancel(timer);
}

void Server::start() {
  if (state_ == State::kStarting || state_ == State::kReady) return;
  around_.loop.cancel(std::exchange(restart_, 0));
  state_ = State::kStarting;
  strange_ = 0;
  auto channel = connect();
  if (!channel) {
    const Error why = channel.error();
    // Later, so that a caller sees the same whether it fails at once or not.
    around_.loop.after(0, [this, why] { lost(why); });
    return;
  }
  channel_ = std::move(*channel);
  ask("initialize", initialize_params(), kStartMs, [this](const Message& answer) { greeted(answer); });
}

Result<std::unique_ptr<Channel>> Server::connect() {
  Channel::Handlers handlers{[this](std::string_view json) { on_message(json); },
                             [this](std::int64_t id, const Error& why) { on_failed(id, why); },
                             [this](Error why) { lost(std::move(why)); },
                             [this](std::string text) {
                               if (open_ && open_->handlers.on_progress)
                                 open_->handlers.on_progress(std::move(text) + "\n");
                             }};
  if (!settings_.url.empty()) {
    MAGI_TRY(Http* const http, around_.http());
    HttpSpec spec{settings_.url, {}};
    for (const auto& [name, value] : settings_.headers) {
      MAGI_TRY(const std::string text, with_variables(value, around_.variable));
      spec.headers.push_back(name + ": " + text);
    }
    return open_http(around_.loop, *http, std::move(spec), std::move(handlers));
  }
  ProgramSpec spec{settings_.command, settings_.args, around_.environment, around_.root};
  for (const auto& [name, value] : settings_.env) {
    MAGI_TRY(const std::string text, with_variables(value, around_.variable));
    const std::string start = name + "=";
    std::erase_if(spec.environment, [&](const std::string& entry) { return entry.starts_with(start); });
    spec.environment.push_back(start + text);
  }
  return start_program(around_.loop, spec, std::move(handlers));
}

// An answer that does not come in time is an error like any other.
std::int64_t Server::ask(std::string_view method, std::string_view params, std::int64_t limit_ms, Answer on_answer) {
  const std::int64_t id = ++last_id_;
  Pending& pending = pending_[id];
  pending.on_answer = std::move(on_answer);
  if (limit_ms > 0)
    pending.timer = around_.loop.after(limit_ms, [this, id, what = std::string(method)] {
      on_failed(id, make_error(ErrorCode::kUpstream, "no answer to ", what, " in time"));
    });
  channel_->send(request(id, method, params), id);
  return id;
}

void Server::greeted(const Message& answer) {
  if (answer.kind == Message::Kind::kError)
    return lost(make_error(answer.is_final || answer.code != 0 ? ErrorCode::kConfig : ErrorCode::kUpstream,
                           "initialize: ", one_line(answer.error)));
  const std::string version = answer.result.find("protocolVersion").as_string().value_or("");
  if (std::find(std::begin(kProtocols), std::end(kProtocols), version) == std::end(kProtocols))
    return lost(make_error(ErrorCode::kConfig, "it speaks version ", quoted(version),
                           " of the protocol, which is not known here"));
  const json::Node info = answer.result.find("serverInfo");
  title_ = one_line(info.find("name").as_string().value_or("") + " " + info.find("version").as_string().value_or(""));
  const bool has_tools = static_cast<bool>(answer.result.find("capabilities").find("tools"));
  channel_->opened(version);
  channel_->send(notification("notifications/initialized", ""), 0);
  listing_.clear();
  pages_ = 0;
  if (!has_tools) return become_ready();
  list("");
}

void Server::list(const std::string& cursor) {
  std::string params;
  if (!cursor.empty()) json::Writer(params).begin_object().key("cursor").string(cursor).end_object();
  ask("tools/list", params, kListMs, [this](const Message& answer) { listed(answer); });
}

void Server::listed(const Message& answer) {
  if (answer.kind == Message::Kind::kError) {
    if (state_ == State::kReady) return;  // the old list stands
    return lost(make_error(ErrorCode::kUpstream, "tools/list: ", one_line(answer.error)));
  }
  std::vector<std::string> remarks;
  for (const json::Node tool : answer.result.find("tools").elements()) read_tool(tool, listing_, remarks);
  constexpr std::size_t kShownRemarks = 5;
  for (std::size_t i = 0; i < std::min(remarks.size(), kShownRemarks); ++i)
    around_.on_remark(name_ + ": " + remarks[i]);
  if (remarks.size() > kShownRemarks)
    around_.on_remark(name_ + ": " + std::to_string(remarks.size() - kShownRemarks) + " more tools are left out");
  const auto cursor = answer.result.find("nextCursor").as_string();
  if (cursor && !cursor->empty() && ++pages_ < kMostPages && listing_.size() < kMostTools) return list(*cursor);
  become_ready();
}

void Server::become_ready() {
  // The order in which they are offered must not depend on the server's mood: prompts are cached.
  std::sort(listing_.begin(), listing_.end(), [](const RemoteTool& a, const RemoteTool& b) { return a.name < b.name; });
  if (!settings_.tools.empty())
    std::erase_if(listing_, [&](const RemoteTool& tool) {
      return std::find(settings_.tools.begin(), settings_.tools.end(), tool.name) == settings_.tools.end();
    });
  tools_ = std::move(listing_);
  listing_.clear();
  const bool first = state_ != State::kReady;
  state_ = State::kReady;
  why_.clear();
  if (on_tools_) on_tools_();
  if (first && open_ && open_->id == 0) send_call();
}

void Server::on_message(std::string_view json) {
  if (!channel_) return;
  const auto node = parser_.parse(json);
  if (!node) return strange();
  if (node->is(json::Kind::kArray)) {  // a batch, of servers older than 2025-06-18
    std::size_t left = 64;
    for (const json::Node one : node->elements())
      if (left-- > 0 && channel_) take(read_message(one));
    return;
  }
  take(read_message(*node));
}

void Server::take(const Message& message) {
  switch (message.kind) {
    case Message::Kind::kInvalid: return strange();
    case Message::Kind::kRequest: return take_request(message);
    case Message::Kind::kNotification: return take_notification(message);
    case Message::Kind::kResult:
    case Message::Kind::kError: break;
  }
  const auto found = message.id ? pending_.find(*message.id) : pending_.end();
  if (found == pending_.end()) return strange();
  const Answer on_answer = std::move(found->second.on_answer);
  around_.loop.cancel(found->second.timer);
  pending_.erase(found);
  if (channel_) channel_->forget(*message.id);
  on_answer(message);
}

void Server::take_request(const Message& message) {
  if (message.method == "ping") return channel_->send(reply(message.raw_id, "{}"), 0);
  if (message.method == "roots/list") {
    std::string result;
    json::Writer writer(result);
    writer.begin_object().key("roots").begin_array().begin_object().key("uri").string(file_uri(around_.root));
    writer.key("name").string(around_.root.substr(around_.root.rfind('/') + 1)).end_object().end_array().end_object();
    return channel_->send(reply(message.raw_id, result), 0);
  }
  channel_->send(error_reply(message.raw_id, kMethodNotFound, "not offered by this client"), 0);
  strange();
}

void Server::take_notification(const Message& message) {
  if (message.method == "notifications/tools/list_changed" && state_ == State::kReady && relist_ == 0) {
    // A server that says so without end must not keep us busy.
    relist_ = around_.loop.after(200, [this] {
      relist_ = 0;
      if (state_ != State::kReady || !channel_) return;
      listing_.clear();
      pages_ = 0;
      list("");
    });
  } else if (message.method == "notifications/progress" && open_ && open_->handlers.on_progress) {
    if (message.params.find("progressToken").as_int() != open_->id || ++open_->progress_shown > kMostProgress)
      return strange();
    std::string text = message.params.find("message").as_string().value_or("");
    if (text.empty()) {
      text = std::string(message.params.find("progress") ? message.params.find("progress").raw().substr(0, 32) : "");
      if (const json::Node total = message.params.find("total"); total.is(json::Kind::kNumber))
        text += " of " + std::string(total.raw().substr(0, 32));
    }
    open_->handlers.on_progress(one_line(text) + "\n");
  } else {
    strange();
  }
}

// Logs, and what nobody asked for, are passed over; too much of it in a short time is a flood.
void Server::strange() {
  const std::int64_t now = monotonic_ns();
  if (now - strange_since_ns_ > kStrangeNs) {
    strange_since_ns_ = now;
    strange_ = 0;
  }
  if (++strange_ > kMostStrange)
    lost(make_error(ErrorCode::kUpstream, "it floods its output with what nobody asked for"));
}

void Server::on_failed(std::int64_t id, const Error& why) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  const Answer on_answer = std::move(found->second.on_answer);
  around_.loop.cancel(found->second.timer);
  pending_.erase(found);
  if (channel_) channel_->forget(id);
  Message message;
  message.kind = Message::Kind::kError;
  message.error = why.what;
  message.is_final = why.code == ErrorCode::kDenied || why.code == ErrorCode::kConfig;
  on_answer(message);
}

void Server::drop_channel() {
  for (const auto& [id, pending] : pending_) around_.loop.cancel(pending.timer);
  pending_.clear();
  if (!channel_) return;
  channel_->close();
  ended_.push_back(std::move(channel_));
}

void Server::lost(Error why) {
  if (state_ != State::kStarting && state_ != State::kReady) return;
  why_ = one_line(why.what);
  const bool session_lost = why.code == ErrorCode::kNotFound && state_ == State::kReady;
  drop_channel();
  around_.loop.cancel(sweep_);
  sweep_ = around_.loop.after(0, [this] { ended_.clear(); });
  constexpr int kMost = static_cast<int>(std::size(kRestartMs));
  const bool missing = why.code == ErrorCode::kNotFound && state_ == State::kStarting;  // the program
  const bool hopeless = why.code == ErrorCode::kConfig || missing || deaths_ >= kMost;
  state_ = hopeless ? State::kFailed : State::kWaiting;
  if (hopeless && deaths_ >= kMost) why_ += " (started " + std::to_string(kMost + 1) + " times)";
  if (!hopeless) {
    const std::int64_t delay_ms = session_lost ? 0 : kRestartMs[deaths_];
    ++deaths_;
    restart_ = around_.loop.after(delay_ms, [this] { start(); });
  }
  if (on_tools_) on_tools_();
  if (!open_) return;
  // What a dead session has refused was not run.
  if (session_lost && !std::exchange(open_->sent_again, true)) {
    open_->id = 0;
    open_->task.clear();
    return;
  }
  if (open_->id != 0 || hopeless)
    call_ended(failed_call("server '" + name_ + "' was lost during this call: " + why_ +
                           (open_->id != 0 ? ". Look at what the call may have left half done." : "")));
}

void Server::stop() {
  around_.loop.cancel(std::exchange(restart_, 0));
  state_ = State::kIdle;
  drop_channel();
}

}  // namespace magi::mcp
