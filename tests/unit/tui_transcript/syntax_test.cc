#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tools/magi-code/tui/transcript/syntax/lexer.h"

namespace magi::code::tui::syntax {
namespace {

std::string role_name(Role role) {
  switch (role) {
    case Role::kKeyword: return "keyword";
    case Role::kString: return "string";
    case Role::kNumber: return "number";
    case Role::kComment: return "comment";
    case Role::kType: return "type";
    case Role::kFunction: return "function";
    case Role::kHeading: return "heading";
    case Role::kAdded: return "added";
    case Role::kRemoved: return "removed";
    case Role::kAccent: return "accent";
    case Role::kQuote: return "quote";
    default: return "other";
  }
}

// "keyword:int function:main ..." for all lines of a text.
std::string coloured(std::string_view language_name, std::string_view text) {
  const Language* const language = find_language(language_name);
  if (!language) return "no such language";
  State state;
  std::string out;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    std::vector<Token> tokens;
    lex_line(*language, state, line, tokens);
    for (const Token& token : tokens)
      out += (out.empty() ? "" : " ") + role_name(token.role) + ":" +
             std::string(line.substr(token.begin, token.end - token.begin));
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  return out;
}

TEST(Syntax, Cpp) {
  EXPECT_EQ(
      coloured("c++",
               "#include <vector>\nint main() { return 0x1F'ff; } // done\n/* a\nb */ auto s = R\"x(\")\")x\"; Foo f;"),
      "keyword:#include string:<vector> type:int function:main keyword:return number:0x1F'ff comment:// done "
      "comment:/* a comment:b */ keyword:auto string:R\"x(\")\")x\" type:Foo");
}

TEST(Syntax, Rust) {
  EXPECT_EQ(coloured("rs", "fn f(c: &'a char) { let s = r#\"a\"b\"#; let c = 'x'; /* a /* b */ c */ }"),
            "keyword:fn function:f type:'a type:char keyword:let string:r#\"a\"b\"# keyword:let string:'x' "
            "comment:/* a /* b */ c */");
}

TEST(Syntax, Go) {
  EXPECT_EQ(coloured("go", "func main() {\n\ts := `raw\n\\`\n\tvar n int = 1.5e-3\n}"),
            "keyword:func function:main string:`raw string:\\` keyword:var type:int number:1.5e-3");
}

TEST(Syntax, Python) {
  EXPECT_EQ(
      coloured("py",
               "@dataclass\ndef f(x: int):  # note\n    \"\"\"doc\n    more\"\"\"\n    return r\"\\d\" + 'a\\'b'"),
      "function:@dataclass keyword:def function:f type:int comment:# note string:\"\"\"doc string:    more\"\"\" "
      "keyword:return string:\"\\d\" string:'a\\'b'");
}

TEST(Syntax, TypeScript) {
  EXPECT_EQ(coloured("ts", "const x: string = `a ${b}\nc`; // t\nclass Foo {}"),
            "keyword:const type:string string:`a ${b} string:c` comment:// t keyword:class type:Foo");
}

TEST(Syntax, JavaAndCSharp) {
  EXPECT_EQ(coloured("java", "public class A1b { int x = 3; String s = \"\"\"\nblock\"\"\"; }"),
            "keyword:public keyword:class type:A1b type:int number:3 type:String string:\"\"\" string:block\"\"\"");
  EXPECT_EQ(coloured("cs", "var s = @\"c:\\x\"; string t;"), "keyword:var string:@\"c:\\x\" type:string");
}

TEST(Syntax, Shell) {
  EXPECT_EQ(
      coloured("bash", "FOO=1 # note\nfor f in $HOME/*; do echo \"${f}\"; done\ncat <<'EOF' >x#y\nif $a\nEOF\ntrue"),
      "type:FOO number:1 comment:# note keyword:for keyword:in type:$HOME keyword:do keyword:echo string:\"${f}\" "
      "keyword:done keyword:<<'EOF' string:if $a keyword:EOF");
}

TEST(Syntax, Formats) {
  EXPECT_EQ(coloured("json", "{\"a\": [1, \"b\", true]}"), "type:\"a\" number:1 string:\"b\" keyword:true");
  EXPECT_EQ(coloured("yaml", "a: 1 # c\n- b: \"x\"\n- true\n---"),
            "type:a number:1 comment:# c type:b string:\"x\" keyword:true heading:---");
  EXPECT_EQ(coloured("toml", "[a.b]\nkey = \"v\" # c\nn = 2"),
            "heading:[a.b] type:key string:\"v\" comment:# c type:n number:2");
  EXPECT_EQ(coloured("sql", "SELECT a FROM t WHERE x = 'it' -- c"),
            "keyword:SELECT keyword:FROM keyword:WHERE string:'it' comment:-- c");
  EXPECT_EQ(coloured("html", "<!-- a\nb --><p class=\"x\">t &amp; u</p>"),
            "comment:<!-- a comment:b --> keyword:p type:class string:\"x\" number:&amp; keyword:p");
  EXPECT_EQ(coloured("css", "a { color: #fff; } /* c */ @media x"),
            "type:color number:#fff comment:/* c */ keyword:@media");
  EXPECT_EQ(coloured("md", "# H\n- a `c`\n```\nx\n```"),
            "heading:# H keyword:- string:`c` comment:``` string:x comment:```");
  EXPECT_EQ(coloured("diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z"),
            "heading:--- a heading:+++ b accent:@@ -1 +1 @@ removed:-x added:+y");
  EXPECT_EQ(coloured("make", "CC = gcc\nall: x\n\techo $@\n# c\nifdef A\n"),
            "type:CC  function:all keyword:echo type:$@ comment:# c keyword:ifdef");
  EXPECT_EQ(coloured("cmake", "add_library(x STATIC ${Y}) # c\nif(A)"),
            "function:add_library type:STATIC type:${Y} comment:# c keyword:if");
}

TEST(Syntax, LanguagesAreFoundByFenceAndFile) {
  for (const std::string_view name :
       {"src/a.cc", "rust,ignore", "CMakeLists.txt", "x/Makefile", "TS", "python {.x}", "c#", "a.yml"})
    EXPECT_NE(find_language(name), nullptr) << name;
  for (const std::string_view name : {"", "brainfuck", "a.unknown", "README"})
    EXPECT_EQ(find_language(name), nullptr) << name;
}

// Tokens are in order, within the line and apart, whatever the bytes; and lexing ends.
TEST(Syntax, AnyBytesInAnyLanguage) {
  const char* const names[] = {"c++",  "rs",  "go",   "py",  "ts", "java", "cs",   "bash",  "json", "yaml",
                               "toml", "sql", "html", "css", "md", "diff", "make", "cmake", "rb"};
  const std::string alphabet = "abR\"'`#/*\\-<>![]{}()=:.$@0129 \t\xc3\xa9\xff%&|;+_r";
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    for (const char* name : names) {
      const Language* const language = find_language(name);
      ASSERT_NE(language, nullptr) << name;
      State state;
      for (int i = 0; i < 8; ++i) {
        std::string line;
        for (int k = std::uniform_int_distribution<int>(0, 40)(random); k > 0; --k)
          line += alphabet[std::uniform_int_distribution<std::size_t>(0, alphabet.size() - 1)(random)];
        std::vector<Token> tokens;
        lex_line(*language, state, line, tokens);
        std::uint32_t at = 0;
        for (const Token& token : tokens) {
          ASSERT_LE(at, token.begin) << name << " seed " << seed << ": " << line;
          ASSERT_LT(token.begin, token.end);
          ASSERT_LE(token.end, line.size());
          at = token.end;
        }
      }
    }
  }
}

}  // namespace
}  // namespace magi::code::tui::syntax
