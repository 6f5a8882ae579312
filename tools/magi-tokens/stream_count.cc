#include "tools/magi-tokens/stream_count.h"

#include <unistd.h>

#include <functional>
#include <unordered_map>

#include "libcommon/base/utf8.h"
#include "libcommon/context/budget.h"
#include "libcommon/context/conversation_reader.h"
#include "libcommon/json/writer.h"
#include "libcommon/os/io.h"
#include "libcommon/tokens/counter.h"
#include "libcommon/tokens/record_cost.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-tokens/report.h"

namespace magi::measure {
namespace {

// Counts that --serve remembers: some 64 MiB.
constexpr std::size_t kMaxRemembered = 1'000'000;

class StreamCount {
 public:
  StreamCount(const Options& options, const config::Settings& settings, const session::Home& home,
              std::string_view name)
      : options_(options),
        settings_(settings),
        home_(home),
        name_(name),
        reader_(options.serve ? context::Framing::kServe : context::Framing::kSingle) {
    begin_stream();
  }

  Result<int> run() {
    os::LineReader lines(STDIN_FILENO, context::kMaxStreamLineBytes);
    while (true) {
      MAGI_TRY(const auto line, lines.next());
      if (!line) break;
      do {
        auto taken = take(*line);
        if (taken) continue;
        if (!options_.serve || taken.error().code != ErrorCode::kBadRecord) return std::move(taken.error());
        MAGI_CHECK(answer_failure(taken.error()));
      } while (reader_.line_is_unread());
    }
    if (auto finished = reader_.finish(); !finished) {
      if (!options_.serve) return std::move(finished.error());
      MAGI_CHECK(answer_failure(finished.error()));
    }
    return options_.serve ? kExitOk : finish_single();
  }

 private:
  struct Remembered {
    std::size_t size = 0;
    tokens::RecordCost cost;
  };

  void begin_stream() {
    measured_ = Measured{};
    request_.clear();
    measured_.provider = options_.provider.empty() ? settings_.provider : options_.provider;
    measured_.model = options_.model.empty() ? settings_.model : options_.model;
    counter_ = &tokens::counter_for(measured_.provider, measured_.model);
    replaced_before_ = reader_.replaced_bytes();
  }

  Result<void> take(std::string_view line) {
    MAGI_TRY(const auto record, reader_.line(line));
    if (!record) return {};
    if (record->kind == context::RecordKind::kRequest) {
      measured_.has_request = true;
      request_ = line;
      return {};
    }
    if (record->kind == context::RecordKind::kConversation) choose_model(record->root);
    MAGI_CHECK(count_request());
    if (record->kind == context::RecordKind::kEnd) return options_.serve ? answer_stream() : Result<void>();
    count(line, context::record_type_name(record->kind), record->root);
    return {};
  }

  // The request stands before the record that names the model whose tokens it is counted in.
  Result<void> count_request() {
    if (request_.empty()) return {};
    json::Parser parser;
    MAGI_TRY(const json::Node root, parser.parse(utf8::sanitize(request_)));
    count(request_, context::record_type_name(context::RecordKind::kRequest), root);
    request_.clear();
    return {};
  }

  void count(std::string_view line, std::string_view type, const json::Node& root) {
    measured_.split.add(options_.serve ? remembered_cost(line, type, root) : tokens::cost_of(*counter_, type, root));
  }

  // The command line rules over the stream, the stream over settings.
  void choose_model(const json::Node& conversation) {
    const auto provider = conversation.find("provider").as_string(), model = conversation.find("model").as_string();
    if (options_.provider.empty() && provider) measured_.provider = *provider;
    if (options_.model.empty() && model) measured_.model = *model;
    counter_ = &tokens::counter_for(measured_.provider, measured_.model);
  }

  tokens::RecordCost remembered_cost(std::string_view line, std::string_view type, const json::Node& root) {
    if (remembered_by_ != counter_ || remembered_.size() >= kMaxRemembered) remembered_.clear();
    remembered_by_ = counter_;
    Remembered& known = remembered_[std::hash<std::string_view>{}(line)];
    if (known.size != line.size()) known = {line.size(), tokens::cost_of(*counter_, type, root)};
    return known.cost;
  }

  Result<void> measure() {
    if (options_.strict && !counter_->is_exact())
      return make_error(ErrorCode::kUsage, "no exact table for ", quoted(measured_.provider + "/" + measured_.model),
                        ": only estimates can be had");
    context::KnownBudget known = context::budget_of(settings_, home_, measured_.provider, measured_.model);
    if (!known.notice.empty()) tool::notice(name_, "ignored: " + known.notice);
    measured_.budget = std::move(known.budget);
    measured_.fit = tokens::fit(measured_.budget, measured_.split.total());
    measured_.method = counter_->method();
    measured_.is_exact = counter_->is_exact();
    measured_.replaced_bytes = reader_.replaced_bytes() - replaced_before_;
    return {};
  }

  Result<int> finish_single() {
    MAGI_CHECK(measure());
    if (options_.json)
      append_json(out_.buffer(), measured_);
    else
      append_text(out_.buffer(), measured_);
    MAGI_CHECK(out_.flush());
    return options_.check && !measured_.fit.fits ? kExitLimit : kExitOk;
  }

  Result<void> answer_stream() {
    if (auto measured = measure(); !measured) return answer_failure(measured.error());
    append_json(out_.buffer(), measured_);
    begin_stream();
    return out_.flush();
  }

  Result<void> answer_failure(const Error& error) {
    json::Writer writer(out_.buffer());
    writer.begin_object().key("error").begin_object();
    writer.key("category").string(category_name(error.code)).key("message").string(error.what);
    writer.end_object().end_object();
    out_.buffer() += '\n';
    begin_stream();
    return out_.flush();
  }

  const Options& options_;
  const config::Settings& settings_;
  const session::Home& home_;
  std::string_view name_;
  context::ConversationReader reader_;
  tool::Stdout out_;
  Measured measured_;
  std::string request_;  // its line, until the model is known
  const tokens::Counter* counter_ = nullptr;
  std::uint64_t replaced_before_ = 0;
  std::unordered_map<std::size_t, Remembered> remembered_;
  const tokens::Counter* remembered_by_ = nullptr;
};

}  // namespace

Result<int> count_streams(const Options& options, const config::Settings& settings, const session::Home& home,
                          std::string_view name) {
  return StreamCount(options, settings, home, name).run();
}

}  // namespace magi::measure
