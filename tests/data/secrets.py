#!/usr/bin/env python3
"""200 synthetic secrets, one JSON object a line: {"kind", "secret"}.  None was ever valid; made from a fixed seed.

They are put together here, so that no file of ours holds what looks like a key.
"""
import base64
import json
import random
import string
import sys

LETTERS, LOWER, UPPER, DIGITS = string.ascii_letters, string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM, URL_SAFE = LETTERS + DIGITS, LETTERS + DIGITS + "-_"

SHAPES = [
    ("sk-" + "ant-api03-", URL_SAFE, 95), ("sk-" + "ant-oat01-", URL_SAFE, 95), ("sk-" + "proj-", URL_SAFE, 120),
    ("sk-" + "svcacct-", URL_SAFE, 100), ("sk-" + "or-v1-", DIGITS + "abcdef", 64), ("sk-", ALNUM, 48),
    ("gh" + "p_", ALNUM, 36), ("gh" + "o_", ALNUM, 36), ("gh" + "s_", ALNUM, 36), ("github" + "_pat_", ALNUM + "_", 82),
    ("gl" + "pat-", URL_SAFE, 20), ("AK" + "IA", UPPER + DIGITS, 16), ("AS" + "IA", UPPER + DIGITS, 16),
    ("AI" + "za", URL_SAFE, 35), ("xo" + "xb-", DIGITS + "-" + ALNUM, 50), ("xo" + "xp-", DIGITS + "-" + ALNUM, 70),
    ("sk" + "_live_", ALNUM, 24), ("rk" + "_live_", ALNUM, 24), ("np" + "m_", ALNUM, 36), ("h" + "f_", ALNUM, 34),
    ("dckr" + "_pat_", URL_SAFE, 27), ("dop" + "_v1_", DIGITS + "abcdef", 64), ("shp" + "at_", DIGITS + "abcdef", 32),
    ("gs" + "k_", ALNUM, 52), ("pypi" + "-AgEIcHlwaS5vcmc", URL_SAFE, 120), ("hv" + "s.", URL_SAFE, 90),
]


def jwt(rng):
    part = lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    return ".".join([part('{"alg":"HS256","typ":"JWT"}'), part('{"sub":"%d","name":"n%d"}' % (rng.randrange(10**9), rng.randrange(99))),
                     base64.urlsafe_b64encode(rng.randbytes(32)).decode().rstrip("=")])


def pem(rng, label):
    body = base64.b64encode(rng.randbytes(200)).decode()
    lines = [body[i:i + 64] for i in range(0, len(body), 64)]
    return "\n".join(["-----BEGIN " + label + "-----", *lines, "-----END " + label + "-----"])


def main():
    rng = random.Random(9)
    made = []
    for number in range(156):
        prefix, alphabet, length = SHAPES[number % len(SHAPES)]
        made.append(("shape", prefix + "".join(rng.choice(alphabet[-62:] if i in (0, length - 1) else alphabet) for i in range(length))))
    made += [("jwt", jwt(rng)) for _ in range(14)]
    made += [("pem", pem(rng, "RSA PRIVATE" + " KEY" if i % 2 else "OPENSSH PRIVATE" + " KEY")) for i in range(10)]
    made += [("password", "Pw" + "".join(rng.choice(ALNUM) for _ in range(14)) + "7x") for _ in range(20)]
    for kind, secret in made:
        json.dump({"kind": kind, "secret": secret}, sys.stdout)
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
