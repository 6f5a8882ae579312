// What a transcript keeps in memory and shows at once; bytes unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace magi::code::tui::limit {

// Of one card: head and tail of a tool's output, of its arguments; of what a person or the model wrote.
inline constexpr std::size_t kOutputHead = 16 * 1024, kOutputTail = 48 * 1024;
inline constexpr std::size_t kArguments = 64 * 1024, kEditArguments = 256 * 1024;
inline constexpr std::size_t kText = 4 * 1024 * 1024;
// Of all cards together.  Beyond it the oldest tools' outputs shrink to their ends, then the oldest texts.
inline constexpr std::size_t kAllTexts = 20 * 1024 * 1024;
inline constexpr std::size_t kShrunkHead = 512, kShrunkTail = 512;

// Laid-out lines that stay in memory beside those in view.
inline constexpr std::size_t kLaidLines = 3000;
// Lines of a code block or of plain text that are laid out together, and the bytes at which they are cut at the latest.
inline constexpr std::size_t kChunkLines = 64;
inline constexpr std::size_t kChunkBytes = 16 * 1024, kParagraphBytes = 4 * 1024;
// A list is divided between its items from this size on.
inline constexpr std::size_t kListBytes = 2 * 1024;

// Lines of a running tool's output in view, of a failed one, and of the diff of an edit.
inline constexpr std::size_t kLiveLines = 6, kErrorLines = 20, kDiffLines = 24;
inline constexpr std::int64_t kMostMatches = 2'000;
// Texts of more lines or bytes are not compared line by line.
inline constexpr std::size_t kDiffLinesCompared = 2000;

}  // namespace magi::code::tui::limit
