#include <algorithm>
#include <charconv>

#include "libcommon/base/error.h"
#include "libcommon/tool/completion.h"
#include "libcommon/tool/help.h"
#include "libcommon/tool/options.h"

namespace magi::tool {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

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
  if (option.least_ == 1 && option.most_ == INT64_MAX) return magi::quoted(text) + " is not a positive whole number";
  return magi::quoted(text) + " is not a whole number from " + std::to_string(option.least_) + " to " +
         std::to_string(option.most_);
}

std::string Option::name() const { return names_.empty() ? placeholder_ : names_.back(); }
bool Option::has_name(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

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

Option& Options::option(std::string_view names, std::string& target, std::string_view placeholder,
                        std::string_view help) {
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
Option& Options::option(std::string_view names, std::int64_t& target, std::string_view placeholder,
                        std::string_view help) {
  return add(names, Option::Arity::kOne, placeholder, help, store_integer(target));
}
Option& Options::option(std::string_view names, std::optional<std::int64_t>& target, std::string_view placeholder,
                        std::string_view help) {
  return add(names, Option::Arity::kOne, placeholder, help, store_integer(target));
}
Option& Options::optional_value(std::string_view names, std::optional<std::string>& target,
                                std::string_view placeholder, std::string_view help) {
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
  if (!parent_)
    option("--completion", root.completion_shell_, "SHELL", "print the completion script")
        .choices({"bash", "zsh", "fish"})
        .hidden();
  option("--home", root.home_, "DIR", "home of sessions and settings, instead of $MC_HOME or ~/.magi-code");
  group_.clear();
}

bool Options::given(std::string_view name) const {
  return std::any_of(options_.begin(), options_.end(),
                     [&](const Option& option) { return option.given_ && option.has_name(name); });
}

std::string Options::full_name() const { return parent_ ? parent_->full_name() + " " + name_ : name_; }

OptionParser::OptionParser(std::string_view name, std::string_view description) : Options(name, description, nullptr) {
  add_common(*this);
}

std::string OptionParser::help() const { return help_text(*this); }

std::optional<std::string> OptionParser::completion(std::string_view shell) const {
  return completion_script(*this, shell);
}

}  // namespace magi::tool
