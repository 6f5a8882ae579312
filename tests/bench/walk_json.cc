// Walks a file of JSON lines with simdjson and does nothing else: what reading a session could cost at best.
#include <simdjson.h>

#include <cstdio>

namespace {

using namespace simdjson;

std::size_t walk(ondemand::value value) {
  std::size_t seen = 1;
  if (value.type() == ondemand::json_type::object) {
    for (auto field : value.get_object()) seen += walk(field.value());
  } else if (value.type() == ondemand::json_type::array) {
    for (auto element : value.get_array()) seen += walk(element.value());
  } else {
    seen += value.raw_json_token().size() > 0;
  }
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const padded_string text = padded_string::load(argv[1]);
    ondemand::parser parser;
    std::size_t values = 0;
    ondemand::document_stream documents = parser.iterate_many(text, 32u << 20);
    for (auto document : documents)
      for (auto field : document.get_object()) values += walk(field.value());
    std::printf("%zu\n", values);
  } catch (const simdjson_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
