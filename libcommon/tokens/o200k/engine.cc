#include "libcommon/tokens/o200k/engine.h"

namespace magi::o200k {

// Each compilation of engine_impl.h has one of these.
namespace portable {
Engine* new_engine();
}
#if defined(__x86_64__)
namespace avx2 {
Engine* new_engine();
}
#endif

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kPortable: return "portable";
    case Isa::kAvx2: return "avx2";
  }
  return "";
}

Isa best_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
    return Isa::kAvx2;
#endif
  return Isa::kPortable;
}

std::unique_ptr<Engine> make_engine(Isa isa) {
  Engine* engine = nullptr;
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) engine = avx2::new_engine();
#endif
  if (isa == Isa::kPortable) engine = portable::new_engine();
  return std::unique_ptr<Engine>(engine);
}

}  // namespace magi::o200k
