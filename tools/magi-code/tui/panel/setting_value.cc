#include "tools/magi-code/tui/panel/setting_value.h"

#include <algorithm>
#include <charconv>

#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"

namespace magi::code::tui {
namespace {

using Kind = SettingRow::Kind;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string quoted_json(std::string_view text) {
  std::string out;
  json::append_quoted(out, text);
  return out;
}

bool is_in_bounds(const SettingRow& row, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= row.least && number <= row.most;
}

}  // namespace

std::string shown_value(std::string_view json) {
  if (json.empty()) return "-";
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return std::string(json);
  std::string text;
  json::append_unescaped(text, json.substr(1, json.size() - 2));
  return text.empty() ? "\"\"" : text;
}

std::string allowed_values(const SettingRow& row) {
  switch (row.kind) {
    case Kind::kBoolean: return "true or false";
    case Kind::kInteger:
    case Kind::kIntegerOrNull: {
      std::string text = row.least == row.most
                             ? std::to_string(row.least)
                             : "a whole number from " + std::to_string(row.least) + " to " + std::to_string(row.most);
      return row.kind == Kind::kIntegerOrNull ? text + ", or null" : text;
    }
    case Kind::kChoice: {
      std::string text = "one of";
      for (const std::string& choice : row.choices)
        text.append(&choice == &row.choices.front() ? " " : ", ").append(choice);
      return text;
    }
    case Kind::kText: return "text";
    case Kind::kOther: break;
  }
  return "JSON";
}

Result<std::string> typed_value(const SettingRow& row, std::string_view typed) {
  const std::string_view text = trimmed(typed);
  const auto refuse = [&] { return make_error(ErrorCode::kUsage, "must be ", allowed_values(row)); };
  switch (row.kind) {
    case Kind::kBoolean: return text == "true" || text == "false" ? Result<std::string>(std::string(text)) : refuse();
    case Kind::kIntegerOrNull:
      if (text == "null") return std::string(text);
      [[fallthrough]];
    case Kind::kInteger: return is_in_bounds(row, text) ? Result<std::string>(std::string(text)) : refuse();
    case Kind::kChoice:
      if (std::find(row.choices.begin(), row.choices.end(), text) == row.choices.end()) return refuse();
      return quoted_json(text);
    case Kind::kText: return quoted_json(text);
    case Kind::kOther: break;
  }
  json::Parser parser;
  if (parser.parse(text)) return std::string(text);
  return quoted_json(text);
}

std::string next_value(const SettingRow& row, std::string_view json) {
  if (row.kind == Kind::kBoolean) return json == "true" ? "false" : "true";
  if (row.kind != Kind::kChoice || row.choices.empty()) return {};
  const auto found = std::find(row.choices.begin(), row.choices.end(), shown_value(json));
  if (found == row.choices.end() || std::next(found) == row.choices.end()) return quoted_json(row.choices.front());
  return quoted_json(*std::next(found));
}

}  // namespace magi::code::tui
