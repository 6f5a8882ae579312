#include "tools/magi-mcp/result.h"

#include "libcommon/base/base64.h"
#include "libcommon/base/image_header.h"
#include "libcommon/base/utf8.h"
#include "libcommon/digest/sha256.h"

namespace magi::mcp {
namespace {

constexpr std::size_t kMostOutput = 16u << 20;  // bytes (contracts, section 3)
constexpr std::size_t kMostImages = 16;
constexpr std::size_t kLargestImage = 5'000'000;  // characters of base64: what every provider takes
constexpr std::uint32_t kMostPixels = 8000;       // a side

class Reader {
 public:
  void item(const json::Node& item);
  void structured(const json::Node& value);
  CallResult take() { return std::move(result_); }
  bool empty() const { return result_.output.empty(); }

 private:
  void line(std::string_view text);
  void image(const std::string& data, const std::string& said);
  void resource(const json::Node& resource);

  CallResult result_;
};

// Each piece of content on lines of its own.
void Reader::line(std::string_view text) {
  std::string& out = result_.output;
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  const std::size_t room = kMostOutput - std::min(kMostOutput, out.size());
  const std::size_t kept = text.size() <= room ? text.size() : utf8::floor_boundary(text, room);
  out += text.substr(0, kept);
  result_.omitted_bytes += static_cast<std::int64_t>(text.size() - kept);
}

void Reader::image(const std::string& data, const std::string& said) {
  const auto start = base64_decoded(data, kImageHeaderBytes);
  if (!start) return line("[an image that is no base64]");
  const ImageHeader header = read_image_header(*start);
  const std::string shape =
      header.width ? ", " + std::to_string(header.width) + " x " + std::to_string(header.height) : "";
  if (header.media_type.empty()) return line("[an image of a kind that models do not read: " + quoted(said) + "]");
  const std::string name = std::string(header.media_type) + shape;
  if (data.size() > kLargestImage)
    return line("[image " + name + ": too large to be shown, " + std::to_string(data.size() / 4 * 3) + " bytes]");
  if (header.width > kMostPixels || header.height > kMostPixels)
    return line("[image " + name + ": too large to be shown]");
  if (result_.parts.size() == kMostImages) return line("[image " + name + ": more than can be shown]");
  const std::string bytes = base64_decoded(data, data.size()).value_or("");
  event::Part part;
  part.type = "image";
  part.media_type = header.media_type;
  part.sha256 = sha256_hex(bytes);
  part.bytes = static_cast<std::int64_t>(bytes.size());
  part.data = data;
  result_.parts.push_back(std::move(part));
  line("[image " + name + ", " + std::to_string(bytes.size()) + " bytes]");
}

void Reader::resource(const json::Node& resource) {
  const std::string uri = resource.find("uri").as_string().value_or("");
  const std::string type = resource.find("mimeType").as_string().value_or("");
  if (const auto text = resource.find("text").as_string()) {
    line("[resource " + uri + "]");
    return line(*text);
  }
  const std::string blob = resource.find("blob").as_string().value_or("");
  if (type.starts_with("image/")) {
    line("[resource " + uri + "]");
    return image(blob, type);
  }
  line("[resource " + uri + (type.empty() ? "" : ", " + type) + ", " + std::to_string(blob.size() / 4 * 3) +
       " bytes: not text]");
}

void Reader::item(const json::Node& item) {
  const std::string kind = item.find("type").as_string().value_or("");
  const auto is = [&](std::string_view form) { return kind == form; };
  if (is("text")) {
    line(item.find("text").as_string().value_or(""));
  } else if (is("image")) {
    image(item.find("data").as_string().value_or(""), item.find("mimeType").as_string().value_or(""));
  } else if (is("resource")) {
    resource(item.find("resource"));
  } else if (is("resource_link")) {
    const std::string title = item.find("title").as_string().value_or(item.find("name").as_string().value_or(""));
    line(title + " <" + item.find("uri").as_string().value_or("") + ">");
    if (const auto described = item.find("description").as_string()) line(*described);
  } else {
    line("[" + (kind.empty() ? "content" : kind.substr(0, 64)) + ": not text]");
  }
}

void Reader::structured(const json::Node& value) {
  std::string text;
  json::append_compact(text, value.raw());
  line(text);
}

}  // namespace

Result<CallResult> read_call_result(const json::Node& result) {
  const json::Node content = result.find("content"), structured = result.find("structuredContent");
  if (!content.is(json::Kind::kArray) && !structured)
    return make_error(ErrorCode::kUpstream, "it answered with what is no result of a call");
  Reader reader;
  for (const json::Node item : content.elements()) reader.item(item);
  // Servers give the same as content for those who know nothing of structure.
  if (structured && !structured.is(json::Kind::kNull) && reader.empty()) reader.structured(structured);
  CallResult out = reader.take();
  out.is_error = result.find("isError").as_bool().value_or(false);
  return out;
}

}  // namespace magi::mcp
