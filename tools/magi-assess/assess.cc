#include "tools/magi-assess/assess.h"

#include <algorithm>
#include <array>
#include <set>

#include "libcommon/base/utf8.h"
#include "tools/magi-assess/context.h"
#include "tools/magi-assess/disguise.h"
#include "tools/magi-assess/encoded.h"
#include "tools/magi-assess/fold.h"
#include "tools/magi-assess/phrases.h"

namespace magi::assess {
namespace {

constexpr std::size_t kWindowBytes = 64u << 10, kOverlapBytes = 4u << 10;
// Findings that are no further apart belong together.
constexpr std::uint32_t kNeighbours = 500;
// Every README has these; together they count no more than this.
constexpr double kMostOfWeak = 26;
// A second rule of the same kind says a little more.
constexpr double kShareOfSecond = 0.3;
// A redaction that leaves less than this share of a text, or is longer than this, is a withheld result.
constexpr double kMostRedacted = 0.6;
constexpr std::size_t kLongestSpan = 8192, kMostSpans = 64;

// A cut costs little, so it is made early; a whole result that is withheld in error costs most.
int threshold_of(Policy policy) {
  switch (policy) {
    case Policy::kRedact: return 55;
    case Policy::kWithhold: return 65;
    case Policy::kWarn:
    case Policy::kAsk: break;
  }
  return 60;
}

bool is_weak(std::size_t category) {
  return category == static_cast<std::size_t>(Category::kImperative) ||
         category == static_cast<std::size_t>(Category::kAuthority) ||
         category == static_cast<std::size_t>(Category::kDanger);
}

struct Cluster {
  struct Kind {
    double most = 0, second = 0;  // of different rules
    std::string_view rule;        // of the first
  };
  std::uint32_t begin = 0, end = 0;
  std::array<Kind, kCategories> kinds{};
  std::vector<std::string_view> rules;

  void add(const Hit& hit) {
    end = std::max(end, hit.end);
    Kind& kind = kinds[static_cast<std::size_t>(hit.category)];
    if (hit.weight > kind.most) {
      if (kind.rule != hit.rule) kind.second = kind.most;
      kind.most = hit.weight;
      kind.rule = hit.rule;
    } else if (hit.rule != kind.rule) {
      kind.second = std::max(kind.second, hit.weight);
    }
    rules.push_back(hit.rule);
  }
  int score() const {
    double strong = 0, weak = 0;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      (is_weak(i) ? weak : strong) += kinds[i].most + (is_weak(i) ? 0 : kShareOfSecond * kinds[i].second);
    return static_cast<int>(std::min(100.0, strong + std::min(weak, kMostOfWeak)));
  }
};

std::vector<Cluster> clusters_of(Hits hits) {
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.begin < b.begin; });
  std::vector<Cluster> clusters;
  for (const Hit& hit : hits) {
    if (clusters.empty() || hit.begin > clusters.back().end + kNeighbours) {
      clusters.emplace_back();
      clusters.back().begin = hit.begin;
    }
    clusters.back().add(hit);
  }
  return clusters;
}

// The lines that hold a cluster, no longer than reason allows.
std::pair<std::uint64_t, std::uint64_t> lines_around(std::string_view output, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kLongestLine = 600;
  const std::uint64_t first = begin > kLongestLine ? begin - kLongestLine : 0;
  const std::size_t break_before = begin == 0 ? std::string_view::npos : output.rfind('\n', begin - 1);
  begin = break_before == std::string_view::npos ? first : std::max<std::uint64_t>(first, break_before + 1);
  const std::uint64_t last = std::min<std::uint64_t>(output.size(), end + kLongestLine);
  end = std::min<std::uint64_t>(last, output.find('\n', end));
  while (begin > 0 && (static_cast<unsigned char>(output[begin]) & 0xC0) == 0x80) --begin;
  while (end < output.size() && (static_cast<unsigned char>(output[end]) & 0xC0) == 0x80) ++end;
  return {begin, end};
}

class Gathering {
 public:
  Gathering(std::string_view output, Policy policy) : output_(output), policy_(policy) {}

  void add(std::size_t offset, const std::vector<Cluster>& clusters) {
    for (const Cluster& cluster : clusters) {
      const int score = cluster.score();
      result_.score = std::max(result_.score, score);
      if (score < threshold_of(policy_)) continue;
      rules_.insert(cluster.rules.begin(), cluster.rules.end());
      const auto span = lines_around(output_, offset + cluster.begin, offset + cluster.end);
      if (!result_.spans.empty() && span.first <= result_.spans.back().second)
        result_.spans.back().second = std::max(result_.spans.back().second, span.second);
      else
        result_.spans.push_back(span);
    }
  }

  Assessment finish() {
    result_.complete = output_.size() <= kMostBytes;
    result_.rules.assign(rules_.begin(), rules_.end());
    if (result_.spans.empty()) return std::move(result_);
    std::uint64_t bytes = 0;
    bool too_long = result_.spans.size() > kMostSpans;
    for (const auto& [begin, end] : result_.spans) {
      bytes += end - begin;
      too_long = too_long || end - begin > kLongestSpan;
    }
    const bool most = static_cast<double>(bytes) > kMostRedacted * static_cast<double>(output_.size());
    const bool whole = policy_ == Policy::kWithhold || policy_ == Policy::kAsk || too_long || most;
    result_.verdict = whole ? Verdict::kWithhold : Verdict::kRedact;
    return std::move(result_);
  }

 private:
  std::string_view output_;
  Policy policy_;
  Assessment result_;
  std::set<std::string_view> rules_;
};

}  // namespace

std::optional<Policy> policy_of(std::string_view name) {
  if (name == "warn") return Policy::kWarn;
  if (name == "redact") return Policy::kRedact;
  if (name == "withhold") return Policy::kWithhold;
  if (name == "ask") return Policy::kAsk;
  return std::nullopt;
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAllow: return "allow";
    case Verdict::kRedact: return "redact";
    case Verdict::kWithhold: return "withhold";
  }
  return "";
}

Hits Assessor::find(std::string_view window, bool decode) const {
  constexpr double kEncoded = 34, kLeastInside = 24;
  Hits hits;
  const Folded text = fold(window);
  const std::vector<Word> words = read_words(vocabulary_, text.text);
  find_phrases(text, words, hits);
  markers_.find(text, hits);
  discount_quoted(window, text, words, hits);
  if (decode) {
    for (const Blob& blob : find_encoded(window)) {
      double most = 0;
      for (Hit hit : find(blob.text, false)) {
        most = std::max(most, hit.weight);
        hit.begin = blob.begin, hit.end = blob.end;
        hits.push_back(hit);
      }
      if (most >= kLeastInside) hits.push_back({blob.rule, Category::kEncoded, kEncoded, blob.begin, blob.end, false});
    }
  }
  add_hidden(find_hidden(window, text), hits);
  return hits;
}

Assessment Assessor::assess(std::string_view output, Policy policy) const {
  Gathering gathering(output, policy);
  const std::string_view looked_at = output.substr(0, kMostBytes);
  for (std::size_t at = 0; at < looked_at.size();) {
    const std::string_view window = looked_at.substr(at, kWindowBytes);
    gathering.add(at, clusters_of(find(window, true)));
    if (at + window.size() >= looked_at.size()) break;
    at += kWindowBytes - kOverlapBytes;
    while ((static_cast<unsigned char>(looked_at[at]) & 0xC0) == 0x80) --at;
  }
  return gathering.finish();
}

}  // namespace magi::assess
