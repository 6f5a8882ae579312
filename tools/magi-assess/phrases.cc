#include "tools/magi-assess/phrases.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace magi::assess {
namespace {

// One of the concepts `any` at most `within` words behind the step before.  `unless`: a word with one of these does not
// count.
struct Step {
  Concepts any;
  std::size_t within = 0;
  Concepts all = 0;  // and with all of these
};

struct Phrase {
  std::string_view rule;
  Category category;
  double weight;
  std::array<Step, 4> steps;  // the first begins the phrase; an empty one ends it
  Concepts unless = 0;        // behind the first word, before the last
};

constexpr Phrase kPhrases[] = {
    {"override.previous", Category::kOverride, 62, {{{kIgnore}, {kPrevious, 5}, {kInstruction, 3}}}, kNoun},
    {"override.instructions-above", Category::kOverride, 62, {{{kIgnore}, {kInstruction, 5}, {kPrevious, 3}}}, kNoun},
    {"override.previous-are", Category::kOverride, 60, {{{kPrevious}, {kInstruction, 2}, {kIgnore, 4}}}, kNoun},
    {"override.yours", Category::kOverride, 58, {{{kIgnore}, {kYou, 3}, {kInstruction, 4}}}, kNoun},
    {"override.all", Category::kOverride, 34, {{{kIgnore}, {kAll, 2}, {kInstruction, 5}}}, kNoun},
    {"override.everything-before", Category::kOverride, 50, {{{kIgnore}, {kAll, 2}, {kPrevious, 6}}}, kNoun},
    {"override.new-instructions", Category::kOverride, 36, {{{kYou}, {kNew, 3}, {kInstruction | kRole, 3}}}, kNoun},
    {"override.system", Category::kOverride, 44, {{{kIgnore}, {kSystem, 3}, {kInstruction, 2}}}, kNoun},
    {"override.user", Category::kOverride, 40, {{{kYou}, {kMust, 2}, {kIgnore, 2}, {kUser, 3}}}, 0},
    {"role.you-are-now", Category::kRole, 36, {{{kYou}, {kNow, 3}, {kRole | kModel, 7}}}, 0},
    {"role.from-now", Category::kRole, 24, {{{kNow}, {kYou, 3}, {kMust | kAct | kRole, 3}}}, 0},
    {"addressed.reader", Category::kAddressed, 46, {{{kModel}, {kRead, 4}, {kThis, 4}}}, 0},
    {"addressed.if-you-are", Category::kAddressed, 48, {{{kIf}, {kYou, 2}, {kModel, 6}}}, kRead},
    {"addressed.must", Category::kAddressed, 32, {{{kModel}, {kMust, 6}, {kAct, 4}}}, kUser},
    {"addressed.must-open", Category::kAddressed, 48, {{{kModel}, {kMust, 6}, {kAct, 4}, {kAddress, 4}}}, kUser},
    {"addressed.order", Category::kAddressed, 38, {{{kModel}, {kAct | kIgnore | kNever, 7, kAfterBreak}}}, 0},
    {"addressed.as-model", Category::kAddressed, 22, {{{kYou}, {kModel, 4}, {kMust | kAct, 5}}}, 0},
    {"exfiltration.to-address", Category::kExfiltration, 46, {{{kSend}, {kSecret, 8}, {kAddress, 12}}}, 0},
    {"exfiltration.secret", Category::kExfiltration, 16, {{{kSend | kReveal}, {kSecret, 8}}}, 0},
    {"exfiltration.read-and-send", Category::kExfiltration, 40, {{{kSecret}, {kSend, 8}, {kAddress, 10}}}, 0},
    {"secrecy.user", Category::kSecrecy, 50, {{{kNever}, {kTell, 3}, {kUser, 4}}}, 0},
    {"secrecy.then-act", Category::kSecrecy, 60, {{{kNever}, {kTell, 2}, {kUser, 3}, {kAct, 4, kAfterBreak}}}, 0},
    {"secrecy.covertly", Category::kSecrecy, 40, {{{kCovertly}, {kAct, 2}}}, 0},
    {"reveal.prompt", Category::kReveal, 48, {{{kReveal}, {kYou, 3}, {kSystem | kPrevious, 3}, {kInstruction, 2}}}, 0},
    {"reveal.instructions", Category::kReveal, 40, {{{kReveal}, {kYou, 3}, {kInstruction, 3}}}, kNoun},
    {"approval.without-asking", Category::kApproval, 26, {{{kNever}, {kAsk, 3}, {kApproval, 5}}}, 0},
    {"imperative.must", Category::kImperative, 18, {{{kYou}, {kMust, 2}, {kAct, 4}}}, 0},
    {"imperative.please", Category::kImperative, 12, {{{kMust}, {kAct, 2}}}, 0},
};

bool is_ambiguous_model(std::string_view word) {
  static constexpr std::string_view kWords[] = {"agent",    "agents", "model",     "models",    "bot",    "bots",
                                                "reviewer", "cursor", "ki",        "ia",        "modele", "modello",
                                                "modelo",   "agente", "assistent", "assistente"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

class Matcher {
 public:
  Matcher(const Folded& text, const std::vector<Word>& words) : text_(text), words_(words) {}

  void run(Hits& hits) const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (words_[at].concepts == 0) continue;
      for (const Phrase& phrase : kPhrases)
        if (words_[at].concepts & phrase.steps[0].any) add(phrase, at, hits);
    }
  }

 private:
  void add(const Phrase& phrase, std::size_t first, Hits& hits) const {
    const std::size_t last = match(phrase, first);
    if (last == first) return;
    double weight = phrase.weight;
    // Much is written about agents and models; what is said to an assistant is another matter.
    if (phrase.category == Category::kAddressed && (phrase.steps[0].any & kModel) && is_vague(first)) weight /= 2;
    hits.push_back({phrase.rule, phrase.category, weight,
                    static_cast<std::uint32_t>(text_.source_begin(words_[first].begin)),
                    static_cast<std::uint32_t>(text_.source_end(words_[last].end)), false});
  }

  std::string_view word(std::size_t at) const {
    return std::string_view(text_.text).substr(words_[at].begin, words_[at].end - words_[at].begin);
  }

  // "agent", which is not "AI agent".
  bool is_vague(std::size_t at) const {
    if (!is_ambiguous_model(word(at))) return false;
    return at == 0 || (word(at - 1) != "language" && word(at - 1) != "ai" && word(at - 1) != "llm");
  }

  // Index of the last word; `first` where there is no match.
  std::size_t match(const Phrase& phrase, std::size_t first) const {
    std::size_t at = first;
    for (std::size_t step = 1; step < phrase.steps.size() && phrase.steps[step].any != 0; ++step) {
      const std::size_t next = find(phrase, at, phrase.steps[step], words_[first].sentence);
      if (next == at) return first;
      at = next;
    }
    return at;
  }

  std::size_t find(const Phrase& phrase, std::size_t from, const Step& step, std::uint32_t sentence) const {
    // A line break keeps words apart.
    constexpr std::size_t kBreak = 2;
    for (std::size_t at = from + 1; at < words_.size() && words_[at].sentence == sentence; ++at) {
      if (at - from + kBreak * (words_[at].line - words_[from].line) > step.within) break;
      if ((words_[at].concepts & step.any) && (words_[at].concepts & step.all) == step.all) return at;
      if (words_[at].concepts & phrase.unless) return from;
    }
    return from;
  }

  const Folded& text_;
  const std::vector<Word>& words_;
};

}  // namespace

void find_phrases(const Folded& text, const std::vector<Word>& words, Hits& hits) { Matcher(text, words).run(hits); }

}  // namespace magi::assess
