#define OPENSSL_SUPPRESS_DEPRECATED
#include "libcommon/digest/sha256.h"

#include <openssl/sha.h>

#include <cstring>
#include <new>

namespace magi {
namespace {

SHA256_CTX* context(unsigned char* state) { return std::launder(reinterpret_cast<SHA256_CTX*>(state)); }

}  // namespace

Sha256::Sha256() {
  static_assert(sizeof(SHA256_CTX) == sizeof(state_));
  SHA256_Init(new (state_.data()) SHA256_CTX);
}

void Sha256::update(std::string_view bytes) { SHA256_Update(context(state_.data()), bytes.data(), bytes.size()); }

std::string Sha256::hex() const {
  static constexpr char kHex[] = "0123456789abcdef";
  Sha256 copy = *this;
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_Final(digest, context(copy.state_.data()));
  std::string out;
  out.reserve(2 * sizeof digest);
  for (unsigned char byte : digest) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

}  // namespace magi
