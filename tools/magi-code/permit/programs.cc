#include "tools/magi-code/permit/programs.h"

#include <algorithm>
#include <iterator>

namespace magi::code::permit {
namespace {

// Names between blanks.
bool is_one_of(std::string_view list, std::string_view name) {
  if (name.empty() || name.find(' ') != std::string_view::npos) return false;
  for (std::size_t at = list.find(name); at != std::string_view::npos; at = list.find(name, at + 1)) {
    const bool begins = at == 0 || list[at - 1] == ' ';
    const std::size_t end = at + name.size();
    if (begins && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

// Whatever stands behind them is a command of its own.
constexpr std::string_view kRunners =
    "env sudo doas su runuser pkexec xargs parallel nice ionice nohup timeout stdbuf setsid strace ltrace gdb lldb "
    "watch "
    "eval exec source . command builtin trap script ssh scp sftp docker podman nerdctl kubectl chroot unshare nsenter "
    "flock taskset chrt vi vim nvim view ex ed emacs nano busybox toybox systemd-run crontab at batch expect screen "
    "tmux "
    "npx pnpx bunx uvx pipx entr alias enable coproc sed mysql psql sqlite3 socat nc ncat telnet ftp gawk "
    "awk "
    "mawk nawk bwrap firejail torify proxychains rlwrap catchsegv valgrind perf hyperfine dbus-run-session";

// They run what their first operand names; behind that stand its arguments.
constexpr std::string_view kInterpreters =
    "bash sh dash ash zsh ksh mksh fish tcsh csh python python2 python3 pypy pypy3 node nodejs deno bun perl ruby php "
    "lua luajit tclsh wish Rscript guile racket java jshell ghci runghc osascript pwsh irb julia octave";

struct Dangers {
  std::string_view program;
  std::string_view words;        // as they stand, or with "=..." or a value behind them
  std::string_view letters;      // short options, alone or in a group
  std::string_view first_words;  // of subcommands; empty: any
};

constexpr Dangers kDangers[] = {
    {"git",
     "--ext-diff --upload-pack --receive-pack --exec --exec-path --config --config-env --open-files-in-pager "
     "--textconv "
     "--template --git-dir --work-tree --paginate --output --sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd "
     "--extcmd --tool --editor --interactive --edit-description --namespace --super-prefix --attr-source "
     "--separate-git-dir "
     "--reference --output-directory --show-signature --strategy --trailer",
     "O", ""},
    {"git", "", "uc", "clone"},
    {"git", "", "x", "rebase difftool"},
    {"git", "foreach", "", "submodule"},
    {"git", "run", "", "bisect"},
    {"git", "", "o", "format-patch archive"},
    {"find", "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from", "", ""},
    {"fd", "--exec --exec-batch", "xX", ""},
    {"fdfind", "--exec --exec-batch", "xX", ""},
    {"rg", "--pre --pre-glob --hostname-bin --search-zip", "z", ""},
    {"tar",
     "--checkpoint-action --to-command --use-compress-program --rsh-command --rmt-command --info-script "
     "--new-volume-script --absolute-names",
     "IFP", ""},
    {"rsync", "--rsh --rsync-path --daemon --config", "e", ""},
    {"zip", "--unzip-command", "T", ""},
    {"man", "--pager --html --config-file", "PHC", ""},
    {"sort", "--compress-program --output", "o", ""},
    {"split", "--filter", "", ""},
    {"make", "--file --makefile --directory --eval --include-dir --shell", "fCEI", ""},
    {"gmake", "--file --makefile --directory --eval --include-dir --shell", "fCEI", ""},
    {"npm",
     "exec x config set --script-shell --node-options --prefix --userconfig --globalconfig --editor --git --shell", "C",
     ""},
    {"pnpm", "exec dlx config --dir --shell-emulator --script-shell", "C", ""},
    {"yarn", "exec dlx config --cwd", "", ""},
    {"cargo", "--config --manifest-path", "", ""},
    {"go", "run generate tool -exec -toolexec -vettool --exec --toolexec --vettool -C", "", ""},
    {"gcc", "-wrapper -B -fplugin -specs --specs", "B", ""},
    {"g++", "-wrapper -B -fplugin -specs --specs", "B", ""},
    {"cc", "-wrapper -B -fplugin -specs --specs", "B", ""},
    {"clang", "-B -fplugin -specs --config", "B", ""},
    {"clang++", "-B -fplugin -specs --config", "B", ""},
    {"cmake", "--build", "PE", ""},
    {"ninja", "", "Cft", ""},
    {"ctest", "--build-and-test --script --extra-submit", "S", ""},
    {"pytest", "--rootdir --config-file --override-ini --pyargs --pdbcls", "pco", ""},
    {"curl", "--config --output --remote-name --output-dir --engine --netrc-file", "KoO", ""},
    {"wget", "--execute --config --use-askpass --output-document --output-file", "eoO", ""},
    {"pip", "install download wheel config --config-settings", "", ""},
    {"pip3", "install download wheel config --config-settings", "", ""},
    {"apt", "--option --config-file", "oc", ""},
    {"apt-get", "--option --config-file", "oc", ""},
    {"tcpdump", "", "zw", ""},
    {"less", "", "kKoO", ""},
    {"gh", "alias extension api config", "", ""},
    {"bats", "--formatter --report-formatter", "F", ""},
};

// In any program.
constexpr std::string_view kAnywhere =
    "--exec --execute --exec-batch --pager --editor --shell --rsh --eval --command --use-compress-program --to-command "
    "--checkpoint-action --compress-program --script-shell --upload-pack --receive-pack --ext-diff";

// Commands of git that are built in, so that no alias of a repository stands for them, and that run nothing else by
// what they are.
constexpr std::string_view kGitCommands =
    "add am annotate apply archive bisect blame branch cat-file check-ignore checkout cherry cherry-pick clean clone "
    "commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep "
    "hash-object init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes pull push range-diff rebase "
    "reflog remote reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash "
    "status submodule switch symbolic-ref tag update-index var verify-commit verify-tag version whatchanged worktree "
    "write-tree";

// Programs whose second word says what they do.
constexpr std::string_view kWithCommands =
    "git npm pnpm yarn cargo go pip pip3 apt apt-get gh make gmake systemctl poetry uv bundle rake mix dotnet gradle "
    "mvn "
    "cmake just task rustup brew terraform";

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether `word` is the option, has a value joined to it, or abbreviates it as getopt_long(3) allows.
bool is_option(std::string_view word, std::string_view option) {
  const std::string_view name = word.substr(0, word.find('='));
  if (name == option) return true;
  constexpr std::size_t kShortestAbbreviation = 3;  // "--e"
  return option.starts_with("--") && name.size() >= kShortestAbbreviation && name.starts_with("--") &&
         option.starts_with(name);
}

bool is_in(std::string_view word, std::string_view options) {
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(' '), options.size());
    if (is_option(word, options.substr(0, end))) return true;
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return false;
}

// "-Oless", "-qO"; a letter behind one that takes a value counts as well, which errs on the safe side.
bool has_letter(std::string_view word, std::string_view letters) {
  if (letters.empty() || word.size() < 2 || word[0] != '-' || word[1] == '-') return false;
  return word.find_first_of(letters, 1) != std::string_view::npos;
}

std::string_view subcommand_of(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i)
    if (!words[i].starts_with('-')) return words[i];
  return {};
}

bool git_may(const std::vector<std::string>& words, const std::vector<bool>& is_literal, std::size_t at) {
  const std::string& word = words[at];
  if (word.starts_with("ext::") || word.starts_with("fd::")) return false;
  // Before its command git takes options that say where its configuration is read, and so what it runs.
  const std::string_view subcommand = subcommand_of(words);
  const auto found = std::find(words.begin() + 1, words.end(), subcommand);
  if (subcommand.empty() || words.begin() + static_cast<std::ptrdiff_t>(at) < found)
    return word == "--version" || word == "--help" || word == "--no-pager";
  const auto index = static_cast<std::size_t>(found - words.begin());
  return is_literal[index] || is_one_of(kGitCommands, subcommand);
}

}  // namespace

bool wildcard_may_cover(const std::vector<std::string>& words, const std::vector<bool>& is_literal, std::size_t at) {
  const std::string_view program = base_name(words.front());
  const std::string& word = words[at];
  if (is_one_of(kRunners, program)) return false;
  if (is_one_of(kInterpreters, program)) {
    // Its own options, and what it runs, are the rule's to say.
    for (std::size_t i = 1; i < at; ++i)
      if (is_literal[i] && !words[i].starts_with('-')) return true;
    return false;
  }
  if (is_in(word, kAnywhere)) return false;
  if (program == "git" && !git_may(words, is_literal, at)) return false;
  const bool sets_variables = program == "make" || program == "gmake";
  if (sets_variables && word.find('=') != std::string::npos) return false;
  if ((program == "tar" && at == 1 && !word.starts_with('-') && word.find_first_of("IFP") != std::string::npos) ||
      (word.starts_with('@') && (program == "gcc" || program == "g++" || program == "cc" || program == "clang")))
    return false;
  for (const Dangers& dangers : kDangers) {
    if (dangers.program != program) continue;
    if (!dangers.first_words.empty() && !is_one_of(dangers.first_words, subcommand_of(words))) continue;
    if (is_in(word, dangers.words) || has_letter(word, dangers.letters)) return false;
  }
  return true;
}

std::size_t leading_words(const std::vector<std::string>& words) {
  if (words.size() < 2 || !is_one_of(kWithCommands, base_name(words.front())) || words[1].starts_with('-')) return 1;
  const bool has_script = words.size() > 2 && words[1] == "run" && !words[2].starts_with('-');
  return has_script ? 3 : 2;
}

}  // namespace magi::code::permit
