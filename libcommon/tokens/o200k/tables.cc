// The tables themselves: MAGI_O200K_TABLES is the file that build/make_tables wrote.
#include "libcommon/tokens/o200k/tables.h"

asm(R"(
  .pushsection .rodata.magi_o200k_tables, "a", %progbits
  .global magi_o200k_tables
  .hidden magi_o200k_tables
  .balign 64
magi_o200k_tables:
  .incbin ")" MAGI_O200K_TABLES R"("
  .popsection
)");
