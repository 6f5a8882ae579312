#include "libcommon/tool/help.h"

#include <algorithm>

namespace magi::tool {

struct Help {
  std::string text;

  static std::string with_value(const Option& option, std::string names) {
    using Arity = Option::Arity;
    if (option.arity_ == Arity::kFlag) return names;
    const bool is_long = names.ends_with(option.names_.back()) && option.names_.back().starts_with("--");
    if (option.arity_ == Arity::kOptionalValue) return names + (is_long ? "[=" : " [") + option.placeholder_ + "]";
    return names + " " + option.placeholder_;
  }

  // "  -m, --model NAME"; long names stand in one column.
  static std::string left(const Option& option) {
    if (option.is_operand()) return "  " + option.placeholder_;
    std::string names = option.names_.front().starts_with("--") ? "      " : "  ";
    for (const std::string& name : option.names_) names += (&name == &option.names_.front() ? "" : ", ") + name;
    return with_value(option, std::move(names));
  }

  static std::string right(const Option& option) {
    std::string help = option.help_;
    if (option.choices_.empty()) return help;
    help += help.empty() ? "" : ": ";
    for (const std::string& choice : option.choices_)
      help += (&choice == &option.choices_.front() ? "" : ", ") + choice;
    return help;
  }

  void usage(const Options& command) {
    text += "Usage: " + command.full_name();
    text += " [OPTION]...";
    for (const Option& option : command.options_) {
      if (!option.is_operand() || option.hidden_) continue;
      std::string shown = option.placeholder_;
      if (option.arity_ == Option::Arity::kMany) shown += "...";
      text += option.required_ ? " " + shown : " [" + shown + "]";
    }
    text += "\n";
    if (!command.subcommands_.empty()) text += "       " + command.full_name() + " SUBCOMMAND [OPTION]...\n";
    text += command.description_ + "\n";
  }

  void line(const std::string& left_column, const std::string& right_column) {
    constexpr std::size_t kColumn = 30, kWidth = 100;
    text += left_column;
    std::size_t at = left_column.size();
    std::string_view rest = right_column;
    while (!rest.empty()) {
      if (at + 2 > kColumn) text += '\n', at = 0;
      text.append(kColumn - at, ' ');
      std::size_t end = rest.size();
      if (end > kWidth - kColumn) {
        end = rest.rfind(' ', kWidth - kColumn);
        if (end == std::string_view::npos) end = std::min(rest.find(' '), rest.size());
      }
      text += rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      at = kWidth;
    }
    text += '\n';
  }

  void section(const Options& command, std::string_view group, bool operands) {
    bool first = true;
    for (const Option& option : command.options_) {
      if (option.hidden_ || option.is_operand() != operands || (!operands && option.group_ != group)) continue;
      if (first) text += "\n" + std::string(operands ? "Operands" : group.empty() ? "Options" : group) + ":\n";
      first = false;
      line(left(option), right(option));
    }
  }

  void command(const Options& command) {
    usage(command);
    section(command, {}, true);
    if (!command.subcommands_.empty()) text += "\nSubcommands:\n";
    for (const auto& child : command.subcommands_) line("  " + child->name_, child->description_);
    std::vector<std::string_view> groups;
    for (const Option& option : command.options_)
      if (std::find(groups.begin(), groups.end(), option.group_) == groups.end() && option.group_ != kCommonGroup)
        groups.push_back(option.group_);
    for (const std::string_view group : groups) section(command, group, false);
    section(command, kCommonGroup, false);
    if (!command.epilogue_.empty()) text += "\n" + command.epilogue_;
  }
};

std::string help_text(const Options& command) {
  Help help;
  help.command(command);
  return help.text;
}

}  // namespace magi::tool
