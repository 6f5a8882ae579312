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
namespace avx512 {
Engine* new_engine();
}
#endif

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kPortable: return "portable";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvx512: return "avx512";
  }
  return "";
}

Isa best_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt");
  if (has_avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return Isa::kAvx512;
  if (has_avx2) return Isa::kAvx2;
#endif
  return Isa::kPortable;
}

std::unique_ptr<Engine> make_engine(Isa isa) {
  Engine* engine = nullptr;
#if defined(__x86_64__)
  if (isa == Isa::kAvx512) engine = avx512::new_engine();
  if (isa == Isa::kAvx2) engine = avx2::new_engine();
#endif
  if (isa == Isa::kPortable) engine = portable::new_engine();
  if (!engine) throw std::bad_alloc();
  return std::unique_ptr<Engine>(engine);
}

}  // namespace magi::o200k
