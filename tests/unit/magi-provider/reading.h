// Reads a stream as the provider would, whole or in two pieces, and gives the records and how the answer ended.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tools/magi-provider/stream_reader.h"

namespace magi::provider {

struct Read {
  std::string records;
  std::string end;  // "done end_turn", or "stream: message"
  std::string usage;
  bool operator==(const Read&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Read& read) {
  return out << read.records << read.end << "\n" << read.usage;
}

inline Read result_of(const StreamReader& reader, std::string records) {
  Read read{std::move(records), {}, {}};
  if (!reader.outcome())
    read.end = "nothing";
  else if (const auto& failure = reader.outcome()->failure)
    read.end = std::string(category(failure->kind)) + ": " + failure->message;
  else
    read.end = "done " + reader.outcome()->stop_reason;
  if (reader.usage()) {
    const event::Usage& usage = *reader.usage();
    const auto add = [&](std::string_view name, std::int64_t count) {
      read.usage.append(name).append(std::to_string(count));
    };
    add("in ", usage.input_tokens);
    if (usage.cached_tokens) add(" cached ", *usage.cached_tokens);
    if (usage.cache_write_tokens) add(" written ", *usage.cache_write_tokens);
    add(" out ", usage.output_tokens);
    if (usage.reasoning_tokens) add(" thought ", *usage.reasoning_tokens);
  }
  return read;
}

// `cut` beyond the end: in one piece.
template <class Reader>
Read read_stream(std::string_view body, std::size_t cut = std::string_view::npos,
                 ReaderContext context = {"test", "http://h/v1", {}, {}}) {
  std::string records;
  AnswerWriter out(records, "");
  Reader reader(out, std::move(context));
  SseParser sse;
  sse.push(body.substr(0, cut), reader);
  if (cut < body.size()) sse.push(body.substr(cut), reader);
  sse.finish(reader);
  reader.end_of_input();
  return result_of(reader, std::move(records));
}

// Reads the stream whole, and expects the same at every cut.
template <class Reader>
Read read_at_every_cut(std::string_view body) {
  const Read whole = read_stream<Reader>(body);
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    const Read cut_read = read_stream<Reader>(body, cut);
    if (!(cut_read == whole)) {
      ADD_FAILURE() << "cut at " << cut << ":\n" << cut_read << "\nwhole:\n" << whole;
      break;
    }
  }
  return whole;
}

// One event a line: "data: <line>", and a blank line behind it.
inline std::string events(std::initializer_list<std::string_view> lines) {
  std::string body;
  for (const std::string_view line : lines) body.append("data: ").append(line).append("\n\n");
  return body;
}

}  // namespace magi::provider
