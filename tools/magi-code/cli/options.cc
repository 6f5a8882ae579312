#include "tools/magi-code/cli/options.h"

namespace magi::code {
namespace {

void add_session_options(tool::Options& parser, Options& o) {
  parser.group("Session");
  parser.flag("-c,--continue", o.continue_latest, "go on with the latest session of this worktree")
      .conflicts_with({"--resume"});
  parser.optional_value("-r,--resume", o.resume, "ID", "go on with session ID");
  parser.flag("--fork", o.fork, "with -c or -r: go on in a copy, and leave the session as it is")
      .conflicts_with({"--no-session"});
  parser.flag("--no-session", o.no_session, "keep nothing on disk").conflicts_with({"--continue", "--resume"});
}

void add_model_options(tool::Options& parser, Options& o) {
  parser.group("Model");
  parser.option("--provider", o.provider, "NAME", "openai-codex, anthropic, openai, claude-subscription, openai-compatible, or a name from settings");
  parser.option("-m,--model", o.model, "NAME", "model to use");
  parser.option("--base-url", o.base_url, "URL", "address of the service; the provider's key is sent there");
  parser.option("-i,--image", o.images, "FILE", "attach an image to the prompt");
  parser.option("--system-prompt-file", o.system_prompt_file, "FILE", "use this file as the system prompt");
  parser.option("--append-system-prompt", o.append_system_prompt, "TEXT", "add TEXT to the system prompt");
}

void add_place_options(tool::Options& parser, Options& o) {
  parser.group("Place and permissions");
  parser.option("-C,--cd", o.cwd, "DIR", "work in DIR");
  std::vector<std::string>& dirs = o.add_dirs;
  parser.option("--add-dir", dirs, "DIR", "let the tools work in DIR too");
  parser.option("--permissions", o.permissions, "MODE", "workspace, ask, read-only or full")
      .choices({"workspace", "ask", "read-only", "full"});
  parser.option("--allow", o.allow, "RULE", "never ask for what RULE covers, such as 'bash(git diff *)'");
  parser.option("--tools", o.tools, "LIST", "offer only these tools, comma-separated").conflicts_with({"--no-tools"});
  parser.flag("--no-tools", o.no_tools, "offer no tools");
}

void add_run_options(tool::Options& parser, Options& o) {
  parser.group("Limits and output");
  parser.option("--max-turns", o.max_turns, "N", "stop after N requests to the model");
  parser.option("--max-tokens-total", o.max_tokens_total, "N", "stop once N tokens were used");
  parser.option("--timeout", o.timeout_s, "S", "stop after S seconds").range(1, 10'000'000);
  parser.option("-o,--output-last-message", o.output_last_message, "FILE", "write the last answer to FILE");
  parser.flag("--json", o.json, "write the run as JSON Lines");
  parser.flag("--control", o.control, "take actions as JSON Lines on stdin").needs("--json");
  parser.flag("--stdin", o.use_stdin, "wait for stdin and put it before the prompt")
      .conflicts_with({"--no-stdin", "--control"});
  parser.flag("--no-stdin", o.no_stdin, "never read stdin").conflicts_with({"--control"});
  parser.option("--set", o.overlay, "KEY=VALUE", "override a setting for this run");
  parser.flag("--verify", o.verify, "compare memory with a fresh replay before each request");
  parser.flag("-q,--quiet", o.quiet, "print nothing but the answer and errors").conflicts_with({"--verbose"});
  parser.flag("-v,--verbose", o.verbose, "print reasoning and results too");
}

}  // namespace

std::optional<int> parse_options(tool::OptionParser& parser, int argc, const char* const* argv, Options& o) {
  parser.group("Prompt");
  parser.option("-p,--print", o.print, "TEXT", "run one prompt and print the answer; -: the prompt is on stdin");
  parser.option("--prompt", o.prompt, "TEXT", "first prompt of a conversation").conflicts_with({"--print"});
  add_session_options(parser, o);
  add_model_options(parser, o);
  add_place_options(parser, o);
  add_run_options(parser, o);

  auto& request = parser.subcommand("request", "print the next request as a conversation stream, without sending it");
  request.operand("ID", o.session_operand, "session to look at; none: a new one");
  request.option("--prompt", o.prompt, "TEXT", "the input to come");
  SessionsCommands sessions(parser, o.sessions);
  RewindCommands rewind(parser, o.rewind);
  auto& models = parser.subcommand("models", "list the models that the provider offers");
  models.option("--provider", o.provider, "NAME", "ask this one");
  models.option("--base-url", o.base_url, "URL", "address of the service");
  auto& demo = parser.subcommand("demo", "watch a scripted run; needs neither key nor network");
  demo.option("--dir", o.demo_folder, "DIR", "make the scratch repository here");
  auto& doctor = parser.subcommand("doctor", "check the installation and look for model servers");
  auto& trust = parser.subcommand("trust", "trust what this project's settings ask for: hooks, servers, permissions");
  trust.flag("--show", o.trust_show, "print it, and trust nothing");
  trust.flag("--revoke", o.trust_revoke, "trust it no longer").conflicts_with({"--show"});
  auto& completion = parser.subcommand("completion", "print the completion script of a shell");
  completion.operand("SHELL", o.shell_operand, "bash, zsh or fish").required().choices({"bash", "zsh", "fish"});
  parser.epilogue("Without -p or a subcommand a conversation opens on the terminal.\n");

  if (const auto status = parser.parse(argc, argv)) return status;
  using Command = Options::Command;
  if (request.chosen())
    o.command = Command::kRequest;
  else if (sessions.take_verb())
    o.command = Command::kSessions;
  else if (rewind.changes_chosen())
    o.command = Command::kChanges;
  else if (rewind.rewind_chosen())
    o.command = Command::kRewind;
  else if (models.chosen())
    o.command = Command::kModels;
  else if (demo.chosen())
    o.command = Command::kDemo;
  else if (doctor.chosen())
    o.command = Command::kDoctor;
  else if (trust.chosen())
    o.command = Command::kTrust;
  else if (completion.chosen())
    o.command = Command::kCompletion;
  return std::nullopt;
}

}  // namespace magi::code
