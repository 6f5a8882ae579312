#include "libcommon/tool/options.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "libcommon/base/nearest.h"
#include "libcommon/config/environment.h"
#include "libcommon/tool/help.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"

namespace magi::tool {
namespace {

Error usage(std::string_view name, std::string_view why) { return make_error(ErrorCode::kUsage, name, ": ", why); }

// CLI11 reads "--name=" as if the value stood in the next argument, and would swallow that one.
std::optional<Error> empty_assignment(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.size() > 3 && argument.starts_with("--") && argument.find_first_of("= ") == argument.size() - 1)
      return usage(argument.substr(0, argument.size() - 1), "needs a value");
  }
  return std::nullopt;
}

// An argument cannot hold NUL, so these cannot be mistaken for something that the user typed.
constexpr std::string_view kNoValue("\0", 1);   // stands for the value of an optional-value option given without one
constexpr std::string_view kNotAList("\0", 1);  // behind an operand like "[a,b]", which CLI11 would split at its commas

}  // namespace

// One reading of a command line: CLI11 objects built from the definitions, then values and rules checked here.
struct Parse {
  OptionParser& parser;
  CLI::App app;
  std::vector<std::pair<Option*, CLI::Option*>> bound;
  std::vector<std::pair<Options*, CLI::App*>> commands;

  Parse(OptionParser& owner, int argc, const char* const* argv) : parser(owner) {
    build(owner, app, {argv + std::min(argc, 1), argv + argc});
  }

  // A subcommand that no argument names cannot be meant; telling CLI11 of all of them takes longer than all else at the
  // start of magi-code.
  void build(Options& command, CLI::App& target, const std::vector<std::string_view>& arguments) {
    target.set_help_flag();
    commands.emplace_back(&command, &target);
    int operands = 0;
    for (Option& option : command.options_) bound.emplace_back(&option, bind(option, target, operands));
    for (const auto& child : command.subcommands_)
      if (std::find(arguments.begin(), arguments.end(), child->name_) != arguments.end())
        build(*child, *target.add_subcommand(child->name_), arguments);
  }

  static CLI::Option* bind(const Option& option, CLI::App& target, int& operands) {
    using Arity = Option::Arity;
    std::string names = option.is_operand() ? "operand" + std::to_string(++operands) : std::string();
    for (const std::string& name : option.names_) names += (names.empty() ? "" : ",") + name;
    CLI::Option* const made =
        option.arity_ == Arity::kFlag ? target.add_flag(names) : target.add_option(names, CLI::callback_t());
    made->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (option.arity_ == Arity::kFlag) made->disable_flag_override();
    made->allow_extra_args(option.is_operand() && option.arity_ == Arity::kMany);
    return made;
  }

  // CLI11's own optional values eat a "--" that follows; it is given a value in every case instead.
  void complete_optional_values(std::vector<std::string>& arguments) const {
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
      const bool value_follows =
          i + 1 < arguments.size() && (arguments[i + 1].size() < 2 || arguments[i + 1][0] != '-');
      if (value_follows) continue;
      if (const std::string name = trailing_optional_value(arguments[i]); !name.empty())
        arguments[i].append(name.size() > 2 ? "=" : "").append(kNoValue);
    }
  }

  // The name of the optional-value option that `argument` ends with: "--resume", "-r", or "-qr" with flags before it.
  std::string trailing_optional_value(const std::string& argument) const {
    if (argument.size() < 2 || argument[0] != '-') return {};
    if (argument[1] == '-') return has_arity(argument, Option::Arity::kOptionalValue) ? argument : std::string();
    for (std::size_t i = 1; i + 1 < argument.size(); ++i)
      if (!has_arity({'-', argument[i]}, Option::Arity::kFlag)) return {};
    std::string last{'-', argument.back()};
    return has_arity(last, Option::Arity::kOptionalValue) ? last : std::string();
  }

  bool has_arity(const std::string& name, Option::Arity arity) const {
    return std::any_of(bound.begin(), bound.end(),
                       [&](const auto& pair) { return pair.first->arity_ == arity && pair.first->has_name(name); });
  }

  std::optional<Error> split_arguments(int argc, const char* const* argv) {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (auto wrong = empty_assignment(arguments)) return wrong;
    complete_optional_values(arguments);
    for (std::string& argument : arguments)
      if (argument.starts_with('[') && argument.ends_with(']')) argument += kNotAList;
    std::reverse(arguments.begin(), arguments.end());
    try {
      app.parse(std::move(arguments));
    } catch (const CLI::ExtrasError&) {
      return unexpected();
    } catch (const CLI::ArgumentMismatch& mismatch) {
      const std::string_view what = mismatch.what();
      if (what.find("flag override") != std::string_view::npos)
        return usage("--" + std::string(what.substr(0, what.find(' '))), "takes no value");
      return usage(what.substr(0, what.find(':')), "needs a value");
    } catch (const CLI::ParseError& other) {
      return make_error(ErrorCode::kUsage, other.what());
    }
    return std::nullopt;
  }

  Error unexpected() const {
    for (const auto& [command, target] : commands) {
      for (const std::string& argument : target->remaining()) {
        if (argument == "--") continue;
        if (argument.size() > 1 && argument[0] == '-')
          return unknown("option", argument.substr(0, argument[1] == '-' ? argument.find('=') : argument.npos),
                         names_of_options(*command));
        const auto& options = command->options_;
        const bool wants_subcommand =
            !command->subcommands_.empty() && target->get_subcommands().empty() &&
            std::none_of(options.begin(), options.end(), [](const Option& option) { return option.is_operand(); });
        if (wants_subcommand) return unknown("subcommand", argument, names_of_subcommands(*command));
        return make_error(ErrorCode::kUsage, "unexpected operand ", magi::quoted(argument));
      }
    }
    return make_error(ErrorCode::kUsage, "unexpected argument");
  }

  static Error unknown(std::string_view what, const std::string& argument, const std::vector<std::string_view>& known) {
    Error error = make_error(ErrorCode::kUsage, "unknown ", what, " ", magi::quoted(argument));
    const std::string_view meant = argument.size() > 2 ? nearest(argument, known) : std::string_view();
    if (!meant.empty()) error.what.append(" (did you mean ").append(meant).append("?)");
    return error;
  }

  static std::vector<std::string_view> names_of_options(const Options& command) {
    std::vector<std::string_view> names;
    for (const Option& option : command.options_)
      if (!option.hidden_) names.insert(names.end(), option.names_.begin(), option.names_.end());
    return names;
  }

  static std::vector<std::string_view> names_of_subcommands(const Options& command) {
    std::vector<std::string_view> names;
    for (const auto& child : command.subcommands_) names.push_back(child->name_);
    return names;
  }

  void mark() {
    for (const auto& [command, target] : commands) command->chosen_ = command->parent_ == nullptr || target->parsed();
    for (const auto& [option, source] : bound) option->given_ = source->count() > 0;
  }

  std::optional<Error> assign() {
    for (const auto& [option, source] : bound) {
      if (!option->given_) continue;
      std::vector<std::string> values = source->results();
      for (std::string& value : values)
        if (value == kNoValue || (value.starts_with('[') && value.ends_with(kNotAList))) value.pop_back();
      std::string why = refusal(*option, values);
      if (why.empty()) why = option->assign_(*option, values);
      if (!why.empty()) return usage(option->name(), why);
    }
    return std::nullopt;
  }

  std::string refusal(const Option& option, const std::vector<std::string>& values) const {
    if (option.arity_ == Option::Arity::kFlag) return {};
    for (const std::string& value : values) {
      if (value.empty() && !option.allow_empty_ && option.arity_ != Option::Arity::kOptionalValue)
        return option.is_operand() ? "is empty" : "needs a value";
      if (!option.is_operand() && (is_option_name(value) || value.ends_with(kNoValue))) return "needs a value";
      const auto& allowed = option.choices_;
      if (allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end()) continue;
      std::string why = magi::quoted(value) + " is not one of ";
      for (const std::string& choice : allowed) why += (&choice == &allowed.front() ? "" : ", ") + choice;
      return why;
    }
    return {};
  }

  // A long one: "-" and what follows may well be meant as text.
  bool is_option_name(const std::string& text) const {
    return text.starts_with("--") &&
           std::any_of(bound.begin(), bound.end(), [&](const auto& pair) { return pair.first->has_name(text); });
  }

  std::optional<Error> check_rules() const {
    for (const auto& [command, target] : commands) {
      if (!command->chosen_) continue;
      for (const Option& option : command->options_) {
        if (option.required_ && !option.given_)
          return make_error(ErrorCode::kUsage, "operand ", option.name(), " is missing");
        if (!option.given_) continue;
        for (const std::string& other : option.conflicts_)
          if (command->given(other)) return usage(option.name(), "cannot be used together with " + other);
        if (!option.needs_.empty() && !command->given(option.needs_))
          return usage(option.name(), "needs " + option.needs_);
      }
      if (command->subcommand_required_ && target->get_subcommands().empty()) return missing_subcommand(*command);
    }
    return std::nullopt;
  }

  static Error missing_subcommand(const Options& command) {
    std::string names;
    for (const auto& child : command.subcommands_) names += (names.empty() ? "" : ", ") + child->name_;
    return make_error(ErrorCode::kUsage, command.parent_ ? command.name_ + ": " : std::string(),
                      "needs a subcommand: ", names);
  }

  const Options* asked_for_help() const {
    for (const auto& [command, target] : commands)
      if (command->chosen_ && command->help_) return command;
    return nullptr;
  }
};

std::optional<int> OptionParser::parse(int argc, const char* const* argv) {
  Parse parsing(*this, argc, argv);
  std::optional<Error> wrong = parsing.split_arguments(argc, argv);
  if (!wrong) {
    parsing.mark();
    wrong = parsing.assign();
  }
  std::string text;
  if (!wrong && version_) text = executable() + " " MAGI_VERSION "\n";
  const Options* const helped = wrong ? nullptr : parsing.asked_for_help();
  if (helped) text = help_text(*helped);
  if (completion_shell_ && !wrong) text = *completion(*completion_shell_);
  if (!text.empty()) {
    Stdout out;
    out.buffer() = std::move(text);
    const auto written = out.flush();
    return written ? kExitOk : report(executable(), written.error());
  }
  if (!wrong) wrong = parsing.check_rules();
  if (!wrong && home_) {
    auto absolute = config::Environment().state_home(home_);
    if (absolute)
      home_ = *std::move(absolute);
    else
      wrong = std::move(absolute.error());
  }
  if (!wrong) return std::nullopt;
  wrong_ = std::move(wrong);
  return report(executable(), *wrong_);
}

}  // namespace magi::tool
