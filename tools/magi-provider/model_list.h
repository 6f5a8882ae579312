// The models that a server says it has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-provider/transport.h"

namespace magi::provider {

struct Model {
  std::string id, display_name;
  std::optional<std::int64_t> context_window;  // in tokens, where the server tells
  std::optional<std::int64_t> max_input_tokens, max_output_tokens;
};

// Of a body as /models answers with it, in any of the shapes that servers use, in their order.  kUpstream where it is
// none.
Result<std::vector<Model>> read_models(std::string_view body);

// One GET of the list.
class ModelListing final : public TransferObserver {
 public:
  void on_head(const ResponseHead& head) override { head_ = head; }
  void on_bytes(std::string_view bytes) override;
  void on_sent() override {}

  // Call once the transfer is over; `failure` says how it broke, if it did.  Nothing: models() holds the list.
  std::optional<Failure> finish(const std::optional<Failure>& failure);
  const std::vector<Model>& models() const { return models_; }

 private:
  ResponseHead head_;
  std::string body_;
  std::vector<Model> models_;
};

}  // namespace magi::provider
