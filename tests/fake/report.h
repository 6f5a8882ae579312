// What a request's body says: the turns of its history, the tools it offers, and everything in it that a provider would
// refuse.  The server answers from the first two and records the third.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/json/node.h"

namespace magi::fake {

enum class Api { kResponses, kMessages, kChat };

// One entry of a history, reduced to what counting turns and matching calls with results needs.
struct Step {
  enum class Kind { kAssistant, kResult, kUser, kOther };
  Kind kind = Kind::kOther;
  std::vector<std::string> ids;  // of the calls made or answered
};

struct Report {
  std::vector<Step> steps;
  std::vector<std::string> tool_names;
  std::vector<std::string> problems;
  std::uint32_t assistant_turns = 0;
  std::uint32_t since_user = 0;  // assistant turns behind the last user message
  bool is_paused = false;        // the last turn is one that the server goes on with

  void problem(std::string_view where, std::string_view what);
};

// Reads and checks the body of a request, which is valid JSON.  Never fails: what is wrong becomes a problem.
Report read_request(Api api, const json::Node& body);

// The rules of each API; each appends steps, tool names and problems.
void check_responses(const json::Node& body, Report& report);
void check_messages(const json::Node& body, Report& report);
void check_chat(const json::Node& body, Report& report);

// ---- What the three have in common ----

// The string member `key`; "" where there is none.
std::string text_of(const json::Node& object, std::string_view key);
std::string at(std::string_view list, std::size_t index);

// A name outside `known` is an "unknown parameter", which the official APIs answer with 400.
void only_known(const json::Node& object, std::initializer_list<std::string_view> known, std::string_view where,
                Report& report);
// Members that must be non-empty strings.
void need_strings(const json::Node& object, std::initializer_list<std::string_view> keys, std::string_view where,
                  Report& report);
void need_boolean_if_present(const json::Node& object, std::string_view key, Report& report);

// A string member, where it is there, that is one of `words`.
void one_of_if_present(const json::Node& object, std::string_view key, std::initializer_list<std::string_view> words,
                       std::string_view where, Report& report);
// `tool_choice` names a tool that the request does not offer.
void check_chosen_tool(std::string_view name, Report& report);
// "data:image/...;base64,...": of a kind that models read, and base64 indeed.
void check_image_url(std::string_view url, std::string_view where, Report& report);
void check_image_data(std::string_view media_type, std::string_view base64, std::string_view where, Report& report);

// ^[a-zA-Z0-9_-]{1,64}$
bool is_plain_name(std::string_view name);
void check_tool_name(std::string_view name, std::string_view where, Report& report);
// The JSON Schema of a tool's arguments.  `strict`: every property required, nothing else allowed.
void check_schema(const json::Node& schema, bool strict, std::string_view where, Report& report);
// The arguments of a call as the model wrote them: text that holds one JSON object.
void check_arguments(const json::Node& arguments, std::string_view where, Report& report);

}  // namespace magi::fake
