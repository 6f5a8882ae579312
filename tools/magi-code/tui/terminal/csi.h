// Control sequences of a terminal's keys, mouse and answers, once they are whole.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/terminal/decoder.h"

namespace magi::code::tui {

// "CSI prefix parameters intermediate final"; parameters with their sub-parameters, -1 where one is left out.
struct Csi {
  char prefix = 0, intermediate = 0, final = 0;
  std::vector<std::vector<int>> parameters;

  // Parameter `index`, 0 where it is missing; `sub` counts from 0.
  int at(std::size_t index, std::size_t sub = 0) const;
};
// `body` stands between "ESC [" and the final byte.
Csi parse_csi(std::string_view body, char final);

// Appends what it means, to which `alt` belongs; nothing for sequences that are not known.  Not for pastes.
void dispatch_csi(const Csi& csi, bool alt, DecodedInput& out);
// ESC O [modifier] final.
void dispatch_ss3(int modifier, char final, bool alt, DecodedInput& out);
// An operating system command or device control string, without its introducer (']' or 'P' is `kind`) and its end.
void dispatch_string(char kind, std::string_view body, DecodedInput& out);

// A control character other than ESC as a key; `alt` where an ESC stood before it.
Key control_key(unsigned char byte, bool alt);
// A character typed with Alt: plain and lower-case, `shift` where it was not.
Key alt_key(std::string_view character);

}  // namespace magi::code::tui
