// Loaded in front of libc: a resolver that takes its time, as one whose servers do not answer.
#include <netdb.h>
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char*, const char*, const addrinfo*,
                                                                  addrinfo**) {
  sleep(20);
  return EAI_AGAIN;
}
