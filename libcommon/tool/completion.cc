#include "libcommon/tool/completion.h"

#include <vector>

namespace magi::tool {
namespace {

// In single quotes, for all three shells.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : separator).append(word);
  return out;
}

}  // namespace

// One script being written; each shell has its part below.
struct Completion {
  std::string out;

  static bool takes_value(const Option& option) { return option.arity_ != Option::Arity::kFlag; }
  static bool is_file(const Option& option) { return option.placeholder_ == "FILE"; }
  static bool is_folder(const Option& option) { return option.placeholder_ == "DIR"; }

  static std::vector<std::string> option_names(const Options& command) {
    std::vector<std::string> names;
    for (const Option& option : command.options_)
      if (!option.hidden_) names.insert(names.end(), option.names_.begin(), option.names_.end());
    return names;
  }
  static std::vector<std::string> subcommand_names(const Options& command) {
    std::vector<std::string> names;
    for (const auto& child : command.subcommands_) names.push_back(child->name_);
    return names;
  }
  static bool has_file_operand(const Options& command) {
    for (const Option& option : command.options_)
      if (option.is_operand() && (is_file(option) || is_folder(option))) return true;
    return false;
  }
  // " sessions list": how a command is known inside the scripts; empty for the executable itself.
  static std::string path(const Options& command) {
    return command.parent_ ? path(*command.parent_) + " " + command.name_ : std::string();
  }
  static std::string function_name(const Options& command) {
    std::string name = "_" + command.full_name();
    for (char& c : name)
      if (c == '-' || c == ' ') c = '_';
    return name;
  }
  template <class Visit>
  static void for_each_command(const Options& command, const Visit& visit) {
    visit(command);
    for (const auto& child : command.subcommands_) for_each_command(*child, visit);
  }

  void bash(const Options& root) {
    const std::string function = function_name(root);
    out += "# bash completion for " + root.name_ + "\n" + function + "() {\n" +
           "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= i\n"
           "  if [[ $cur == '=' ]]; then cur=\n"
           "  elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
           "  for ((i = 1; i < COMP_CWORD; i++)); do\n    case \"$command ${COMP_WORDS[i]}\" in\n";
    for_each_command(root, [&](const Options& command) {
      if (command.parent_)
        out += "      " + in_quotes(path(command)) + ") command=" + in_quotes(path(command)) + " ;;\n";
    });
    out += "      *) ;;\n    esac\n  done\n  case \"$command $prev\" in\n";
    for_each_command(root, [&](const Options& command) { bash_values(command); });
    out += "    *) ;;\n  esac\n  case \"$command\" in\n";
    for_each_command(root, [&](const Options& command) { bash_words(command); });
    out += "  esac\n}\ncomplete -F " + function + " " + root.name_ + "\n";
  }

  void bash_values(const Options& command) {
    for (const Option& option : command.options_) {
      if (option.hidden_ || option.is_operand() || !takes_value(option)) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names_) patterns.push_back(in_quotes(path(command) + " " + name));
      std::string action = "COMPREPLY=()";
      if (!option.choices_.empty())
        action = bash_reply("-W " + in_quotes(joined(option.choices_, " ")));
      else if (is_file(option))
        action = bash_reply("-f");
      else if (is_folder(option))
        action = bash_reply("-d");
      out += "    " + joined(patterns, " | ") + ") " + action + "; return ;;\n";
    }
  }

  static std::string bash_reply(const std::string& what) {
    return "mapfile -t COMPREPLY < <(compgen " + what + " -- \"$cur\")";
  }

  void bash_words(const Options& command) {
    out += "    " + in_quotes(path(command)) + ")\n      if [[ $cur == -* ]]; then " +
           bash_reply("-W " + in_quotes(joined(option_names(command), " "))) + "\n";
    if (!command.subcommands_.empty())
      out += "      else " + bash_reply("-W " + in_quotes(joined(subcommand_names(command), " "))) + "\n";
    else if (has_file_operand(command))
      out += "      else " + bash_reply("-f") + "\n";
    out += "      fi ;;\n";
  }

  void zsh(const Options& root) {
    out += "#compdef " + root.name_ + "\n\n";
    for_each_command(root, [&](const Options& command) { zsh_function(command); });
    // Autoloaded from a file, which is named after the executable, or sourced.
    out += "if [ \"$funcstack[1]\" = " + in_quotes("_" + root.name_) + " ]; then\n  " + function_name(root) +
           " \"$@\"\nelse\n  compdef " + function_name(root) + " " + root.name_ + "\nfi\n";
  }

  void zsh_function(const Options& command) {
    out += function_name(command) + "() {\n  local curcontext=$curcontext state line\n  _arguments -C -s -S";
    for (const Option& option : command.options_)
      if (!option.hidden_) out += " \\\n    " + zsh_spec(option);
    if (command.subcommands_.empty()) {
      out += "\n}\n\n";
      return;
    }
    std::string names;
    for (const auto& child : command.subcommands_)
      names += " " + child->name_ + "\\:" + in_quotes_twice(child->description_);
    out += " \\\n    '1:subcommand:((" + names.substr(1) +
           "))' \\\n    '*::argument:->rest'\n  case $state in\n    rest)\n      case $words[1] in\n";
    for (const auto& child : command.subcommands_)
      out += "        " + child->name_ + ") " + function_name(*child) + " ;;\n";
    out += "      esac ;;\n  esac\n}\n\n";
  }

  static std::string in_quotes_twice(std::string_view text) {
    std::string out = "\"";
    for (const char c : text)
      if (c != '"' && c != '\'' && c != '\\' && c != '$' && c != '`') out += c;
    return out + "\"";
  }

  // Brackets and colons end the parts of a specification.
  static std::string zsh_plain(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      if (c == '\'') out += "'\\'";
      out += c;
    }
    return out;
  }

  static std::string zsh_spec(const Option& option) {
    std::string action;
    if (!option.choices_.empty())
      action = "(" + joined(option.choices_, " ") + ")";
    else if (is_file(option))
      action = "_files";
    else if (is_folder(option))
      action = "_files -/";
    const bool optional = option.arity_ == Option::Arity::kOptionalValue;
    if (option.is_operand())
      return "'" + std::string(option.arity_ == Option::Arity::kMany ? "*" : "") + ":" +
             zsh_plain(option.placeholder_) + ":" + action + "'";
    const std::string value = takes_value(option)
                                  ? std::string(optional ? "::" : ":") + zsh_plain(option.placeholder_) + ":" + action
                                  : std::string();
    const std::string help = "[" + zsh_plain(option.help_) + "]" + value + "'";
    if (option.arity_ == Option::Arity::kMany) {
      std::string specs;
      for (const std::string& name : option.names_) specs += (specs.empty() ? "'*" : " '*") + name + help;
      return specs;
    }
    if (option.names_.size() == 1) return "'" + option.names_.front() + help;
    return "'(" + joined(option.names_, " ") + ")'{" + joined(option.names_, ",") + "}'" + help;
  }

  void fish(const Options& root) {
    out += "# fish completion for " + root.name_ + "\n";
    for_each_command(root, [&](const Options& command) {
      const std::string where = "complete -c " + root.name_ + " -n " + in_quotes(fish_condition(command));
      if (!has_file_operand(command)) out += where + " -f\n";
      for (const auto& child : command.subcommands_)
        out += where + " -a " + child->name_ + " -d " + in_quotes(child->description_) + "\n";
      for (const Option& option : command.options_)
        if (!option.hidden_ && !option.is_operand()) out += where + fish_option(option) + "\n";
    });
  }

  // The command line names this command and none of its subcommands.
  static std::string fish_condition(const Options& command) {
    std::string condition;
    for (const Options* at = &command; at->parent_; at = at->parent_)
      condition = "__fish_seen_subcommand_from " + at->name_ + (condition.empty() ? "" : "; and " + condition);
    if (command.subcommands_.empty()) return condition.empty() ? "true" : condition;
    return condition + (condition.empty() ? "not" : "; and not") + " __fish_seen_subcommand_from " +
           joined(subcommand_names(command), " ");
  }

  static std::string fish_option(const Option& option) {
    std::string text;
    for (const std::string& name : option.names_)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.arity_ == Option::Arity::kOne || option.arity_ == Option::Arity::kMany) {
      if (!option.choices_.empty())
        text += " -x -a " + in_quotes(joined(option.choices_, " "));
      else if (is_folder(option))
        text += " -x -a '(__fish_complete_directories)'";
      else
        text += is_file(option) ? " -r -F" : " -x";
    }
    return text + " -d " + in_quotes(option.help_);
  }
};

std::optional<std::string> completion_script(const Options& command, std::string_view shell) {
  Completion completion;
  if (shell == "bash")
    completion.bash(command);
  else if (shell == "zsh")
    completion.zsh(command);
  else if (shell == "fish")
    completion.fish(command);
  else
    return std::nullopt;
  return completion.out;
}

}  // namespace magi::tool
