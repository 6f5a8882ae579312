// The same code is compiled for several instruction sets.  Each compilation has a namespace of its own, so that the
// linker never takes a function of one for that of another.
#pragma once

#ifndef MAGI_O200K_ISA
#define MAGI_O200K_ISA portable
#endif
