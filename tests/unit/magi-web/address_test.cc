#include "tools/magi-web/address.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tools/magi-web/url.h"

namespace magi::web {
namespace {

TEST(Address, RefusesWhatIsNotOfThePublicInternet) {
  for (const char* text : {"0.0.0.0",
                           "0.1.2.3",
                           "10.0.0.1",
                           "10.255.255.255",
                           "100.64.0.1",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.1.2.3",
                           "169.254.169.254",
                           "169.254.170.2",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.0.0.192",
                           "192.0.2.1",
                           "192.168.0.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.7",
                           "203.0.113.7",
                           "224.0.0.1",
                           "239.1.1.1",
                           "240.0.0.1",
                           "255.255.255.255",
                           "168.63.129.16",
                           "100.100.100.200",
                           "::",
                           "::1",
                           "[::1]",
                           "::7f00:1",
                           "::ffff:127.0.0.1",
                           "::ffff:10.1.2.3",
                           "64:ff9b::7f00:1",
                           "64:ff9b::a9fe:a9fe",
                           "64:ff9b:1::1",
                           "100::1",
                           "2001::1",
                           "2001:db8::1",
                           "2002:7f00:1::1",
                           "2002:a00:1::",
                           "3fff::1",
                           "fc00::1",
                           "fd00:ec2::254",
                           "fe80::1",
                           "fe80::1%eth0",
                           "febf::1",
                           "fec0::1",
                           "ff02::1",
                           "4000::1",
                           "5f00::1"})
    EXPECT_NE(refused_literal(text), "") << text;
}

TEST(Address, TakesWhatIs) {
  for (const char* text : {"1.1.1.1",
                           "8.8.8.8",
                           "9.255.255.255",
                           "11.0.0.0",
                           "100.63.255.255",
                           "100.128.0.0",
                           "126.0.0.1",
                           "128.0.0.1",
                           "169.253.0.1",
                           "172.15.255.255",
                           "172.32.0.0",
                           "192.0.1.1",
                           "192.167.255.255",
                           "192.169.0.0",
                           "198.17.0.1",
                           "198.20.0.0",
                           "223.255.255.255",
                           "168.63.129.17",
                           "2606:4700:4700::1111",
                           "2a00:1450::1",
                           "::ffff:8.8.8.8",
                           "64:ff9b::808:808",
                           "2002:808:808::1"})
    EXPECT_EQ(refused_literal(text), "") << text;
}

TEST(Address, HostsInEveryNumericSpellingAreReadAsAddresses) {
  for (const char* url : {"http://0x7f000001/", "http://2130706433/", "http://0177.0.0.1/", "http://127.1/",
                          "http://0x7f.0.0.1:80/", "http://[::ffff:7f00:1]/", "http://127.0.0.1./"}) {
    const auto parsed = parse_url(url);
    // Either it is the address that it is, or no URL at all.
    EXPECT_TRUE(!parsed || !refused_literal(parsed->host).empty()) << url;
  }
}

TEST(Address, KnowsNamesOfTheLocalNetwork) {
  for (const char* name : {"localhost", "LOCALHOST", "a.localhost", "printer", "nas.local", "x.internal",
                           "metadata.google.internal", "router.lan", "a.home.arpa", "localhost."})
    EXPECT_TRUE(is_local_name(name)) << name;
  for (const char* name : {"example.org", "notlocalhost.org", "mylocal.com", "8.8.8.8", "[2606:4700::1]"})
    EXPECT_FALSE(is_local_name(name)) << name;
}

TEST(Address, ReadsNoProxyAsListsOfHosts) {
  EXPECT_TRUE(bypasses_proxy("a.example.org", "foo, .example.org"));
  EXPECT_TRUE(bypasses_proxy("example.org", "EXAMPLE.org"));
  EXPECT_TRUE(bypasses_proxy("anything", "*"));
  EXPECT_TRUE(bypasses_proxy("[::1]", "::1"));
  EXPECT_FALSE(bypasses_proxy("badexample.org", "example.org"));
  EXPECT_FALSE(bypasses_proxy("example.org", ""));
  EXPECT_FALSE(bypasses_proxy("example.org", ",,"));
}

// Every IPv4 address is judged the same however it is wrapped.
TEST(Address, WrappedAddressesAreJudgedByWhatTheyWrap) {
  std::mt19937 random(20261201);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t value = random();
    const auto octet = [&](int shift) { return std::to_string(value >> shift & 255); };
    const std::string plain = octet(24) + "." + octet(16) + "." + octet(8) + "." + octet(0);
    EXPECT_EQ(refused_literal(plain), refused_literal("::ffff:" + plain)) << plain;
    EXPECT_EQ(refused_literal(plain), refused_literal("64:ff9b::" + plain)) << plain;
  }
}

TEST(Url, OnlyPagesOfTheWebAreUrls) {
  for (const char* text : {"file:///etc/passwd", "ftp://x/", "gopher://x", "javascript:alert(1)", "data:text/html,x",
                           "http://", "https://", "", "http://user:pass@example.org/", "http://user@example.org/",
                           "http://exa mple.org/", "http://[::1/", "//example.org"})
    EXPECT_FALSE(parse_url(text)) << text;
  EXPECT_FALSE(parse_url("http://x/" + std::string(9000, 'a')));
  EXPECT_EQ(parse_url("Example.ORG/a b?q=ä#frag")->text, "https://Example.ORG/a%20b?q=%c3%a4");
  EXPECT_EQ(parse_url("HTTP://Example.org:80/../x")->host, "example.org");
  EXPECT_FALSE(parse_url("http://example.org\\@evil.org/")) << "two readings";
}

TEST(Url, ReferencesAreFollowedFromTheirPage) {
  const Url base = *parse_url("https://example.org/a/b?c");
  EXPECT_EQ(resolve_url(base, "../d")->text, "https://example.org/d");
  EXPECT_EQ(resolve_url(base, "//other.org/x")->host, "other.org");
  EXPECT_FALSE(resolve_url(base, "file:///etc/passwd"));
  EXPECT_FALSE(resolve_url(base, "http://u:p@other.org/"));
  EXPECT_EQ(link_target(base, "d#x"), "https://example.org/a/d#x");
  EXPECT_EQ(link_target(base, "mailto:a@b"), "mailto:a@b");
  EXPECT_EQ(plain_host("www.example.org"), plain_host("example.org"));
}

}  // namespace
}  // namespace magi::web
