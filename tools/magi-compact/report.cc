#include "tools/magi-compact/report.h"

#include "libcommon/json/writer.h"

namespace magi::compact {
namespace {

void append_row(std::string& out, std::string_view label, std::string_view value) {
  out += label;
  out.append(label.size() < 11 ? 11 - label.size() : 1, ' ').append(value) += '\n';
}

}  // namespace

void append_json(std::string& out, const Report& r) {
  json::Writer writer(out);
  writer.begin_object().key("session_id").string(r.session_id).key("dry_run").boolean(r.dry_run);
  writer.key("generation").integer(r.generation).key("trigger").string(r.trigger);
  writer.key("provider").string(r.provider).key("model").string(r.model).key("method").string(r.method);
  writer.key("tokens_before").integer(r.tokens_before).key("tokens_after");
  if (r.tokens_after)
    writer.integer(*r.tokens_after);
  else
    writer.null();
  writer.key("request_tokens").integer(r.request_tokens).key("request_limit").integer(r.limit);
  writer.key("fits").boolean(r.fits).key("archive").begin_object().key("path").string(r.archive_path);
  writer.key("bytes").integer(r.archive.bytes);
  if (!r.archive.sha256.empty()) writer.key("sha256").string(r.archive.sha256);
  writer.end_object();
  if (!r.dry_run) {
    writer.key("usage").begin_object();
    event::print_fields(writer, r.usage);
    writer.end_object().key("summary").string(r.summary);
  }
  writer.end_object();
  out += '\n';
}

void append_text(std::string& out, const Report& r) {
  const std::string how = r.is_exact ? "" : "  estimate: " + r.method;
  if (r.tokens_after)
    append_row(out, "tokens", std::to_string(r.tokens_before) + " -> " + std::to_string(*r.tokens_after) + how);
  else
    append_row(out, "tokens", std::to_string(r.tokens_before) + how);
  if (r.dry_run) {
    append_row(
        out, "request",
        std::to_string(r.request_tokens) + " of at most " + std::to_string(r.limit) + (r.fits ? "" : ": does not fit"));
    append_row(out, "model", r.provider + " " + r.model);
  }
  append_row(out, "generation", std::to_string(r.generation));
  append_row(out, "archive", r.archive_path);
}

}  // namespace magi::compact
