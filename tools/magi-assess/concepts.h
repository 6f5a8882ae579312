// What a word may mean in an instruction, over many languages: the vocabulary that phrases are made of.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace magi::assess {

using Concepts = std::uint32_t;
inline constexpr Concepts kIgnore = 1u << 0;    // put aside, override
inline constexpr Concepts kPrevious = 1u << 1;  // what came before; also "system", "safety": what is above the task
inline constexpr Concepts kInstruction = 1u << 2;
inline constexpr Concepts kAll = 1u << 3;
inline constexpr Concepts kModel = 1u << 4;  // whom an injection addresses
inline constexpr Concepts kMust = 1u << 5;
inline constexpr Concepts kAct = 1u << 6;  // what it wants done
inline constexpr Concepts kSend = 1u << 7;
inline constexpr Concepts kSecret = 1u << 8;
inline constexpr Concepts kNever = 1u << 9;  // "do not", "without"
inline constexpr Concepts kTell = 1u << 10;
inline constexpr Concepts kUser = 1u << 11;
inline constexpr Concepts kYou = 1u << 12;
inline constexpr Concepts kNow = 1u << 13;
inline constexpr Concepts kRole = 1u << 14;  // a task or a character that is given anew
inline constexpr Concepts kRead = 1u << 15;  // what the model is doing with the text
inline constexpr Concepts kThis = 1u << 16;
inline constexpr Concepts kReveal = 1u << 17;
inline constexpr Concepts kAsk = 1u << 18;  // for approval
inline constexpr Concepts kApproval = 1u << 19;
inline constexpr Concepts kAddress = 1u << 20;  // somewhere that things are sent to
inline constexpr Concepts kNew = 1u << 21;
inline constexpr Concepts kSystem = 1u << 22;  // what stands above the task
inline constexpr Concepts kDanger = 1u << 23;  // commands that destroy or fetch and run
inline constexpr Concepts kIf = 1u << 24;
inline constexpr Concepts kDiscuss = 1u << 25;  // words of those who write about attacks
inline constexpr Concepts kNoun = 1u << 26;     // an object of ordinary overriding: "previous value"
inline constexpr Concepts kTo = 1u << 27;
inline constexpr Concepts kAfterBreak = 1u << 28;  // a comma or a colon stands before it
inline constexpr Concepts kCovertly = 1u << 29;

struct Word {
  std::uint32_t begin, end;  // in the folded text
  Concepts concepts;
  std::uint32_t sentence, line;
};

class Vocabulary {
 public:
  Vocabulary();
  // Requires: folded.
  Concepts of(std::string_view word) const;

 private:
  std::deque<std::string> storage_;  // folded, as texts are
  std::unordered_map<std::string_view, Concepts> words_, stems_;
  std::bitset<65536> stem_starts_;  // by the first two bytes of stems
};

// The words of a folded text.
std::vector<Word> read_words(const Vocabulary& vocabulary, std::string_view folded);

}  // namespace magi::assess
