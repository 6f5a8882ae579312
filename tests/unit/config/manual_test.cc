// man/magi-settings.5 against the table of settings: the same keys, the same defaults.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "libcommon/config/keys.h"

namespace magi::config {
namespace {

// ".It Ic agent.context.enabled Pq true" -> {"agent.context.enabled", "true"}
std::map<std::string, std::string> keys_of_manual() {
  std::map<std::string, std::string> found;
  std::ifstream page(MAGI_SOURCE_DIR "/man/magi-settings.5");
  const std::string item = ".It Ic ", standard = " Pq ";
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(item)) continue;
    const std::size_t behind = line.find(standard);
    const std::string key = line.substr(item.size(), behind == std::string::npos ? behind : behind - item.size());
    found[key] = behind == std::string::npos ? "" : line.substr(behind + standard.size());
  }
  return found;
}

TEST(SettingsManualTest, HasEveryKeyWithItsDefault) {
  std::map<std::string, std::string> table;
  for (const Key& key : keys()) {
    std::string standard(key.standard);
    std::erase(standard, '"');
    table[std::string(key.path)] = standard;
  }
  EXPECT_EQ(keys_of_manual(), table);
}

}  // namespace
}  // namespace magi::config
