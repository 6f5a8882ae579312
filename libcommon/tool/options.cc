#include "libcommon/tool/options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include "libcommon/config/environment.h"
#include "libcommon/tool/help.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"

namespace magi::tool {
namespace {

Error usage(std::string_view name, std::string_view why) {
  return make_error(ErrorCode::kUsage, name, ": ", why);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

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
const std::string kNoValue(1, '\0');   // stands for the value of an optional-value option given without one
const std::string kNotAList(1, '\0');  // behind an operand like "[a,b]", which CLI11 would split at its commas

}  // namespace

std::string assign_integer(const Option& option, const std::vector<std::string>& values, std::int64_t& target) {
  const std::string& text = values.back();
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure == std::errc{} && stop == end && value >= option.least_ && value <= option.most_) {
    target = value;
    return {};
  }
  std::string why = magi::quoted(text) + " is not a whole number from " + std::to_string(option.least_);
  why += option.most_ == INT64_MAX ? std::string(" up") : " to " + std::to_string(option.most_);
  return why;
}

// One reading of a command line: CLI11 objects built from the definitions, then values and rules checked here.
struct Parse {
  OptionParser& parser;
  CLI::App app;
  std::vector<std::pair<Option*, CLI::Option*>> bound;
  std::vector<std::pair<Options*, CLI::App*>> commands;

  explicit Parse(OptionParser& owner) : parser(owner) { build(owner, app); }

  void build(Options& command, CLI::App& target) {
    target.set_help_flag();
    commands.emplace_back(&command, &target);
    for (Option& option : command.options_) bound.emplace_back(&option, bind(option, target));
    for (const auto& child : command.subcommands_) build(*child, *target.add_subcommand(child->name_));
  }

  static CLI::Option* bind(const Option& option, CLI::App& target) {
    using Arity = Option::Arity;
    std::string names = option.is_operand() ? option.placeholder_ : std::string();
    for (const std::string& name : option.names_) names += (names.empty() ? "" : ",") + name;
    CLI::Option* const made = option.arity_ == Arity::kFlag ? target.add_flag(names)
                                                            : target.add_option(names, CLI::callback_t());
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
        arguments[i] += (name.size() > 2 ? "=" : "") + kNoValue;
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
    return std::any_of(bound.begin(), bound.end(), [&](const auto& pair) {
      return pair.first->arity_ == arity && pair.first->has_name(name);
    });
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
          return make_error(ErrorCode::kUsage, "unknown option ", magi::quoted(argument.substr(0, argument.find('='))));
        const auto& options = command->options_;
        const bool wants_subcommand =
            !command->subcommands_.empty() && target->get_subcommands().empty() &&
            std::none_of(options.begin(), options.end(), [](const Option& option) { return option.is_operand(); });
        return make_error(ErrorCode::kUsage, wants_subcommand ? "unknown subcommand " : "unexpected operand ", magi::quoted(argument));
      }
    }
    return make_error(ErrorCode::kUsage, "unexpected argument");
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
        if (value == kNoValue || (value.starts_with('[') && value.ends_with("]" + kNotAList))) value.pop_back();
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
        if (option.required_ && !option.given_) return make_error(ErrorCode::kUsage, "operand ", option.name(), " is missing");
        if (!option.given_) continue;
        for (const std::string& other : option.conflicts_)
          if (command->given(other)) return usage(option.name(), "cannot be used together with " + other);
        if (!option.needs_.empty() && !command->given(option.needs_)) return usage(option.name(), "needs " + option.needs_);
      }
      if (command->subcommand_required_ && target->get_subcommands().empty()) return missing_subcommand(*command);
    }
    return std::nullopt;
  }

  static Error missing_subcommand(const Options& command) {
    std::string names;
    for (const auto& child : command.subcommands_) names += (names.empty() ? "" : ", ") + child->name_;
    return make_error(ErrorCode::kUsage, command.parent_ ? command.name_ + ": " : std::string(), "needs a subcommand: ", names);
  }

  const Options* asked_for_help() const {
    for (const auto& [command, target] : commands)
      if (command->chosen_ && command->help_) return command;
    return nullptr;
  }
};

std::string Option::name() const { return names_.empty() ? placeholder_ : names_.back(); }
bool Option::has_name(std::string_view name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

Options::Options(std::string_view name, std::string_view description, Options* parent)
    : name_(name), description_(description), parent_(parent) {}
Options::~Options() = default;

Option& Options::add(std::string_view names, Option::Arity arity, std::string_view placeholder, std::string_view help,
                     Option::Assign assign) {
  Option& option = options_.emplace_back();
  option.names_ = split(names, ',');
  option.arity_ = arity;
  option.placeholder_ = placeholder;
  option.help_ = help;
  option.group_ = group_;
  option.assign_ = std::move(assign);
  return option;
}

Option& Options::flag(std::string_view names, bool& target, std::string_view help) {
  return add(names, Option::Arity::kFlag, "", help, [&target](const Option&, const auto&) {
    target = true;
    return std::string();
  });
}

namespace {

template <class Target>
Option::Assign store_last(Target& target) {
  return [&target](const Option&, const std::vector<std::string>& values) {
    target = values.back();
    return std::string();
  };
}

Option::Assign store_all(std::vector<std::string>& target) {
  return [&target](const Option&, const std::vector<std::string>& values) {
    target = values;
    return std::string();
  };
}

template <class Target>
Option::Assign store_integer(Target& target) {
  return [&target](const Option& option, const std::vector<std::string>& values) {
    std::int64_t value = 0;
    std::string why = assign_integer(option, values, value);
    if (why.empty()) target = value;
    return why;
  };
}

}  // namespace

Option& Options::option(std::string_view names, std::string& target, std::string_view placeholder, std::string_view help) {
  return add(names, Option::Arity::kOne, placeholder, help, store_last(target));
}
Option& Options::option(std::string_view names, std::optional<std::string>& target, std::string_view placeholder,
                        std::string_view help) {
  return add(names, Option::Arity::kOne, placeholder, help, store_last(target));
}
Option& Options::option(std::string_view names, std::vector<std::string>& target, std::string_view placeholder,
                        std::string_view help) {
  return add(names, Option::Arity::kMany, placeholder, help, store_all(target));
}
Option& Options::option(std::string_view names, std::int64_t& target, std::string_view placeholder, std::string_view help) {
  return add(names, Option::Arity::kOne, placeholder, help, store_integer(target));
}
Option& Options::option(std::string_view names, std::optional<std::int64_t>& target, std::string_view placeholder,
                        std::string_view help) {
  return add(names, Option::Arity::kOne, placeholder, help, store_integer(target));
}
Option& Options::optional_value(std::string_view names, std::optional<std::string>& target, std::string_view placeholder,
                                std::string_view help) {
  return add(names, Option::Arity::kOptionalValue, placeholder, help, store_last(target));
}
Option& Options::operand(std::string_view placeholder, std::optional<std::string>& target, std::string_view help) {
  return add("", Option::Arity::kOne, placeholder, help, store_last(target));
}
Option& Options::operand(std::string_view placeholder, std::vector<std::string>& target, std::string_view help) {
  return add("", Option::Arity::kMany, placeholder, help, store_all(target));
}

Options& Options::subcommand(std::string_view name, std::string_view description) {
  Options* root = this;
  while (root->parent_) root = root->parent_;
  auto child = std::unique_ptr<Options>(new Options(name, description, this));
  child->add_common(*static_cast<OptionParser*>(root));
  return *subcommands_.emplace_back(std::move(child));
}

void Options::add_common(OptionParser& root) {
  group_ = kCommonGroup;
  flag("-h,--help", help_, "print this help");
  if (!parent_) flag("--version", root.version_, "print the version");
  option("--home", root.home_, "DIR", "home of sessions and settings, instead of $MC_HOME or ~/.magi-code");
  group_.clear();
}

bool Options::given(std::string_view name) const {
  return std::any_of(options_.begin(), options_.end(), [&](const Option& option) {
    return option.given_ && option.has_name(name);
  });
}

std::string Options::full_name() const { return parent_ ? parent_->full_name() + " " + name_ : name_; }

OptionParser::OptionParser(std::string_view name, std::string_view description) : Options(name, description, nullptr) {
  add_common(*this);
}

std::optional<int> OptionParser::parse(int argc, const char* const* argv) {
  Parse parsing(*this);
  std::optional<Error> wrong = parsing.split_arguments(argc, argv);
  if (!wrong) {
    parsing.mark();
    wrong = parsing.assign();
  }
  std::string text;
  if (!wrong && version_) text = executable() + " " MAGI_VERSION "\n";
  const Options* const helped = wrong ? nullptr : parsing.asked_for_help();
  if (helped) text = help_text(*helped);
  if (!text.empty()) {
    Stdout out;
    out.buffer() = std::move(text);
    const auto written = out.flush();
    return written ? kExitOk : report(executable(), written.error());
  }
  if (!wrong) wrong = parsing.check_rules();
  if (!wrong && home_) {
    auto absolute = config::Environment().state_home(home_);
    if (absolute) home_ = *std::move(absolute);
    else wrong = std::move(absolute.error());
  }
  if (!wrong) return std::nullopt;
  return report(executable(), *wrong);
}

std::string OptionParser::help() const { return help_text(*this); }

}  // namespace magi::tool
