// Appends one record to a new session in the home that it is given, and says how that went.
#include <cstdio>

#include "libcommon/session/writer.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  magi::session::Writer writer = magi::session::Writer::create(magi::session::Home(argv[1]), {"/project"});
  magi::event::UserInput input;
  input.turn_id = "t";
  input.text = "hello";
  const auto id = writer.append(input, magi::session::Durability::kRequired);
  std::puts(id ? "stored" : id.error().what.c_str());
  return id ? 0 : 1;
}
