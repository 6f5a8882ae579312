// make_tables VOCABULARY CLASSES OUT: writes the tables of layout.h.  Runs while the product is built.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "libcommon/tokens/build/classes.h"
#include "libcommon/tokens/build/perfect_hash.h"
#include "libcommon/tokens/build/vocabulary.h"
#include "libcommon/tokens/o200k/layout.h"
#include "libcommon/tokens/o200k/long_hash.h"

namespace magi::o200k::build {
namespace {

class Image {
 public:
  Image() : bytes_(sizeof(Header), '\0') {}

  template <class T>
  void add(Section section, const std::vector<T>& values) {
    bytes_.resize((bytes_.size() + 63) / 64 * 64);
    header.offsets[section] = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }

  std::string finish() {
    bytes_.resize((bytes_.size() + 127) / 64 * 64);  // readers may look 16 bytes past the last table
    header.magic = kMagic;
    header.size_bytes = static_cast<std::uint32_t>(bytes_.size());
    std::memcpy(bytes_.data(), &header, sizeof header);
    return std::move(bytes_);
  }

  Header header{};

 private:
  std::string bytes_;
};

bool add_short(Image& image, const Vocabulary& vocabulary) {
  std::vector<std::string_view> keys;
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < vocabulary.tokens().size(); ++rank) {
    if (vocabulary.tokens()[rank].size() > kShortBytes) continue;
    keys.push_back(vocabulary.tokens()[rank]);
    ranks.push_back(rank);
  }
  const auto table = make_perfect_hash(keys);
  if (!table) return false;
  std::vector<ShortEntry> entries(table->slots.size());
  std::vector<std::uint8_t> tags(entries.size());
  for (std::size_t slot = 0; slot < entries.size(); ++slot) {
    const std::uint32_t key = table->slots[slot];
    if (key == kNone) continue;
    std::uint64_t words[2] = {0, 0};
    std::memcpy(words, keys[key].data(), keys[key].size());
    std::memcpy(entries[slot].bytes, words, sizeof words);
    tags[slot] = short_tag(short_hash(words[0], words[1], keys[key].size(), table->seed));
    entries[slot].id_and_size = static_cast<std::uint32_t>(keys[key].size()) << 24 | ranks[key];
  }
  image.header.seed = table->seed;
  image.header.short_slots = static_cast<std::uint32_t>(entries.size());
  image.add(kPilots, table->pilots);
  image.add(kShortTags, tags);
  image.add(kShortEntries, entries);
  return true;
}

void add_long(Image& image, const Vocabulary& vocabulary) {
  std::vector<LongSlot> slots(1 << 13);
  const std::uint32_t mask = static_cast<std::uint32_t>(slots.size() - 1);
  std::uint32_t offset = 0;
  for (std::uint32_t rank = 0; rank < vocabulary.tokens().size(); ++rank) {
    const std::string_view token = vocabulary.tokens()[rank];
    if (token.size() > kShortBytes) {
      const auto hash =
          static_cast<std::uint32_t>(long_hash(reinterpret_cast<const std::uint8_t*>(token.data()), token.size()));
      std::uint32_t slot = hash & mask;
      while (slots[slot].size) slot = (slot + 1) & mask;
      slots[slot] = {hash, rank, offset, static_cast<std::uint32_t>(token.size())};
    }
    offset += static_cast<std::uint32_t>(token.size());
  }
  image.header.long_mask = mask;
  image.add(kLongSlots, slots);
}

// Equal blocks are stored once.
template <class Index, class T>
void add_blocks(Image& image, Section index_section, Section block_section, const std::vector<T>& values,
                std::size_t block_size) {
  std::map<std::vector<T>, std::size_t> known;
  std::vector<Index> index;
  std::vector<T> blocks;
  for (std::size_t at = 0; at < values.size(); at += block_size) {
    const std::vector<T> block(values.begin() + static_cast<std::ptrdiff_t>(at),
                               values.begin() + static_cast<std::ptrdiff_t>(at + block_size));
    const auto [found, is_new] = known.try_emplace(block, known.size());
    if (is_new) blocks.insert(blocks.end(), block.begin(), block.end());
    index.push_back(static_cast<Index>(found->second));
  }
  image.add(index_section, index);
  image.add(block_section, blocks);
}

void add_tokens(Image& image, const Vocabulary& vocabulary) {
  std::vector<std::uint32_t> byte_ids(256), ascii_pairs(128 * 128, kNone);
  std::vector<char> bytes;
  std::vector<std::uint8_t> lengths;
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t rank = 0; rank < vocabulary.tokens().size(); ++rank) {
    const std::string_view token = vocabulary.tokens()[rank];
    if (token.size() == 1) byte_ids[static_cast<std::uint8_t>(token[0])] = rank;
    if (token.size() == 2 && static_cast<std::uint8_t>(token[0]) < 128 && static_cast<std::uint8_t>(token[1]) < 128)
      ascii_pairs[static_cast<std::size_t>(token[0]) * 128 + static_cast<std::size_t>(token[1])] = rank;
    if (rank % 64 == 0) offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
    lengths.push_back(static_cast<std::uint8_t>(token.size()));
    bytes.insert(bytes.end(), token.begin(), token.end());
  }
  image.add(kAsciiPairs, ascii_pairs);
  image.add(kByteIds, byte_ids);
  image.add(kTokenBytes, bytes);
  image.add(kTokenLengths, lengths);
  image.add(kTokenOffsets, offsets);
}

Result<std::string> make_image(std::string vocabulary_bytes, const std::string& class_text) {
  MAGI_TRY(const Vocabulary vocabulary, Vocabulary::parse(std::move(vocabulary_bytes)));
  MAGI_TRY(const std::vector<std::uint8_t> classes, parse_classes(class_text));
  Image image;
  if (!add_short(image, vocabulary)) return make_error(ErrorCode::kLimit, "no perfect hash found");
  add_long(image, vocabulary);
  add_blocks<std::uint8_t>(image, kClassIndex, kClassBlocks, classes, kClassBlockSize);
  MAGI_TRY(const CharStarts starts, char_starts(vocabulary));
  add_blocks<std::uint16_t>(image, kCharIndex, kCharIds, starts.characters, kCharBlockSize);
  image.add(kCharsAfter, starts.after);
  image.add(kCharsBefore, starts.before);
  add_tokens(image, vocabulary);
  return image.finish();
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Result<std::string> read_file(const char* name) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(name, "rb"));
  if (!file) return make_error(ErrorCode::kIo, "cannot open ", quoted(name));
  std::string text;
  char block[1 << 16];
  while (const std::size_t size = std::fread(block, 1, sizeof block, file.get())) text.append(block, size);
  return text;
}

Result<void> run(char** files) {
  MAGI_TRY(std::string vocabulary, read_file(files[0]));
  MAGI_TRY(const std::string classes, read_file(files[1]));
  MAGI_TRY(const std::string image, make_image(std::move(vocabulary), classes));
  const std::unique_ptr<std::FILE, Close> out(std::fopen(files[2], "wb"));
  if (!out || std::fwrite(image.data(), 1, image.size(), out.get()) != image.size() || std::fflush(out.get()) != 0)
    return make_error(ErrorCode::kIo, "cannot write ", quoted(files[2]));
  return {};
}

}  // namespace
}  // namespace magi::o200k::build

int main(int argc, char** argv) {
  if (argc != 4) return std::fputs("usage: make_tables VOCABULARY CLASSES OUT\n", stderr), 2;
  if (auto made = magi::o200k::build::run(argv + 1); !made)
    return std::fprintf(stderr, "make_tables: %s\n", made.error().what.c_str()), 1;
  return 0;
}
