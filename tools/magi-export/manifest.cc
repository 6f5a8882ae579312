#include "tools/magi-export/manifest.h"

#include "libcommon/base/clock.h"
#include "libcommon/json/writer.h"

namespace magi::exporting {
namespace {

void put_member(json::Writer& json, const Member& member, const Written& written, bool redacted) {
  json.begin_object().key("path").string(member.path).key("role").string(member.role);
  json.key("session_id").string(member.session_id);
  if (member.generation >= 0) json.key("generation").integer(member.generation);
  json.key("bytes").integer(static_cast<std::int64_t>(written.bytes)).key("sha256").string(written.sha256);
  if (redacted) json.key("masked_secrets").integer(written.masked);
  json.end_object();
}

}  // namespace

std::string manifest(const Contents& contents, const std::vector<Written>& written, const std::string& session_id,
                     std::int64_t created_ms, bool redacted) {
  std::string text;
  json::Writer json(text);
  json.begin_object().key("manifest_version").integer(kManifestVersion).key("session_id").string(session_id);
  json.key("created").string(format_rfc3339(created_ms)).key("creator").string("magi-export " MAGI_VERSION);
  json.key("redacted").boolean(redacted);
  std::int64_t masked = 0;
  for (const Written& one : written) masked += one.masked;
  if (redacted) json.key("masked_secrets").integer(masked);
  json.key("complete").boolean(contents.warnings.empty());
  json.key("files").begin_array();
  for (std::size_t i = 0; i < contents.members.size(); ++i) put_member(json, contents.members[i], written[i], redacted);
  json.end_array().key("children").begin_array();
  for (const Child& child : contents.children) {
    json.begin_object().key("id").string(child.id).key("parent_id").string(child.parent_id);
    json.key("included").boolean(child.included).end_object();
  }
  json.end_array().key("warnings").begin_array();
  for (const Warning& warning : contents.warnings) {
    json.begin_object().key("category").string(warning.category).key("role").string(warning.role);
    if (!warning.session_id.empty()) json.key("session_id").string(warning.session_id);
    json.end_object();
  }
  json.end_array().key("more_warnings").integer(contents.more_warnings).end_object();
  return text + '\n';
}

}  // namespace magi::exporting
