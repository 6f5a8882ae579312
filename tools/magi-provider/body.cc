#include "tools/magi-provider/body.h"

namespace magi::provider {

std::string& Body::out() {
  if (pieces_.empty()) return pieces_.emplace_back();
  if (pieces_.back().size() < kPieceBytes) return pieces_.back();
  pieces_.emplace_back().reserve(kPieceBytes + kPieceBytes / 4);
  return pieces_.back();
}

std::size_t Body::size() const {
  std::size_t bytes = 0;
  for (const std::string& piece : pieces_) bytes += piece.size();
  return bytes;
}

std::string Body::text() const {
  std::string whole;
  whole.reserve(size());
  for (const std::string& piece : pieces_) whole += piece;
  return whole;
}

}  // namespace magi::provider
