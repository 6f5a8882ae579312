// What the interface wants done and cannot do itself: views and reducers are pure, app/ carries effects out, away from
// the interface's thread, and answers with events.
#pragma once

#include <cstdint>
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
// One change of a settings document: a key as print_key_path() writes it, its value as JSON text; empty: unset.
struct SettingEdit {
  std::string key, value_json;

  bool operator==(const SettingEdit&) const = default;
};
// load/carry_out.h does it: everything is checked and written, or nothing.  Scope "global" or "project".
struct SaveSettings {
  std::string scope;
  std::string seen;  // the digest of the document that the edits were made on: a later change by others is refused
  std::vector<SettingEdit> edits;
};
// A review comment on the worktree's diff; load/carry_out.h does it and answers with the new comments.
struct EditComment {
  enum class Kind { kAdd, kChange, kResolve, kReopen, kDelete } kind = Kind::kAdd;
  std::string id;          // of all but kAdd
  std::string path, side;  // of kAdd: as in review::Anchor
  std::int64_t line = 0;
  std::string quoted;
  std::vector<std::string> before, after;
  std::string text;  // of kAdd and kChange
};
struct ChooseTheme {
  std::string name;
};
struct AnswerApproval {
  std::string call_id, decision;  // "allow", "allow_session", "allow_pattern", "deny"
  std::string text;               // the pattern, or the reason that the model reads
};
// Asks app/ to load what a panel shows: load/load.h does it away from the interface's thread, and the answer goes to
// Panel::take().
struct Load {
  std::string panel, key;
};
struct OpenPanel {  // in the place of the one that says so; see panels.h
  std::string name, arguments;
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

using Effect =
    std::variant<SubmitPrompt, RunSlashCommand, OpenSession, RenameSession, DeleteSession, RewindTo, ChooseModel,
                 SaveSettings, EditComment, ChooseTheme, AnswerApproval, Load, OpenPanel, Notify, CopyText, InsertText>;
using Effects = std::vector<Effect>;

}  // namespace magi::code::tui
