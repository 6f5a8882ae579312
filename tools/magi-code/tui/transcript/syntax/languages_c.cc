// Languages of C's kind.
#include <algorithm>

#include "tools/magi-code/tui/transcript/syntax/language.h"

namespace magi::code::tui::syntax {
namespace {

constexpr std::string_view kSlashes[] = {"//"};
constexpr Quote kPlainQuotes[] = {{"\"", "\""}, {"'", "'"}};

constexpr std::string_view kCppAliases[] = {"c", "cpp", "c++", "cc", "cxx", "h", "hpp", "objc", "objective-c", "cuda"};
constexpr std::string_view kCppExtensions[] = {"c",   "cc",  "cpp", "cxx", "h",  "hh",
                                               "hpp", "hxx", "m",   "mm",  "cu", "inl"};
constexpr std::string_view kCppKeywords[] = {"alignas",
                                             "alignof",
                                             "asm",
                                             "auto",
                                             "break",
                                             "case",
                                             "catch",
                                             "class",
                                             "co_await",
                                             "co_return",
                                             "co_yield",
                                             "concept",
                                             "const",
                                             "const_cast",
                                             "consteval",
                                             "constexpr",
                                             "constinit",
                                             "continue",
                                             "decltype",
                                             "default",
                                             "delete",
                                             "do",
                                             "dynamic_cast",
                                             "else",
                                             "enum",
                                             "explicit",
                                             "export",
                                             "extern",
                                             "false",
                                             "final",
                                             "for",
                                             "friend",
                                             "goto",
                                             "if",
                                             "inline",
                                             "mutable",
                                             "namespace",
                                             "new",
                                             "noexcept",
                                             "nullptr",
                                             "operator",
                                             "override",
                                             "private",
                                             "protected",
                                             "public",
                                             "register",
                                             "reinterpret_cast",
                                             "requires",
                                             "restrict",
                                             "return",
                                             "sizeof",
                                             "static",
                                             "static_assert",
                                             "static_cast",
                                             "struct",
                                             "switch",
                                             "template",
                                             "this",
                                             "thread_local",
                                             "throw",
                                             "true",
                                             "try",
                                             "typedef",
                                             "typeid",
                                             "typename",
                                             "union",
                                             "using",
                                             "virtual",
                                             "volatile",
                                             "while"};
constexpr std::string_view kCppTypes[] = {
    "FILE",    "bool",    "char",     "char16_t", "char32_t", "char8_t", "double",    "float",     "int",   "int16_t",
    "int32_t", "int64_t", "int8_t",   "intptr_t", "long",     "off_t",   "pid_t",     "ptrdiff_t", "short", "signed",
    "size_t",  "ssize_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uintptr_t", "unsigned",  "void",  "wchar_t"};

constexpr std::string_view kRustAliases[] = {"rust", "rs"};
constexpr std::string_view kRustExtensions[] = {"rs"};
constexpr Quote kRustQuotes[] = {{"\"", "\"", true}, {"'", "'"}};
constexpr std::string_view kRustKeywords[] = {
    "Self",  "as",     "async", "await", "break", "const",  "continue", "crate", "dyn",    "else",
    "enum",  "extern", "false", "fn",    "for",   "if",     "impl",     "in",    "let",    "loop",
    "match", "mod",    "move",  "mut",   "pub",   "ref",    "return",   "self",  "static", "struct",
    "super", "trait",  "true",  "type",  "union", "unsafe", "use",      "where", "while",  "yield"};
constexpr std::string_view kRustTypes[] = {"bool",  "char", "f32",  "f64", "i128", "i16", "i32", "i64",  "i8",
                                           "isize", "str",  "u128", "u16", "u32",  "u64", "u8",  "usize"};

constexpr std::string_view kGoAliases[] = {"go", "golang"};
constexpr std::string_view kGoExtensions[] = {"go"};
constexpr Quote kGoQuotes[] = {{"`", "`", true, false}, {"\"", "\""}, {"'", "'"}};
constexpr std::string_view kGoKeywords[] = {
    "break",   "case",  "chan",   "const",  "continue", "default", "defer",     "else", "fallthrough", "false",
    "for",     "func",  "go",     "goto",   "if",       "import",  "interface", "iota", "map",         "nil",
    "package", "range", "return", "select", "struct",   "switch",  "true",      "type", "var"};
constexpr std::string_view kGoTypes[] = {"any",     "bool", "byte",   "complex128", "complex64", "error", "float32",
                                         "float64", "int",  "int16",  "int32",      "int64",     "int8",  "rune",
                                         "string",  "uint", "uint16", "uint32",     "uint64",    "uint8", "uintptr"};

constexpr std::string_view kScriptAliases[] = {"javascript", "js", "jsx", "mjs", "typescript", "ts", "tsx", "node"};
constexpr std::string_view kScriptExtensions[] = {"js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"};
constexpr Quote kScriptQuotes[] = {{"`", "`", true}, {"\"", "\""}, {"'", "'"}};
constexpr std::string_view kScriptKeywords[] = {
    "abstract",  "as",       "async",     "await",      "break",     "case",      "catch",  "class",    "const",
    "continue",  "debugger", "declare",   "default",    "delete",    "do",        "else",   "enum",     "export",
    "extends",   "false",    "finally",   "for",        "from",      "function",  "get",    "if",       "implements",
    "import",    "in",       "infer",     "instanceof", "interface", "is",        "keyof",  "let",      "namespace",
    "new",       "null",     "of",        "override",   "private",   "protected", "public", "readonly", "return",
    "satisfies", "set",      "static",    "super",      "switch",    "this",      "throw",  "true",     "try",
    "type",      "typeof",   "undefined", "using",      "var",       "while",     "with",   "yield"};
constexpr std::string_view kScriptTypes[] = {"any",    "bigint", "boolean", "never",   "number",
                                             "object", "string", "symbol",  "unknown", "void"};

constexpr std::string_view kJavaAliases[] = {"java", "kotlin", "kt", "scala"};
constexpr std::string_view kJavaExtensions[] = {"java", "kt", "kts", "scala"};
constexpr Quote kJavaQuotes[] = {{"\"\"\"", "\"\"\"", true}, {"\"", "\""}, {"'", "'"}};
constexpr std::string_view kJavaKeywords[] = {
    "abstract",  "assert",  "break",     "case",         "catch",      "class",  "const",    "continue",
    "default",   "do",      "else",      "enum",         "extends",    "false",  "final",    "finally",
    "for",       "fun",     "goto",      "if",           "implements", "import", "in",       "instanceof",
    "interface", "is",      "native",    "new",          "null",       "object", "override", "package",
    "permits",   "private", "protected", "public",       "record",     "return", "sealed",   "static",
    "strictfp",  "super",   "switch",    "synchronized", "this",       "throw",  "throws",   "transient",
    "true",      "try",     "val",       "var",          "volatile",   "when",   "while",    "yield"};
constexpr std::string_view kJavaTypes[] = {"boolean", "byte", "char",  "double", "float",
                                           "int",     "long", "short", "void"};

constexpr std::string_view kSharpAliases[] = {"csharp", "cs", "c#"};
constexpr std::string_view kSharpExtensions[] = {"cs"};
constexpr Quote kSharpQuotes[] = {
    {"\"\"\"", "\"\"\"", true, false}, {"@\"", "\"", true, false}, {"\"", "\""}, {"'", "'"}};
constexpr std::string_view kSharpKeywords[] = {
    "abstract",  "as",       "async",    "await",    "base",      "break",    "case",    "catch",   "checked",
    "class",     "const",    "continue", "default",  "delegate",  "do",       "else",    "enum",    "event",
    "explicit",  "extern",   "false",    "finally",  "fixed",     "for",      "foreach", "get",     "goto",
    "if",        "implicit", "in",       "init",     "interface", "internal", "is",      "lock",    "nameof",
    "namespace", "new",      "null",     "operator", "out",       "override", "params",  "private", "protected",
    "public",    "readonly", "record",   "ref",      "return",    "sealed",   "set",     "sizeof",  "stackalloc",
    "static",    "struct",   "switch",   "this",     "throw",     "true",     "try",     "typeof",  "unchecked",
    "unsafe",    "using",    "value",    "var",      "virtual",   "volatile", "when",    "where",   "while",
    "with",      "yield"};
constexpr std::string_view kSharpTypes[] = {"bool",  "byte",   "char", "decimal", "double", "dynamic",
                                            "float", "int",    "long", "nint",    "object", "sbyte",
                                            "short", "string", "uint", "ulong",   "ushort", "void"};

template <std::size_t N>
constexpr bool sorted(const std::string_view (&words)[N]) {
  return std::is_sorted(words, words + N);
}
static_assert(sorted(kCppKeywords) && sorted(kCppTypes) && sorted(kRustKeywords) && sorted(kRustTypes));
static_assert(sorted(kGoKeywords) && sorted(kGoTypes) && sorted(kScriptKeywords) && sorted(kScriptTypes));
static_assert(sorted(kJavaKeywords) && sorted(kJavaTypes) && sorted(kSharpKeywords) && sorted(kSharpTypes));

constexpr Language kLanguages[] = {
    {"cpp", kCppAliases, kCppExtensions, kSlashes, "/*", "*/", kPlainQuotes, kCppKeywords, kCppTypes,
     kPreprocessor | kCppRaw | kTypesAreCapital},
    {"rust", kRustAliases, kRustExtensions, kSlashes, "/*", "*/", kRustQuotes, kRustKeywords, kRustTypes,
     kNestedComments | kTypesAreCapital | kLifetimes | kRustRaw},
    {"go", kGoAliases, kGoExtensions, kSlashes, "/*", "*/", kGoQuotes, kGoKeywords, kGoTypes},
    {"typescript", kScriptAliases, kScriptExtensions, kSlashes, "/*", "*/", kScriptQuotes, kScriptKeywords,
     kScriptTypes, kTypesAreCapital | kDecorators},
    {"java", kJavaAliases, kJavaExtensions, kSlashes, "/*", "*/", kJavaQuotes, kJavaKeywords, kJavaTypes,
     kTypesAreCapital | kDecorators},
    {"csharp", kSharpAliases, kSharpExtensions, kSlashes, "/*", "*/", kSharpQuotes, kSharpKeywords, kSharpTypes,
     kTypesAreCapital | kPreprocessor},
};

}  // namespace

Span<Language> c_languages() { return kLanguages; }

}  // namespace magi::code::tui::syntax
