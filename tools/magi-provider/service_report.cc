#include "tools/magi-provider/service_report.h"

#include "libcommon/base/clock.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-provider/wire.h"

namespace magi::provider {

Result<int> list_models(const HttpOptions& options, Transport& transport) {
  constexpr std::int64_t kPatienceMs = 30'000;
  ModelListing listing;
  const auto headers = request_headers(options.choice, options.key, kJson);
  transport.begin({models_url(options.choice), headers, nullptr, options.limits.connect_ms, false}, listing);
  const std::int64_t limit_ms = options.limits.headers_ms > 0 ? options.limits.headers_ms : kPatienceMs;
  const std::int64_t deadline_ns = monotonic_ns() + limit_ms * 1'000'000;
  for (transport.step(); transport.active(); transport.step()) {
    const std::int64_t left_ns = deadline_ns - monotonic_ns();
    if (left_ns <= 0)
      return make_error(ErrorCode::kUpstream, options.choice.id, ": cannot list the models: no answer in time");
    transport.wait({}, -1, left_ns / 1'000'000 + 1);
  }
  if (const auto failure = listing.finish(transport.failure()))
    return make_error(ErrorCode::kUpstream, options.choice.id, ": ", redacted(failure->message, options.key));
  tool::Stdout out;
  for (const Model& model : listing.models()) {
    out.buffer() += one_line(model.id);
    if (model.context_window) out.buffer() += "\t" + std::to_string(*model.context_window);
    MAGI_CHECK(out.write("\n"));
  }
  MAGI_CHECK(out.flush());
  return kExitOk;
}

Result<int> report_status(const config::Settings& settings, const config::Environment& environment,
                          const Options& options) {
  MAGI_TRY(const auto choice, config::choose_provider(settings, environment, options.wish));
  std::string text = "provider: " + choice.id + "\n";
  if (choice.api == config::Api::kScripted) {
    text += "script: " + (options.script.empty() ? std::string("none, give --script") : options.script) + "\n";
  } else {
    MAGI_CHECK(check_base_url(choice.base_url));
    text += "url: " + request_url(choice) + "\n";
    text += "model: " + (choice.model.empty() ? std::string("the only one that the server has") : choice.model) + "\n";
    const bool present = environment.get(choice.key_env).has_value();
    text += "key: " +
            (choice.key_env.empty() ? std::string("none is sent")
                                    : choice.key_env + (present ? " is set" : " is not set, none is sent")) +
            "\n";
  }
  tool::Stdout out;
  MAGI_CHECK(out.write(text));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::provider
