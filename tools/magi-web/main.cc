// magi-web: fetches a page of the Web and prints it as text.  See magi-web(1).
#include "tools/magi-web/web.h"

int main(int argc, char** argv, char** envp) {
  return magi::tool::run_main("magi-web", argc, argv, envp, magi::web::run);
}
