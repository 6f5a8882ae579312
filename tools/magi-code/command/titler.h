// Asks the cheap model that settings name for a session's title, once, in the background (requirement S9).  Whatever
// goes wrong is silent: the title from the first prompt stays.
#pragma once

#include <memory>
#include <string>

#include "tools/magi-code/command/assembly.h"

namespace magi::code {

class Titler {
 public:
  Titler(const Setting& setting, Assembly& assembly);
  ~Titler();
  Titler(const Titler&) = delete;
  Titler& operator=(const Titler&) = delete;

  // The first input of a session that is new asks for a title once its turn has ended.
  void note_input(const std::string& prompt);
  void after_turn(const std::string& status);
  // Lets a request that is under way end, for a moment, and stores the title.
  void finish();

 private:
  void take_line(std::string_view line);
  void store();

  const Setting& setting_;
  Assembly& assembly_;
  std::string prompt_;  // empty: nothing to ask
  bool asked_ = false;
  std::string title_;
  bool answered_ = false;  // whole
  std::unique_ptr<CoProcess> child_;
  json::Parser parser_;
};

}  // namespace magi::code
