#define MAGI_O200K_ISA portable
#include "libcommon/tokens/o200k/engine_impl.h"
