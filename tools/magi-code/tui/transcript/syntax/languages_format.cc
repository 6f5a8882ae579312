// Formats of data and documents.
#include <algorithm>
#include <string>

#include "tools/magi-code/tui/transcript/syntax/language.h"

namespace magi::code::tui::syntax {
namespace {

constexpr std::string_view kHash[] = {"#"};
constexpr std::string_view kSlashes[] = {"//"};

constexpr std::string_view kJsonAliases[] = {"json", "jsonc", "json5", "jsonl", "ndjson"};
constexpr std::string_view kJsonExtensions[] = {"json", "jsonc", "jsonl", "json5", "ipynb", "webmanifest"};
constexpr Quote kJsonQuotes[] = {{"\"", "\""}};
constexpr std::string_view kJsonKeywords[] = {"false", "null", "true"};

constexpr std::string_view kTomlAliases[] = {"toml", "ini", "cfg", "conf", "properties", "editorconfig"};
constexpr std::string_view kTomlExtensions[] = {"toml", "ini", "cfg", "conf", "properties", "lock", "service"};
constexpr Quote kTomlQuotes[] = {
    {"\"\"\"", "\"\"\"", true}, {"'''", "'''", true, false}, {"\"", "\""}, {"'", "'", false, false}};
constexpr std::string_view kTomlKeywords[] = {"false", "inf", "nan", "true"};

constexpr std::string_view kCssAliases[] = {"css", "scss", "sass", "less"};
constexpr std::string_view kCssExtensions[] = {"css", "scss", "sass", "less"};
constexpr Quote kCssQuotes[] = {{"\"", "\""}, {"'", "'"}};
constexpr std::string_view kCssKeywords[] = {"auto", "important", "inherit", "initial", "none", "unset"};

constexpr std::string_view kYamlAliases[] = {"yaml", "yml"};
constexpr std::string_view kYamlExtensions[] = {"yaml", "yml"};
constexpr std::string_view kMarkupAliases[] = {"html", "xml", "svg", "xhtml", "vue", "svelte", "plist"};
constexpr std::string_view kMarkupExtensions[] = {"html", "htm",    "xml",   "svg", "xhtml",
                                                  "vue",  "svelte", "plist", "xsd"};
constexpr std::string_view kMarkdownAliases[] = {"markdown", "md", "mdx"};
constexpr std::string_view kMarkdownExtensions[] = {"md", "markdown", "mdx"};
constexpr std::string_view kDiffAliases[] = {"diff", "patch", "udiff"};
constexpr std::string_view kDiffExtensions[] = {"diff", "patch"};
constexpr std::string_view kMakeAliases[] = {"make", "makefile", "mk", "dockerfile", "docker"};
constexpr std::string_view kMakeExtensions[] = {"mk", "make", "Makefile", "makefile", "GNUmakefile", "Dockerfile"};

constexpr Language kLanguages[] = {
    {"json", kJsonAliases, kJsonExtensions, kSlashes, "/*", "*/", kJsonQuotes, kJsonKeywords, {}, kKeyColon},
    {"toml",
     kTomlAliases,
     kTomlExtensions,
     kHash,
     "",
     "",
     kTomlQuotes,
     kTomlKeywords,
     {},
     kSections | kKeyEquals | kWordComments | kDashNames},
    {"css",
     kCssAliases,
     kCssExtensions,
     kSlashes,
     "/*",
     "*/",
     kCssQuotes,
     kCssKeywords,
     {},
     kDashNames | kKeyColon | kHashColours | kAtKeywords},
    {"yaml", kYamlAliases, kYamlExtensions, {}, "", "", {}, {}, {}, 0, lex_yaml},
    {"html", kMarkupAliases, kMarkupExtensions, {}, "", "", {}, {}, {}, 0, lex_markup},
    {"markdown", kMarkdownAliases, kMarkdownExtensions, {}, "", "", {}, {}, {}, 0, lex_markdown},
    {"diff", kDiffAliases, kDiffExtensions, {}, "", "", {}, {}, {}, 0, lex_diff},
    {"make", kMakeAliases, kMakeExtensions, {}, "", "", {}, {}, {}, 0, lex_make},
};

bool contains(Words words, std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); }

std::string lowered(std::string_view text) {
  std::string out(text.substr(0, 64));
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

const Language* find_in(Span<Language> languages, std::string_view word, Words Language::*where) {
  for (const Language& language : languages)
    if (contains(language.*where, word)) return &language;
  return nullptr;
}

const Language* find_anywhere(std::string_view word, Words Language::*where) {
  if (const auto* found = find_in(c_languages(), word, where)) return found;
  if (const auto* found = find_in(script_languages(), word, where)) return found;
  return find_in(kLanguages, word, where);
}

}  // namespace

Span<Language> format_languages() { return kLanguages; }

std::string_view name_of(const Language& language) { return language.name; }

const Language* find_language(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? name : name.substr(slash + 1);
  if (const auto* found = find_anywhere(file, &Language::extensions); found && file.find('.') == 0) return found;
  const std::string word = lowered(name.substr(0, name.find_first_of(" ,{:")));
  if (word.empty()) return nullptr;
  if (const auto* found = find_anywhere(word, &Language::aliases)) return found;
  if (const auto* found = find_anywhere(file, &Language::extensions); found && file.size() > 6) return found;
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  return find_anywhere(lowered(file.substr(dot + 1)), &Language::extensions);
}

}  // namespace magi::code::tui::syntax
