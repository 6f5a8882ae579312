#include "libcommon/session/paths.h"
