#define MAGI_O200K_ISA avx512
#include "libcommon/tokens/o200k/engine_impl.h"
