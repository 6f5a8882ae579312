#include "tools/magi-code/permit/rule.h"

#include <gtest/gtest.h>

#include <random>

namespace magi::code::permit {
namespace {

constexpr const char* kRoot = "/work/project";

bool covers(const std::string& rule, Subject::Kind kind, const std::string& what, const std::string& tool = "bash") {
  const auto parsed = Rule::parse(rule, kRoot);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().what;
    return false;
  }
  return parsed->covers({kind, tool, what});
}
bool runs(const std::string& rule, const std::string& command) {
  return covers(rule, Subject::Kind::kCommand, command);
}

struct Row {
  const char* rule;
  const char* command;
};

TEST(RuleTest, SEC_07_OnlyPlainGitDiffIsAllowed) {
  for (const char* rule : {"bash(git diff)", "bash(git diff *)"}) {
    EXPECT_TRUE(runs(rule, "git diff"));
    EXPECT_TRUE(runs(rule, "  git\tdiff  "));
    EXPECT_TRUE(runs(rule, "'git' \"diff\""));
    for (const char* other : {"git diff; id",
                              "git diff\nid",
                              "git diff $(id)",
                              "git diff <(id)",
                              "git -c core.pager=id diff",
                              "git diff --ext-diff",
                              "X=1 git diff",
                              "git diff | sh",
                              "git diff && id",
                              "git diff & id",
                              "git diff > f",
                              "git diff `id`",
                              "git diff --ext",
                              "git diff --textconv",
                              "git diff\rid",
                              "git difftool",
                              "git diffx",
                              "gitdiff",
                              "git",
                              "command git diff",
                              "sudo git diff",
                              "./git diff",
                              "git --exec-path=/tmp diff",
                              "git -C /tmp diff",
                              "git --git-dir=/tmp/x diff",
                              "git -p diff",
                              "git --paginate diff",
                              "git --config-env=core.pager=X diff",
                              "! git diff",
                              "time git diff",
                              "{ git diff",
                              "(git diff)",
                              "git diff #x",
                              "git diff ~/x",
                              "git diff $HOME",
                              "git diff ${x}",
                              "git diff {a,b}",
                              "git diff 'a",
                              "git diff \\",
                              "git diff \\\nid",
                              "PATH=/tmp git diff",
                              "git+=x diff",
                              "git diff --output=/tmp/x",
                              "git diff --outp /tmp/x"})
      EXPECT_FALSE(runs(rule, other)) << rule << " on " << other;
  }
  EXPECT_FALSE(runs("bash(git diff)", "git diff --stat"));
  EXPECT_TRUE(runs("bash(git diff *)", "git diff --stat -- src/*.cc"));
}

// Programs that run other programs, each by an option or by what they are.
constexpr Row kRefused[] = {
    {"bash(git *)", "git -c alias.x=!id x"},
    {"bash(git *)", "git x"},
    {"bash(git *)", "git config alias.x '!id'"},
    {"bash(git *)", "git -C /tmp status"},
    {"bash(git *)", "git --exec-path=. status"},
    {"bash(git *)", "git clone -u id h:r"},
    {"bash(git *)", "git clone --upload-pack=id h:r"},
    {"bash(git *)", "git clone --upload-pa id h:r"},
    {"bash(git *)", "git clone -c core.fsmonitor=id h:r"},
    {"bash(git *)", "git clone --template=/tmp/t r"},
    {"bash(git *)", "git clone ext::id"},
    {"bash(git *)", "git fetch --upload-pack id o"},
    {"bash(git *)", "git push --receive-pack=id o"},
    {"bash(git *)", "git ls-remote --exec=id o"},
    {"bash(git *)", "git rebase -x id HEAD"},
    {"bash(git *)", "git rebase --exec id HEAD"},
    {"bash(git *)", "git rebase -i HEAD~1 --ex id"},
    {"bash(git *)", "git grep -Oid x"},
    {"bash(git *)", "git grep -nO x"},
    {"bash(git *)", "git grep --open-files-in-pager=id x"},
    {"bash(git *)", "git bisect run id"},
    {"bash(git *)", "git submodule foreach id"},
    {"bash(git *)", "git difftool -x id"},
    {"bash(git *)", "git mergetool"},
    {"bash(git *)", "git filter-branch --tree-filter id"},
    {"bash(git *)", "git send-email --smtp-server=/bin/id x"},
    {"bash(git *)", "git archive --remote=. --exec=id HEAD"},
    {"bash(git log *)", "git log --ext-diff -p"},
    {"bash(git log *)", "git log --output=/etc/x"},
    {"bash(find *)", "find . -exec id ;"},
    {"bash(find *)", "find . -exec id '{}' +"},
    {"bash(find *)", "find . -execdir id +"},
    {"bash(find *)", "find . -ok id +"},
    {"bash(find *)", "find . -delete"},
    {"bash(find *)", "find . -fprintf /tmp/x a"},
    {"bash(fd *)", "fd -x id"},
    {"bash(fd *)", "fd -HX id"},
    {"bash(fd *)", "fd --exec id"},
    {"bash(rg *)", "rg --pre id x"},
    {"bash(rg *)", "rg --pre=id x"},
    {"bash(rg *)", "rg --hostname-bin id x"},
    {"bash(tar *)", "tar xf a.tar --to-command=id"},
    {"bash(tar *)", "tar xf a.tar --checkpoint-action=exec=id"},
    {"bash(tar *)", "tar -I id -xf a.tar"},
    {"bash(tar *)", "tar xIf id a.tar"},
    {"bash(tar *)", "tar --use-compress-program id -xf a"},
    {"bash(tar *)", "tar --use-compress id -xf a"},
    {"bash(rsync *)", "rsync -e id a b"},
    {"bash(rsync *)", "rsync -ave id a b"},
    {"bash(rsync *)", "rsync --rsh=id a b"},
    {"bash(sort *)", "sort --compress-program=id x"},
    {"bash(sort *)", "sort -o /etc/passwd x"},
    {"bash(split *)", "split --filter=id x"},
    {"bash(zip *)", "zip -T x.zip -TT id"},
    {"bash(man *)", "man -P id ls"},
    {"bash(man *)", "man --pager=id ls"},
    {"bash(env *)", "env id"},
    {"bash(sudo *)", "sudo id"},
    {"bash(xargs *)", "xargs id"},
    {"bash(timeout *)", "timeout 1 id"},
    {"bash(timeout 60 *)", "timeout 60 id"},
    {"bash(nice *)", "nice id"},
    {"bash(nohup *)", "nohup id"},
    {"bash(ssh *)", "ssh h id"},
    {"bash(ssh host *)", "ssh host id"},
    {"bash(eval *)", "eval id"},
    {"bash(exec *)", "exec id"},
    {"bash(source *)", "source x"},
    {"bash(. *)", ". x"},
    {"bash(command *)", "command id"},
    {"bash(docker *)", "docker run x"},
    {"bash(vim *)", "vim -c '!id'"},
    {"bash(sed *)", "sed 1eid f"},
    {"bash(awk *)", "awk 'BEGIN{system(\"id\")}'"},
    {"bash(bash *)", "bash -c id"},
    {"bash(bash -c *)", "bash -c id"},
    {"bash(sh *)", "sh x.sh"},
    {"bash(python3 *)", "python3 -c 'import os'"},
    {"bash(python3 -c *)", "python3 -c 'import os'"},
    {"bash(python3 -m *)", "python3 -m http.server"},
    {"bash(node *)", "node -e 1"},
    {"bash(perl *)", "perl -e 1"},
    {"bash(/usr/bin/env *)", "/usr/bin/env id"},
    {"bash(/usr/bin/git *)", "/usr/bin/git -c x=y log"},
    {"bash(make *)", "make SHELL=/tmp/x"},
    {"bash(make *)", "make -f /tmp/Makefile"},
    {"bash(make *)", "make --eval='x:;id'"},
    {"bash(make *)", "make -C /tmp"},
    {"bash(make *)", "make -kC/tmp"},
    {"bash(npm *)", "npm exec id"},
    {"bash(npm *)", "npm x id"},
    {"bash(npm *)", "npm config set script-shell id"},
    {"bash(npm *)", "npm test --script-shell=id"},
    {"bash(npm *)", "npm --prefix /tmp test"},
    {"bash(npx *)", "npx evil"},
    {"bash(cargo *)", "cargo --config build.rustc=id build"},
    {"bash(go *)", "go test -exec id ./..."},
    {"bash(go *)", "go build -toolexec=id"},
    {"bash(go *)", "go run x.go"},
    {"bash(go *)", "go generate"},
    {"bash(gcc *)", "gcc -wrapper id x.c"},
    {"bash(gcc *)", "gcc -fplugin=./x.so x.c"},
    {"bash(gcc *)", "gcc @args"},
    {"bash(gcc *)", "gcc -B. x.c"},
    {"bash(cmake *)", "cmake -P x.cmake"},
    {"bash(cmake *)", "cmake -E env id"},
    {"bash(curl *)", "curl -K cfg"},
    {"bash(curl *)", "curl -sSo /tmp/x u"},
    {"bash(curl *)", "curl --output=/tmp/x u"},
    {"bash(wget *)", "wget -e use_askpass=id u"},
    {"bash(pip *)", "pip install evil"},
    {"bash(pytest *)", "pytest -p evil"},
    {"bash(tcpdump *)", "tcpdump -z id"},
    {"bash(anything *)", "anything --exec id"},
    {"bash(anything *)", "anything --pager=id"},
    {"bash(ls *)", "ls *"},
    {"bash(ls *)", "ls -*"},
    {"bash(ls *)", "ls ?x"},
    {"bash(ls *)", "ls [a-z]"},
    {"bash(ls *)", "* ls"},
    {"bash(ls src)", "ls sr*"},
    {"bash(npm run test)", "npm run test2"},
    {"bash(npm run test:*)", "npm run test"},
    {"bash(npm run 'a*')", "npm run ab"},
};

TEST(RuleTest, SEC_07_AWildcardNeverCoversWhatRunsOtherPrograms) {
  for (const Row& row : kRefused) EXPECT_FALSE(runs(row.rule, row.command)) << row.rule << " on " << row.command;
}

constexpr Row kCovered[] = {
    {"bash(npm test)", "npm test"},
    {"bash(npm run *)", "npm run build -- --watch"},
    {"bash(npm run test:*)", "npm run test:unit"},
    {"bash(npm run 'a*')", "npm run 'a*'"},
    {"bash(git *)", "git status"},
    {"bash(git *)", "git log --oneline -5"},
    {"bash(git *)", "git commit -m 'fix: a; b && c $(d)'"},
    {"bash(git *)", "git --no-pager log"},
    {"bash(git *)", "git push -u origin main"},
    {"bash(git *)", "git add -- *.cc"},
    {"bash(git *)", "git cherry-pick -x abc"},
    {"bash(git -C sub diff *)", "git -C sub diff --stat"},
    {"bash(git config --get user.name)", "git config --get user.name"},
    {"bash(git diff --ext-diff)", "git diff --ext-diff"},
    {"bash(find . -name x -delete)", "find . -name x -delete"},
    {"bash(find *)", "find . -name '*.cc' -type f"},
    {"bash(ls *)", "ls"},
    {"bash(ls *)", "ls -la src/*.cc ./*.h"},
    {"bash(ls *)", "ls -- *"},
    {"bash(cat *)", "cat 'a b' c\\ d"},
    {"bash(rg *)", "rg -n 'a|b' src"},
    {"bash(tar *)", "tar -tf a.tar"},
    {"bash(tar *)", "tar czf a.tgz src"},
    {"bash(make *)", "make -j8 all"},
    {"bash(cargo test *)", "cargo test --release name"},
    {"bash(go test *)", "go test ./..."},
    {"bash(python3 -m pytest *)", "python3 -m pytest -q tests"},
    {"bash(python3 tools/x.py *)", "python3 tools/x.py --fast"},
    {"bash(./run.sh *)", "./run.sh a b"},
    {"bash(echo \"a b\")", "echo 'a b'"},
    {"bash(timeout 60 npm test)", "timeout 60 npm test"},
    {"bash(bash -c 'a; b')", "bash -c 'a; b'"},
    {"bash(sort -u *)", "sort -u names.txt"},
    {"bash(curl *)", "curl -s https://example.org/a?b=c\\&d"},
    {"bash", "anything; at all | here"},
};

TEST(RuleTest, CoversWhatItSays) {
  for (const Row& row : kCovered) EXPECT_TRUE(runs(row.rule, row.command)) << row.rule << " on " << row.command;
}

TEST(RuleTest, SEC_07_NothingBehindACoveredCommandIsCovered) {
  // Every covered command, with everything that a shell takes for more than it.
  for (const Row& row : kCovered) {
    if (std::string(row.rule) == "bash") continue;
    for (const char* more : {";id",    "; id", "\nid",   "&id",   "&&id", "|id",   "||id",    " $(id)",    " `id`",
                             " <(id)", " >f",  " <f",    " 2>&1", " $x",  " ${x}", " \"$x\"", " \"`id`\"", " {a,b}",
                             " #",     " ~",   " 'x",    " \"x",  " \\",  "\r",    "\v",      " $'x'",     " $\"x\"",
                             " <<<x",  " <<x", " ~root", " a=~",  "\f",   "\x01",  " !(x)"})
      EXPECT_FALSE(runs(row.rule, std::string(row.command) + more)) << row.rule << " on " << row.command << more;
    for (const char* before :
         {"X=1 ",     "id;",   "id\n",   "! ", "time ", "{ ",  "if ",   "while ",  "coproc ", "sudo ",    "env ",
          "command ", "exec ", "$(id) ", "(",  "<f ",   ">f ", "eval ", "a[0]=1 ", "X+=1 ",   "function "})
      EXPECT_FALSE(runs(row.rule, before + std::string(row.command))) << row.rule << " on " << before << row.command;
  }
}

TEST(RuleTest, ConfinementIsLiftedByItsOwnRuleOnly) {
  EXPECT_FALSE(covers("bash(npm ci)", Subject::Kind::kUnconfined, "npm ci"));
  EXPECT_TRUE(covers("unconfined(npm ci)", Subject::Kind::kUnconfined, "npm ci"));
  EXPECT_FALSE(covers("unconfined(npm ci)", Subject::Kind::kCommand, "npm ci"));
  EXPECT_FALSE(covers("bash", Subject::Kind::kUnconfined, "npm ci"));
  EXPECT_FALSE(covers("edit(/**)", Subject::Kind::kCommand, "/x"));
}

TEST(RuleTest, PathsAreWhole) {
  const auto edits = [](const char* rule, const char* path) {
    return covers(rule, Subject::Kind::kWrite, path, "edit");
  };
  EXPECT_TRUE(edits("edit(src/**)", "/work/project/src/a/b.cc"));
  EXPECT_TRUE(edits("edit(src/**)", "/work/project/src/b.cc"));
  EXPECT_FALSE(edits("edit(src/**)", "/work/project/srcs/b.cc"));
  EXPECT_FALSE(edits("edit(src/**)", "/work/project2/src/b.cc"));
  EXPECT_FALSE(edits("edit(src/**)", "/tmp/src/b.cc"));
  EXPECT_TRUE(edits("edit(**/*.md)", "/work/project/a/b/c.md"));
  EXPECT_TRUE(edits("edit(**/*.md)", "/work/project/c.md"));
  EXPECT_FALSE(edits("edit(*.md)", "/work/project/a/c.md"));
  EXPECT_TRUE(edits("edit(/tmp/x?.txt)", "/tmp/x1.txt"));
  EXPECT_FALSE(edits("edit(/tmp/x?.txt)", "/tmp/x/.txt"));
  EXPECT_TRUE(edits("write(a//./b)", "/work/project/a/b"));
  EXPECT_TRUE(edits("edit", "/etc/passwd"));
  EXPECT_FALSE(covers("edit", Subject::Kind::kRead, "/etc/passwd", "read"));
  EXPECT_TRUE(covers("read(/usr/share/**)", Subject::Kind::kRead, "/usr/share/doc/x", "read"));
  EXPECT_FALSE(Rule::parse("edit(../x)", kRoot));
  EXPECT_FALSE(Rule::parse("edit(src/../../x)", kRoot));
}

TEST(RuleTest, HostsAndTools) {
  const auto fetches = [](const char* rule, const char* host) {
    return covers(rule, Subject::Kind::kWeb, host, "open");
  };
  EXPECT_TRUE(fetches("web(example.org)", "Example.ORG"));
  EXPECT_FALSE(fetches("web(example.org)", "evil-example.org"));
  EXPECT_FALSE(fetches("web(example.org)", "example.org.evil"));
  EXPECT_FALSE(fetches("web(example.org)", "a.example.org"));
  EXPECT_TRUE(fetches("web(*.example.org)", "a.b.example.org"));
  EXPECT_FALSE(fetches("web(*.example.org)", "example.org"));
  EXPECT_FALSE(fetches("web(*.example.org)", "evilexample.org"));
  const auto calls = [](const char* rule, const char* tool) { return covers(rule, Subject::Kind::kTool, "{}", tool); };
  EXPECT_TRUE(calls("mcp__files__read", "mcp__files__read"));
  EXPECT_FALSE(calls("mcp__files__read", "mcp__files__read_all"));
  EXPECT_TRUE(calls("mcp__files__*", "mcp__files__write"));
  EXPECT_FALSE(calls("mcp__files__*", "mcp__other__write"));
  EXPECT_FALSE(calls("web", "open"));
}

TEST(RuleTest, WhatIsNoRuleIsRefused) {
  for (const char* wrong :
       {"",          "()",          "bash(",       "bash()",     "bash(a",    "bash(a;b)", "bash(a|b)", "bash($x)",
        "bash(* x)", "bash(g*t x)", "bash(X=1 y)", "bash(a 'b)", "git diff",  "web(*)",    "web(a*b)",  "web(*org)",
        "*",         "mcp__x(y)",   "edit(..)",    "bash(a\nb)", "bash(`x`)", "ba sh(x)"})
    EXPECT_FALSE(Rule::parse(wrong, kRoot)) << wrong;
}

TEST(RuleTest, SuggestsWhatCovers) {
  const auto suggest = [](const char* command) {
    return suggested_rule({Subject::Kind::kCommand, "bash", command}, kRoot);
  };
  EXPECT_EQ(suggest("git diff --stat"), "bash(git diff *)");
  EXPECT_EQ(suggest("npm run build --x"), "bash(npm run build *)");
  EXPECT_EQ(suggest("ls -la"), "bash(ls *)");
  EXPECT_EQ(suggest("git -c a=b diff"), "bash(git -c a=b diff)");
  EXPECT_EQ(suggest("bash -c 'a; b'"), "bash(bash -c 'a; b')");
  EXPECT_EQ(suggest("ls; id"), "");
  EXPECT_EQ(suggest("echo $HOME"), "");
  EXPECT_EQ(suggested_rule({Subject::Kind::kUnconfined, "bash", "npm ci"}, kRoot), "unconfined(npm ci *)");
  EXPECT_EQ(suggested_rule({Subject::Kind::kWrite, "edit", "/work/project/a b"}, kRoot), "edit(a b)");
  EXPECT_EQ(suggested_rule({Subject::Kind::kWrite, "edit", "/etc/x"}, kRoot), "edit(/etc/x)");
  EXPECT_EQ(suggested_rule({Subject::Kind::kWeb, "open", "example.org"}, kRoot), "web(example.org)");
  EXPECT_EQ(suggested_rule({Subject::Kind::kTool, "mcp__a__b", ""}, kRoot), "mcp__a__b");
}

// What is read as words and quoted again is read as the same words.
TEST(RuleTest, ReadsItsOwnQuoting) {
  std::mt19937 random(7);
  constexpr std::string_view kBytes = "ab -'\"\\*?[]{}()<>|&;$`!#~=:\t/.,%^\xc3\xa9";
  for (int round = 0; round < 5000; ++round) {
    std::string word;
    for (std::size_t length = random() % 8; length > 0; --length) word += kBytes[random() % kBytes.size()];
    const auto words = simple_command("x " + shell_quoted(word));
    ASSERT_TRUE(words) << word;
    ASSERT_EQ(words->size(), 2u);
    EXPECT_EQ((*words)[1].text, word);
    EXPECT_FALSE((*words)[1].has_glob());
  }
}

}  // namespace
}  // namespace magi::code::permit
