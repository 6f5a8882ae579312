// Scripting and query languages.
#include <algorithm>

#include "tools/magi-code/tui/transcript/syntax/language.h"

namespace magi::code::tui::syntax {
namespace {

constexpr std::string_view kHash[] = {"#"};

constexpr std::string_view kPythonAliases[] = {"python", "py", "python3", "pyi", "starlark", "bazel"};
constexpr std::string_view kPythonExtensions[] = {"py", "pyi", "pyw", "bzl"};
constexpr Quote kPythonQuotes[] = {{"\"\"\"", "\"\"\"", true}, {"'''", "'''", true}, {"\"", "\""}, {"'", "'"}};
constexpr std::string_view kPythonKeywords[] = {
    "False",  "None",     "True",   "and",  "as",   "assert", "async",  "await",    "break", "case",
    "class",  "continue", "def",    "del",  "elif", "else",   "except", "finally",  "for",   "from",
    "global", "if",       "import", "in",   "is",   "lambda", "match",  "nonlocal", "not",   "or",
    "pass",   "raise",    "return", "self", "try",  "while",  "with",   "yield"};
constexpr std::string_view kPythonTypes[] = {"Any",  "bool",   "bytes", "dict", "float", "frozenset", "int",
                                             "list", "object", "set",   "str",  "tuple", "type"};

constexpr std::string_view kShellAliases[] = {"sh", "bash", "shell", "zsh", "console", "shell-session", "ksh", "fish"};
constexpr std::string_view kShellExtensions[] = {"sh", "bash", "zsh", "bats", "ksh", "profile", "bashrc"};
constexpr Quote kShellQuotes[] = {{"\"", "\"", true}, {"'", "'", true, false}, {"`", "`"}};
constexpr std::string_view kShellKeywords[] = {
    "alias",  "break", "case",  "cd",     "continue", "coproc",   "declare", "do",     "done", "echo",
    "elif",   "else",  "esac",  "eval",   "exec",     "exit",     "export",  "fi",     "for",  "function",
    "if",     "in",    "local", "printf", "read",     "readonly", "return",  "select", "set",  "shift",
    "source", "then",  "time",  "trap",   "unset",    "until",    "wait",    "while"};

constexpr std::string_view kSqlAliases[] = {"sql", "sqlite", "postgresql", "postgres", "mysql", "plsql"};
constexpr std::string_view kSqlExtensions[] = {"sql"};
constexpr std::string_view kDashes[] = {"--"};
constexpr Quote kSqlQuotes[] = {{"'", "'", true, false}, {"\"", "\"", false, false}, {"`", "`", false, false}};
constexpr std::string_view kSqlKeywords[] = {
    "add",       "all",     "alter",    "and",      "as",       "asc",       "begin",      "between",    "by",
    "cascade",   "case",    "check",    "column",   "commit",   "conflict",  "constraint", "create",     "cross",
    "database",  "default", "delete",   "desc",     "distinct", "do",        "drop",       "else",       "end",
    "except",    "exists",  "explain",  "false",    "foreign",  "from",      "full",       "function",   "grant",
    "group",     "having",  "if",       "in",       "index",    "inner",     "insert",     "intersect",  "into",
    "is",        "join",    "key",      "left",     "like",     "limit",     "not",        "null",       "offset",
    "on",        "or",      "order",    "outer",    "over",     "partition", "primary",    "references", "replace",
    "returning", "returns", "right",    "rollback", "select",   "set",       "table",      "then",       "transaction",
    "trigger",   "true",    "truncate", "union",    "unique",   "update",    "using",      "values",     "view",
    "when",      "where",   "with"};
constexpr std::string_view kSqlTypes[] = {"bigint", "blob",     "boolean", "char", "date",      "decimal", "double",
                                          "float",  "int",      "integer", "json", "jsonb",     "numeric", "real",
                                          "serial", "smallint", "text",    "time", "timestamp", "uuid",    "varchar"};

constexpr std::string_view kCmakeAliases[] = {"cmake"};
constexpr std::string_view kCmakeExtensions[] = {"cmake", "CMakeLists.txt"};
constexpr Quote kCmakeQuotes[] = {{"\"", "\"", true}};
constexpr std::string_view kCmakeKeywords[] = {
    "block",       "break", "continue", "else",     "elseif",  "endblock", "endforeach",
    "endfunction", "endif", "endmacro", "endwhile", "foreach", "function", "if",
    "include",     "macro", "option",   "return",   "set",     "unset",    "while"};
constexpr std::string_view kCmakeTypes[] = {
    "and", "cache",        "defined", "exists", "false",    "interface", "matches", "not",      "off",    "on",
    "or",  "parent_scope", "private", "public", "required", "shared",    "static",  "strequal", "target", "true"};

constexpr std::string_view kRubyAliases[] = {"ruby", "rb", "elixir", "perl", "lua"};
constexpr std::string_view kRubyExtensions[] = {"rb", "rake", "ex", "exs", "pl", "pm"};
constexpr Quote kRubyQuotes[] = {{"\"", "\"", true}, {"'", "'", true}};
constexpr std::string_view kRubyKeywords[] = {
    "alias", "and",    "begin", "break",  "case",     "class",  "def",   "defined", "do",     "else", "elsif",
    "end",   "ensure", "false", "for",    "function", "if",     "in",    "local",   "module", "my",   "next",
    "nil",   "not",    "or",    "our",    "redo",     "rescue", "retry", "return",  "self",   "sub",  "super",
    "then",  "true",   "undef", "unless", "until",    "use",    "when",  "while",   "yield"};

template <std::size_t N>
constexpr bool sorted(const std::string_view (&words)[N]) {
  return std::is_sorted(words, words + N);
}
static_assert(sorted(kPythonKeywords) && sorted(kPythonTypes) && sorted(kShellKeywords) && sorted(kSqlKeywords));
static_assert(sorted(kSqlTypes) && sorted(kCmakeKeywords) && sorted(kCmakeTypes) && sorted(kRubyKeywords));

constexpr Language kLanguages[] = {
    {"python", kPythonAliases, kPythonExtensions, kHash, "", "", kPythonQuotes, kPythonKeywords, kPythonTypes,
     kTypesAreCapital | kDecorators | kPrefixedStrings},
    {"shell",
     kShellAliases,
     kShellExtensions,
     kHash,
     "",
     "",
     kShellQuotes,
     kShellKeywords,
     {},
     kDollarNames | kHereDocuments | kWordComments | kDashNames | kKeyEquals},
    {"sql", kSqlAliases, kSqlExtensions, kDashes, "/*", "*/", kSqlQuotes, kSqlKeywords, kSqlTypes, kIgnoresCase},
    {"cmake", kCmakeAliases, kCmakeExtensions, kHash, "#[[", "]]", kCmakeQuotes, kCmakeKeywords, kCmakeTypes,
     kIgnoresCase | kDollarNames | kBracketStrings | kCallsAreKeywords},
    {"ruby",
     kRubyAliases,
     kRubyExtensions,
     kHash,
     "",
     "",
     kRubyQuotes,
     kRubyKeywords,
     {},
     kTypesAreCapital | kDecorators | kWordComments},
};

}  // namespace

Span<Language> script_languages() { return kLanguages; }

}  // namespace magi::code::tui::syntax
