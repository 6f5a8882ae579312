// A request body in pieces: megabytes of history are appended once and never copied again.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace magi::provider {

class Body {
 public:
  // Where to append next.  Calls may begin a new piece; what is held between two calls stays in one piece.
  std::string& out();

  // A place behind which text may still be put: between the last call of out() and now.
  struct Mark {
    std::size_t piece = 0, offset = 0;
  };
  // Requires: out() has been called.
  Mark mark() const { return {pieces_.size() - 1, pieces_.back().size()}; }
  void insert(const Mark& mark, std::string_view text) { pieces_[mark.piece].insert(mark.offset, text); }

  void prepend(std::string text) { pieces_.push_front(std::move(text)); }
  std::size_t size() const;
  const std::deque<std::string>& pieces() const { return pieces_; }
  std::string text() const;

 private:
  static constexpr std::size_t kPieceBytes = 256 * 1024;
  std::deque<std::string> pieces_;
};

}  // namespace magi::provider
