// The command line of an executable, described once: parsing, --help and shell completion come from the same
// definitions.  CLI11 splits the arguments (options.cc is the only file that includes it); values, messages and help
// are ours.
//
//     tool::OptionParser parser("magi-x", "Do one thing.");
//     parser.flag("-q,--quiet", quiet, "say nothing");
//     parser.option("--limit", limit, "N", "stop after N records").range(1, 1000);
//     parser.operand("FILE", file, "session file");
//     if (const auto status = parser.parse(argc, argv)) return *status;
//
// Every command line has -h/--help, --version and --home DIR, and a hidden --completion SHELL that the build uses.  A
// wrong one is exit 2 with one line on stderr that names the option.  An option given twice: the last counts, unless it
// is repeatable.  An empty value is refused unless allow_empty() is said.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/error.h"

namespace magi::tool {

// One option or operand.  References returned by Options stay valid for the parser's life.
class Option {
 public:
  enum class Arity { kFlag, kOne, kOptionalValue, kMany };
  // Stores the values and returns "", or says why a value is wrong ("'x' is not ...").
  using Assign = std::function<std::string(const Option&, const std::vector<std::string>&)>;

  // Bounds of a whole number, both included.
  Option& range(std::int64_t least, std::int64_t most) {
    least_ = least;
    most_ = most;
    return *this;
  }
  Option& choices(std::vector<std::string> allowed) {
    choices_ = std::move(allowed);
    return *this;
  }
  Option& conflicts_with(std::initializer_list<std::string> long_names) {
    conflicts_ = long_names;
    return *this;
  }
  Option& needs(std::string long_name) {
    needs_ = std::move(long_name);
    return *this;
  }
  // An operand that must be given.
  Option& required() {
    required_ = true;
    return *this;
  }
  Option& allow_empty() {
    allow_empty_ = true;
    return *this;
  }
  // Internal use: accepted, but neither in --help nor completed.
  Option& hidden() {
    hidden_ = true;
    return *this;
  }

  // "--model", or "-m" where there is no long name; an operand's placeholder.
  std::string name() const;
  bool has_name(std::string_view name) const;
  bool is_operand() const { return names_.empty(); }

 private:
  friend class Options;
  friend class OptionParser;
  friend struct Parse;
  friend struct Help;
  friend struct Completion;
  friend std::string assign_integer(const Option&, const std::vector<std::string>&, std::int64_t&);

  std::vector<std::string> names_;  // "-m", "--model"
  std::string placeholder_, help_, group_;
  Arity arity_ = Arity::kFlag;
  std::int64_t least_ = 1, most_ = INT64_MAX;
  std::vector<std::string> choices_, conflicts_;
  std::string needs_;
  bool required_ = false, allow_empty_ = false, hidden_ = false;
  Assign assign_;
  bool given_ = false;
};

class OptionParser;

// The options, operands and subcommands of one command.  `names` is "-m,--model"; a placeholder FILE or DIR makes the
// shell complete paths.  Targets must outlive parse(); they are untouched where the option is not given.
class Options {
 public:
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // Heading in --help for the options that follow.
  void group(std::string_view title) { group_ = title; }

  Option& flag(std::string_view names, bool& target, std::string_view help);
  Option& option(std::string_view names, std::string& target, std::string_view placeholder, std::string_view help);
  Option& option(std::string_view names, std::optional<std::string>& target, std::string_view placeholder,
                 std::string_view help);
  // Repeatable.
  Option& option(std::string_view names, std::vector<std::string>& target, std::string_view placeholder,
                 std::string_view help);
  // A whole number, by default from 1.
  Option& option(std::string_view names, std::int64_t& target, std::string_view placeholder, std::string_view help);
  Option& option(std::string_view names, std::optional<std::int64_t>& target, std::string_view placeholder,
                 std::string_view help);
  // With or without a value; without one the target becomes an empty string.
  Option& optional_value(std::string_view names, std::optional<std::string>& target, std::string_view placeholder,
                         std::string_view help);

  // Operands are filled in the order of their definition; a list takes all that are left and stands last.
  Option& operand(std::string_view placeholder, std::optional<std::string>& target, std::string_view help);
  Option& operand(std::string_view placeholder, std::vector<std::string>& target, std::string_view help);

  // A subcommand with options of its own; the reference stays valid for the parser's life.
  Options& subcommand(std::string_view name, std::string_view description);
  // After parse(): this (sub)command was named on the command line.
  bool chosen() const { return chosen_; }
  // After parse(): the option with this name ("--model") was given.
  bool given(std::string_view name) const;

  // The command alone does nothing: one of its subcommands must be named.
  void require_subcommand() { subcommand_required_ = true; }

  // Text behind the options in --help; lines end with LF.
  void epilogue(std::string_view text) { epilogue_ = text; }

 protected:
  Options(std::string_view name, std::string_view description, Options* parent);
  void add_common(OptionParser& root);
  const std::string& executable() const { return name_; }

 private:
  friend struct Parse;
  friend struct Help;
  friend struct Completion;
  Option& add(std::string_view names, Option::Arity arity, std::string_view placeholder, std::string_view help,
              Option::Assign assign);
  // "magi-code sessions list"
  std::string full_name() const;

  std::string name_, description_, epilogue_, group_;
  Options* parent_;
  std::deque<Option> options_;
  std::vector<std::unique_ptr<Options>> subcommands_;
  bool chosen_ = false, help_ = false, subcommand_required_ = false;
};

class OptionParser : public Options {
 public:
  // `name` is the executable's, `description` one sentence for --help.
  OptionParser(std::string_view name, std::string_view description);

  // Nothing where the caller should run; else the exit status, with help, version or the error already printed.
  [[nodiscard]] std::optional<int> parse(int argc, const char* const* argv);

  // After parse() gave kExitUsage: what it printed.
  const std::optional<Error>& wrong() const { return wrong_; }
  // After parse(): the value of --home, absolute.
  const std::optional<std::string>& home() const { return home_; }

  // The completion script for "bash", "zsh" or "fish"; nothing for another shell.
  std::optional<std::string> completion(std::string_view shell) const;
  // What --help prints for this command.
  std::string help() const;

 private:
  friend class Options;
  std::optional<std::string> home_, completion_shell_;
  std::optional<Error> wrong_;
  bool version_ = false;
};

}  // namespace magi::tool
