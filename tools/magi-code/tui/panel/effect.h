// What the interface wants done and cannot do itself: views and reducers are pure, app/ carries effects out, away from
// the interface's thread, and answers with events.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace magi::code::tui {

struct SubmitPrompt {  // a first prompt or, while a turn runs, steering
  std::string text;
};
struct RunSlashCommand {  // "/compact keep the tests": name without the slash, and the rest
  std::string name, arguments;
};
struct OpenSession {
  std::string id;  // empty: a new one
  bool fork = false;
};
struct RenameSession {
  std::string id, title;
};
struct DeleteSession {
  std::string id;
};
struct RewindTo {
  std::string event_id;
  bool files = false, conversation = false, force = false, dry_run = false;
};
struct ChooseModel {
  std::string provider, model;
};
struct SaveSettings {  // scope "global" or "project"; the whole edited document as JSON text
  std::string scope, document;
};
struct ChooseTheme {
  std::string name;
};
struct AnswerApproval {
  std::string call_id, decision;  // "allow", "allow_session", "allow_pattern", "deny"
  std::string text;               // the pattern, or the reason that the model reads
};
// Asks app/ to load what a panel shows.
struct Load {
  std::string panel, key;
};
struct Notify {
  std::string text;
  bool is_error = false;
};
struct CopyText {
  std::string text;
};
struct InsertText {  // into the prompt editor
  std::string text;
};

using Effect = std::variant<SubmitPrompt, RunSlashCommand, OpenSession, RenameSession, DeleteSession, RewindTo,
                            ChooseModel, SaveSettings, ChooseTheme, AnswerApproval, Load, Notify, CopyText, InsertText>;
using Effects = std::vector<Effect>;

}  // namespace magi::code::tui
