#include "libcommon/config/settings.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "libcommon/config/schema.h"
#include "libcommon/json/value.h"

namespace magi::config {
namespace {

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    char pattern[] = "/tmp/magi-settings-XXXXXX";
    root = mkdtemp(pattern);
    files.global = root + "/home/settings.json";
    files.working_directory = root + "/project";
    mkdir((root + "/home").c_str(), 0700);
    mkdir((root + "/project").c_str(), 0700);
    mkdir((root + "/project/.magi-code").c_str(), 0700);
    project = root + "/project/.magi-code/settings.json";
  }
  ~SettingsTest() override { EXPECT_EQ(std::system(("rm -rf " + root).c_str()), 0); }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
    chmod(path.c_str(), 0600);
  }
  static std::string read(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }

  Settings load() {
    auto settings = load_settings(files);
    if (settings) return *settings;
    ADD_FAILURE() << settings.error().what;
    return {};
  }
  // The error of loading, with the scratch folder's name cut out.
  std::string refusal() {
    const auto settings = load_settings(files);
    if (settings) return "accepted";
    EXPECT_EQ(exit_status(settings.error().code), kExitUsage);
    return shortened(settings.error().what);
  }
  std::string global_refusal(const std::string& text) {
    write(files.global, text);
    return refusal();
  }
  std::string shortened(std::string text) const {
    for (std::size_t at; (at = text.find(root)) != std::string::npos;) text.erase(at, root.size());
    return text;
  }
  std::vector<std::string> warnings(const Settings& settings) const {
    std::vector<std::string> out;
    for (const std::string& line : settings.warnings) out.push_back(shortened(line));
    return out;
  }

  std::string root, project;
  SettingsFiles files;
};

TEST_F(SettingsTest, WithoutFilesTheDefaultsOfTheContractHold) {
  const Settings s = load();
  EXPECT_EQ(s.context.max_tokens, 128000);
  EXPECT_EQ(s.context.reserve_tokens, 16384);
  EXPECT_EQ(s.context.keep_recent_tokens, 20000);
  EXPECT_TRUE(s.context.enabled && s.compaction.automatic.enabled && s.compaction.claude_subscription.allow_compaction);
  EXPECT_EQ(s.compaction.automatic.threshold_percent, 80);
  EXPECT_EQ(s.compaction.automatic.threshold_tokens, std::nullopt);
  EXPECT_EQ(s.compaction.automatic.max_compactions_per_run, 4);
  EXPECT_EQ(s.compaction.claude_subscription.threshold_tokens, 202000);
  EXPECT_EQ(s.permissions.mode, "workspace");
  EXPECT_FALSE(s.permissions.network || s.sessions.retention_days);
  EXPECT_TRUE(s.warnings.empty());
}

TEST_F(SettingsTest, TheSchemasDefaultsAreTheStructs) {
  // Every default in the table, applied as a file, changes nothing.
  const json::Value schema = *json::parse_value(settings_schema());
  const auto& automatic = schema.at("properties")
                              .at("agent")
                              .at("properties")
                              .at("compaction")
                              .at("properties")
                              .at("auto")
                              .at("properties");
  EXPECT_EQ(automatic.at("threshold_percent").at("default"), json::Value(80));
  EXPECT_EQ(automatic.at("threshold_percent").at("maximum"), json::Value(100));
  EXPECT_EQ(schema.at("properties").at("schema_version").at("maximum"), json::Value(2));
  EXPECT_EQ(json::print(schema.at("properties").at("permissions").at("properties").at("mode").at("enum")),
            R"(["workspace","ask","read-only","full"])");
  EXPECT_EQ(schema.at("properties")
                .at("providers")
                .at("additionalProperties")
                .at("properties")
                .at("headers")
                .at("additionalProperties")
                .at("type"),
            json::Value("string"));
  const auto& context = schema.at("properties").at("agent").at("properties").at("context").at("properties");
  EXPECT_EQ(context.at("max_tokens").at("default"), json::Value(ContextSettings().max_tokens));
  EXPECT_EQ(context.at("reserve_tokens").at("default"), json::Value(ContextSettings().reserve_tokens));
  EXPECT_EQ(context.at("keep_recent_tokens").at("default"), json::Value(ContextSettings().keep_recent_tokens));
}

TEST_F(SettingsTest, ProjectOverridesGlobalAndTheCommandLineBoth) {
  write(files.global,
        R"({"schema_version": 2, "model": "g", "agent": {"context": {"max_tokens": 5000, "reserve_tokens": 100}},
    "providers": {"box": {"base_url": "http://127.0.0.1:8080/v1/", "api_key_env": "BOX_KEY", "headers": {"X-A": "1"}}}})");
  write(project, R"({"model": "p", "provider": "box", "agent": {"context": {"max_tokens": 6000}}})");
  files.overlay = {"model=c", "agent.context.model_overrides[\"openai/a=b.c\"].max_tokens=7000"};
  const Settings s = load();
  EXPECT_EQ(s.model, "c");
  EXPECT_EQ(s.provider, "box");
  EXPECT_EQ(s.context.max_tokens, 6000);
  EXPECT_EQ(s.context.reserve_tokens, 100);
  EXPECT_EQ(s.context.model_overrides.at("openai/a=b.c").max_tokens, 7000);
  EXPECT_EQ(s.providers.at("box").base_url, "http://127.0.0.1:8080/v1");
  EXPECT_EQ(s.providers.at("box").headers.at("X-A"), "1");
  EXPECT_EQ(s.source_of("model"), Source::kCommandLine);
  EXPECT_EQ(s.source_of("agent.context.max_tokens"), Source::kProject);
  EXPECT_EQ(s.source_of("agent.context.reserve_tokens"), Source::kGlobal);
  EXPECT_EQ(s.source_of("agent.context.enabled"), Source::kDefault);
  EXPECT_TRUE(s.warnings.empty()) << s.warnings.front();
}

TEST_F(SettingsTest, CLI_06_BrokenFilesNameLineAndColumn) {
  EXPECT_EQ(global_refusal("{\n  \"model\": \"m\",\n}"),
            "/home/settings.json: line 3, column 1: a key in double quotes is missing");
  EXPECT_EQ(global_refusal("{\"model\": \"a\",\n \"model\": \"b\"}"),
            "/home/settings.json: line 2, column 2: duplicate key 'model'");
  EXPECT_EQ(global_refusal("[]"), "/home/settings.json: must be an object: { ... }");
  write(files.global, " \n");
  EXPECT_EQ(warnings(load()),
            std::vector<std::string>{"warning: /home/settings.json: empty file, counts as no settings"});
}

TEST_F(SettingsTest, CLI_08_AnUnknownKeyIsAWarningWithItsFullPath) {
  write(files.global,
        R"({"agent": {"compaction": {"auto": {"treshold_percent": 50, "threshold_tokens": 9}}}, "later": {"a": [1]}})");
  const Settings s = load();
  EXPECT_EQ(s.compaction.automatic.threshold_tokens, 9);
  EXPECT_EQ(warnings(s),
            (std::vector<std::string>{"warning: /home/settings.json: agent.compaction.auto.treshold_percent: unknown "
                                      "setting (did you mean threshold_percent?); ignored",
                                      "warning: /home/settings.json: later: unknown setting; ignored"}));
}

TEST_F(SettingsTest, TOK_10_ThresholdsHaveBounds) {
  const auto automatic = [](const std::string& members) {
    return R"({"agent": {"compaction": {"auto": {)" + members + "}}}}";
  };
  const std::string allowed =
      "/home/settings.json: agent.compaction.auto.threshold_percent: must be a whole number from 1 to 100, or null";
  for (const char* value : {"0", "101", "\"80\"", "80.5", "true", "[80]", "1e400"})
    EXPECT_EQ(global_refusal(automatic("\"threshold_percent\": " + std::string(value))), allowed) << value;
  EXPECT_EQ(global_refusal(automatic("\"threshold_percent\": null")),
            "/home/settings.json: agent.compaction.auto.threshold_percent: must be 1 to 100, or "
            "agent.compaction.auto.threshold_tokens "
            "1 or more, while agent.compaction.auto.enabled is true");
  EXPECT_EQ(global_refusal(automatic("\"threshold_percent\": null, \"enabled\": false")), "accepted");
  EXPECT_EQ(global_refusal(automatic("\"threshold_percent\": null, \"threshold_tokens\": 1")), "accepted");
  EXPECT_EQ(global_refusal(automatic("\"max_compactions_per_run\": 256")),
            "/home/settings.json: agent.compaction.auto.max_compactions_per_run: must be a whole number from 0 to 255");
}

TEST_F(SettingsTest, WrongValuesNameTheKeyAndWhatIsAllowed) {
  const std::string file = "/home/settings.json: ";
  EXPECT_EQ(global_refusal(R"({"schema_version": 3})"), file + "schema_version: must be 2");
  EXPECT_EQ(global_refusal(R"({"model": 5})"), file + "model: must be text in double quotes");
  EXPECT_EQ(global_refusal(R"({"agent": 5})"), file + "agent: must be an object: { ... }");
  EXPECT_EQ(global_refusal(R"({"permissions": {"mode": "all"}})"),
            file + "permissions.mode: must be one of workspace, ask, read-only, full");
  EXPECT_EQ(global_refusal(R"({"permissions": {"network": "yes"}})"),
            file + "permissions.network: must be true or false");
  EXPECT_EQ(global_refusal(R"({"provider": "nobody"})"),
            file + "provider: 'nobody' is neither a built-in provider nor one defined under providers");
  EXPECT_EQ(global_refusal(R"({"providers": {"a b": {"model": "m"}}})"),
            file + R"(providers["a b"].model: a provider's name has letters, digits, '_' and '-' only)");
  EXPECT_EQ(global_refusal(R"({"providers": {"box": {"base_url": "ftp://h"}}})"),
            file + "providers.box.base_url: must be an http or https URL without user name, query or fragment");
  EXPECT_EQ(global_refusal(R"({"providers": {"box": {"base_url": "https://u:p@h/"}}})"),
            file + "providers.box.base_url: must be an http or https URL without user name, query or fragment");
  EXPECT_EQ(global_refusal(R"({"providers": {"box": {"model": "m"}}})"), file + "providers.box.base_url: is missing");
  EXPECT_EQ(global_refusal(R"({"providers": {"openai": {"api": "chat"}}})"),
            file + "providers.openai.api: is fixed for a built-in provider");
  EXPECT_EQ(global_refusal(R"({"providers": {"openai": {"headers": {"X-A": "a\r\nb"}}}})"),
            file + "providers.openai.headers.X-A: must be text without control characters");
  EXPECT_EQ(global_refusal(R"({"agent": {"context": {"max_tokens": 100, "reserve_tokens": 100}}})"),
            file + "agent.context.reserve_tokens: must be smaller than agent.context.max_tokens (100)");
  EXPECT_EQ(
      global_refusal(R"({"agent": {"context": {"model_overrides": {"openai/x": {"max_tokens": 9000}}}}})"),
      file +
          R"(agent.context.model_overrides["openai/x"]: reserve_tokens (16384) must be smaller than max_tokens (9000))");
  EXPECT_EQ(global_refusal(R"({"agent": {"compaction": {"claude_subscription": {"allow_compaction": false}}}})"),
            file +
                "agent.compaction.claude_subscription.allow_compaction: false needs agent.compaction.provider and "
                "agent.compaction.model of another provider");
}

TEST_F(SettingsTest, SecretsAreRefusedInEveryFile) {
  const std::string file = "/home/settings.json: ";
  const std::string advice = ": secrets are refused in settings: keep it in an environment variable";
  const std::string shape = ": the value looks like a key or token, and secrets are refused in settings";
  EXPECT_EQ(global_refusal(R"({"providers": {"openai": {"api_key": "k"}}})"),
            file + "providers.openai.api_key" + advice);
  EXPECT_EQ(global_refusal(R"({"unknown": [{"GitHub-Token": "k"}]})"), file + "unknown.GitHub-Token" + advice);
  EXPECT_EQ(global_refusal(R"({"providers": {"openai": {"headers": {"Authorization": "Bearer k"}}}})"),
            file + "providers.openai.headers.Authorization" + advice);
  EXPECT_EQ(global_refusal(R"({"providers": {"openai": {"api_key_env": "sk-proj-0123456789abcdef0123"}}})"),
            file + "providers.openai.api_key_env" + shape);
  EXPECT_EQ(global_refusal(R"({"model": "AKIAIOSFODNN7EXAMPLE"})"), file + "model" + shape);
  EXPECT_EQ(global_refusal(R"({"model": "task-sk-abcdefghijklmnopqrstuv"})"), "accepted");
  write(files.global, "{}");
  write(project, R"({"nested": {"password": "p"}})");
  EXPECT_EQ(refusal(), "/project/.magi-code/settings.json: nested.password" + advice);
  write(project, "{}");
  files.overlay = {"providers.openai.headers.X-Api-Key=k"};
  EXPECT_EQ(refusal(), "--set: providers.openai.headers.X-Api-Key" + advice);
}

TEST_F(SettingsTest, AProjectCannotGrantItselfAnything) {
  write(project, R"({"permissions": {"mode": "full", "network": true}, "sessions": {"retention_days": 1},
    "providers": {"openai": {"base_url": "http://evil.example"}}, "model": "m"})");
  const Settings s = load();
  EXPECT_EQ(s.permissions.mode, "workspace");
  EXPECT_FALSE(s.permissions.network || s.sessions.retention_days);
  EXPECT_TRUE(s.providers.empty());
  EXPECT_EQ(s.model, "m");
  EXPECT_EQ(s.warnings.size(), 3u);
  EXPECT_EQ(warnings(s).front(),
            "warning: /project/.magi-code/settings.json: sessions.retention_days: only your own settings can set this; "
            "ignored");
  EXPECT_EQ(
      warnings(s).back(),
      "warning: /project/.magi-code/settings.json: 2 entries that run code or widen permissions are ignored until "
      "you have trusted them: see magi-code trust --show");
}

TEST_F(SettingsTest, HostileProjectFilesAreRefused) {
  ASSERT_EQ(symlink("/etc/passwd", project.c_str()), 0);
  EXPECT_EQ(refusal(), "/project/.magi-code/settings.json: is a link, which is not followed here");
  unlink(project.c_str());
  ASSERT_EQ(mkfifo(project.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), "/project/.magi-code/settings.json: is not a regular file");
  unlink(project.c_str());
  write(project, std::string(1024 * 1024 + 1, ' '));
  EXPECT_EQ(refusal(), "/project/.magi-code/settings.json: is larger than 1 MiB");
  write(project, std::string(100000, '['));
  EXPECT_NE(refusal().find("nested too deeply"), std::string::npos);
}

TEST_F(SettingsTest, TheUsersFileMustBeTheUsersAlone) {
  write(files.global, "{}");
  chmod(files.global.c_str(), 0666);
  EXPECT_EQ(refusal(), "/home/settings.json: can be written by others: chmod go-w it");
}

TEST_F(SettingsTest, TheUsersFileMayBeALink) {
  write(root + "/dotfile", R"({"model": "linked"})");
  ASSERT_EQ(symlink((root + "/dotfile").c_str(), files.global.c_str()), 0);
  EXPECT_EQ(load().model, "linked");
}

TEST_F(SettingsTest, InTheHomeDirectoryTheFileIsTheUsers) {
  files.global = project;
  write(project, R"({"permissions": {"mode": "ask"}})");
  const Settings s = load();
  EXPECT_EQ(s.permissions.mode, "ask");
  EXPECT_TRUE(s.warnings.empty());
}

TEST_F(SettingsTest, WrongOverlaysAreErrors) {
  const auto overlay = [&](const std::string& text) {
    files.overlay = {text};
    return refusal();
  };
  EXPECT_EQ(overlay("model"), "--set: 'model' is not KEY=VALUE");
  EXPECT_EQ(overlay("=x"), "--set: '=x' is not KEY=VALUE");
  EXPECT_EQ(overlay("modle=x"), "--set: modle: unknown setting (did you mean model?)");
  EXPECT_EQ(overlay("a..b=x"), "--set: 'a..b' is not the name of a setting");
  EXPECT_EQ(overlay("agent.context.max_tokens=many"),
            "--set: agent.context.max_tokens: must be a whole number from 1 to 1000000000");
  EXPECT_EQ(overlay("agent.context=5"), "--set: agent.context: must be an object: { ... }");
  EXPECT_EQ(overlay("model=5"), "accepted");
  EXPECT_EQ(overlay("agent.context={\"max_tokens\":20000}"), "accepted");
}

TEST_F(SettingsTest, OverlaysAreCheckedTogetherInAnyOrder) {
  files.overlay = {"agent.context.max_tokens=9000", "agent.context.reserve_tokens=1000"};
  EXPECT_EQ(load().context.max_tokens, 9000);
  files.overlay.pop_back();
  EXPECT_EQ(refusal(), "--set: agent.context.reserve_tokens: must be smaller than agent.context.max_tokens (9000)");
}

TEST_F(SettingsTest, ARewriteKeepsWhatItDoesNotKnow) {
  write(files.global, R"({"future": {"x": [1, 2.5, null]}, "model": "a", "agent": {"new_thing": true}})");
  ASSERT_TRUE(change_setting(files.global, "model", "b"));
  ASSERT_TRUE(change_setting(files.global, "agent.context.model_overrides[\"openai/x\"].max_tokens", "50000"));
  EXPECT_EQ(json::print(*json::parse_value(read(files.global))),
            R"({"future":{"x":[1,2.5,null]},"model":"b","agent":{"new_thing":true,"context":{"model_overrides":)"
            R"({"openai/x":{"max_tokens":50000}}}},"schema_version":2})");
  ASSERT_TRUE(change_setting(files.global, "model", ""));
  EXPECT_EQ(load().model, "");
  EXPECT_EQ(load().context.model_overrides.at("openai/x").max_tokens, 50000);
  struct stat file {};
  ASSERT_EQ(stat(files.global.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
}

TEST_F(SettingsTest, ARefusedChangeChangesNothing) {
  write(files.global, R"({"model": "a"})");
  for (const auto& [key, value] : {std::pair{"modle", "x"},
                                   {"agent.context.max_tokens", "0"},
                                   {"model.deep", "x"},
                                   {"agent.context.reserve_tokens", "500000"},
                                   {"provider", "nobody"}}) {
    EXPECT_FALSE(change_setting(files.global, key, value)) << key;
    EXPECT_EQ(read(files.global), R"({"model": "a"})");
  }
  EXPECT_FALSE(change_setting(root + "/project/plain/settings.json/x", "model", "x") && false);
}

TEST_F(SettingsTest, AChangeMakesTheFileAndFollowsALink) {
  ASSERT_TRUE(change_setting(root + "/new/home/settings.json", "permissions.mode", "ask"));
  EXPECT_EQ(json::print(*json::parse_value(read(root + "/new/home/settings.json"))),
            R"({"schema_version":2,"permissions":{"mode":"ask"}})");
  write(root + "/dotfile", "{}");
  ASSERT_EQ(symlink((root + "/dotfile").c_str(), files.global.c_str()), 0);
  ASSERT_TRUE(change_setting(files.global, "model", "m"));
  struct stat link {};
  ASSERT_EQ(lstat(files.global.c_str(), &link), 0);
  EXPECT_TRUE(S_ISLNK(link.st_mode));
  EXPECT_EQ(load().model, "m");
}

TEST_F(SettingsTest, TheSchemaFileIsWrittenOnceAndRefreshed) {
  const std::string file = root + "/home/state/settings.schema.json";
  ASSERT_TRUE(refresh_schema(file));
  EXPECT_EQ(read(file), settings_schema());
  struct stat first {
  }, second{};
  stat(file.c_str(), &first);
  ASSERT_TRUE(refresh_schema(file));
  stat(file.c_str(), &second);
  EXPECT_EQ(first.st_ino, second.st_ino);
  write(file, "{}");
  ASSERT_TRUE(refresh_schema(file));
  EXPECT_EQ(read(file), settings_schema());
}

TEST_F(SettingsTest, ServersOfToolsAreReadWhole) {
  write(files.global,
        R"({"mcp_servers": {"files": {"command": "npx", "args": ["-y", "server", "."], "env": {"A": "${B}"},
    "tools": ["read"], "timeout_ms": 500, "allow_read_only": true},
    "web": {"url": "https://x.example/mcp/", "headers": {"Authorization": "Bearer ${TOKEN}"}, "enabled": false}}})");
  const Settings settings = load();
  const McpServerSettings& program = settings.mcp_servers.at("files");
  EXPECT_EQ(program.args, (std::vector<std::string>{"-y", "server", "."}));
  EXPECT_EQ(program.env.at("A"), "${B}");
  EXPECT_EQ(program.tools, std::vector<std::string>{"read"});
  EXPECT_EQ(program.timeout_ms, 500);
  EXPECT_TRUE(program.allow_read_only && program.enabled);
  EXPECT_EQ(settings.mcp_servers.at("web").url, "https://x.example/mcp/");
  EXPECT_EQ(settings.mcp_servers.at("web").headers.at("Authorization"), "Bearer ${TOKEN}");
  EXPECT_FALSE(settings.mcp_servers.at("web").enabled);
}

TEST_F(SettingsTest, ServersOfToolsAreChecked) {
  for (const char* server :
       {R"({"enabled": true})", R"({"command": "x", "url": "http://y"})", R"({"url": "http://y", "args": ["z"]})",
        R"({"command": "x", "headers": {"A": "b"}})", R"({"command": "x", "args": "z"})",
        R"({"command": "x", "args": [1]})", R"({"command": "x", "env": {"1A": "b"}})",
        R"({"url": "http://y", "headers": {"Authorization": "Bearer abc"}})", R"({"url": "ftp://y"})"}) {
    write(files.global, std::string(R"({"mcp_servers": {"s": )") + server + "}}");
    EXPECT_FALSE(load_settings(files)) << server;
  }
  write(files.global, R"({"mcp_servers": {"a b": {"command": "x"}}})");
  EXPECT_FALSE(load_settings(files));
}

}  // namespace
}  // namespace magi::config
