#define MAGI_O200K_ISA avx2
#include "libcommon/tokens/o200k/engine_impl.h"
