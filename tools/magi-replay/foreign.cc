#include "tools/magi-replay/foreign.h"

#include <unistd.h>

#include "libcommon/context/file_lines.h"
#include "libcommon/context/line_blocks.h"
#include "libcommon/context/notices.h"
#include "tools/magi-replay/foreign_reader.h"

namespace magi::replay {
namespace {

std::unique_ptr<ForeignReader> reader_of(ForeignFormat format, Teller& teller) {
  switch (format) {
    case ForeignFormat::kCodex: return codex_reader(teller);
    case ForeignFormat::kClaude: return claude_reader(teller);
    case ForeignFormat::kPi: return pi_reader(teller);
  }
  return nullptr;
}

std::string_view name_of(ForeignFormat format) {
  if (format == ForeignFormat::kCodex) return "Codex";
  return format == ForeignFormat::kClaude ? "Claude Code" : "pi";
}

// "data:image/png;base64,AAAA"
std::optional<event::Part> data_url(std::string_view url) {
  constexpr std::string_view kScheme = "data:", kBase64 = ";base64,";
  const std::size_t comma = url.find(kBase64);
  if (!url.starts_with(kScheme) || comma == std::string_view::npos) return std::nullopt;
  event::Part part;
  part.type = "image";
  part.media_type = url.substr(kScheme.size(), comma - kScheme.size());
  part.data = url.substr(comma + kBase64.size());
  return part;
}

std::optional<event::Part> image_of(const json::Node& block) {
  const std::string type = text_at(block, "type");
  if (type == "input_image") return data_url(text_at(block, "image_url"));
  if (type != "image") return std::nullopt;
  const json::Node source = block.find("source");
  event::Part part;
  part.type = type;
  part.media_type = source ? text_at(source, "media_type") : text_at(block, "mimeType");
  part.data = text_at(source ? source : block, "data");
  if (part.data.empty()) return std::nullopt;
  return part;
}

struct Lines {
  event::ReadCounts read;
  std::int64_t strange = 0;
  context::Notice bad{"skipped bad lines"}, torn{"left out the incomplete last record (torn tail)"};
};

Result<Lines> feed(int fd, ForeignReader& reader) {
  context::LineBlocks blocks(fd);
  Lines lines;
  std::uint64_t number = 0;
  while (true) {
    MAGI_TRY(const context::LineBlock* block, blocks.next());
    if (!block) return lines;
    for (const context::ParsedLine& line : block->lines) {
      ++number;
      if (line.problem.empty()) {
        if (reader.line(block->tape.node(line.value), line.offset, line.text.size()))
          ++lines.read.events;
        else
          ++lines.strange;
      } else if (line.torn) {
        lines.read.torn_tail = true;
        lines.torn.add("line " + std::to_string(number));
      } else {
        ++lines.read.skipped_lines;
        lines.bad.add(context::line_place(number, line.problem));
      }
    }
  }
}

}  // namespace

std::string text_at(const json::Node& object, std::string_view key) {
  return object ? object.find(key).as_string().value_or("") : std::string();
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  for (const std::string_view start : starts)
    if (text.starts_with(start)) return true;
  return false;
}

Content content_of(const json::Node& content) {
  Content out;
  if (auto text = content.as_string()) out.text = *std::move(text);
  for (const json::Node block : content.elements()) {
    if (auto image = image_of(block)) {
      out.images.push_back(*std::move(image));
    } else if (auto text = block.find("text").as_string()) {
      if (!out.text.empty()) out.text += '\n';
      out.text += *text;
    }
  }
  return out;
}

Result<ForeignSession> read_foreign(const SessionInput& file, ForeignFormat format, const std::string& folder) {
  char start[4] = {};
  if (::pread(file.fd.get(), start, sizeof start, static_cast<off_t>(file.base)) == 4 &&
      std::string_view(start, 4) == "PK\x03\x04")
    return make_error(ErrorCode::kBadRecord, "a ZIP archive is no session: exports are for reading and keeping");
  MAGI_TRY(os::Fd spool, unnamed_file(folder));
  Teller teller(std::move(spool));
  const auto reader = reader_of(format, teller);
  MAGI_TRY(Lines lines, feed(file.fd.get(), *reader));
  if (lines.read.events == 0)
    return make_error(ErrorCode::kBadRecord, "this is no session of ", name_of(format), ": no line of it is a record");
  context::FileLines again(file.fd.get(), file.base);
  MAGI_CHECK(reader->finish(again));
  ForeignSession session;
  session.read = lines.read;
  session.session.session_id = teller.session_id();
  MAGI_TRY(session.session.fd, teller.finish());
  const std::string strange = lines.strange ? "left out lines of unknown kinds: " + std::to_string(lines.strange) : "";
  for (const std::string& notice : {lines.bad.text(), lines.torn.text(), strange, reader->left_out()})
    if (!notice.empty()) session.notices.push_back(notice);
  return session;
}

}  // namespace magi::replay
