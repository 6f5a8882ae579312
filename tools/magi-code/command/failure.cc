#include "tools/magi-code/command/failure.h"

#include "tools/magi-code/front/json_sink.h"

namespace magi::code {
namespace {

void print_result(const Error& error, std::string session_id) {
  ResultRecord record;
  record.session_id = std::move(session_id);
  record.status = "failed";
  record.error = event::ErrorInfo{std::string(category_name(error.code)), error.what};
  record.exit_status = exit_status(error.code);
  JsonSink().result(record);
}

}  // namespace

void report_wrong_options(int argc, const char* const* argv, const Error& error) {
  bool json = false, run = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    json = json || argument == "--json";
    run = run || argument == "--control" || argument.starts_with("-p") || argument.starts_with("--print");
  }
  if (json && run) print_result(error, "");
}

void report_no_run(const Options& options, const Error& error) {
  if (options.json && options.command == Options::Command::kRun) print_result(error, options.resume.value_or(""));
}

}  // namespace magi::code
