// HTML entities of Markdown texts: the common names, and numbers.
#pragma once

#include <string>
#include <string_view>

namespace magi::code::tui {

// "&amp;" -> "&"; what nobody knows stays as it is.  The result may hold control characters.
std::string decode_entity(std::string_view entity);

}  // namespace magi::code::tui
