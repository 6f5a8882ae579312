# shellcheck disable=SC2034 # the tests use what is set here
# Helpers for tests of TLS and proxies: `load edge` beside `load helper` and `load fake`.  What they start stands between
# a client and a fake server, and dies with the test's process.  tests/fake/README.md describes magi-fake-edge.

# make_certificates DIR [NAME...]: a private CA and a server certificate for NAMES (localhost and the loopback addresses
# unless given), as DIR/ca.pem, DIR/server.pem and DIR/server-key.pem.  CERT_DAYS=-1 makes one that has expired.
make_certificates() {
  local dir=$1 names=() name
  shift
  (($#)) || set -- localhost 127.0.0.1 ::1
  for name; do
    case $name in
      *:* | *[0-9].[0-9]*) names+=("IP:$name") ;;
      *) names+=("DNS:$name") ;;
    esac
  done
  mkdir -p "$dir"
  (
    cd "$dir" || exit 1
    IFS=,
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj "/CN=magi test CA" \
      -addext basicConstraints=critical,CA:TRUE -keyout ca-key.pem -out ca.pem
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=magi test server" \
      -keyout server-key.pem -out server.csr
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days "${CERT_DAYS:-30}" \
      -extfile <(printf 'subjectAltName=%s\n' "${names[*]}") -out server.pem
  ) >"$dir/openssl.log" 2>&1 || { cat "$dir/openssl.log" >&2; return 1; }
}

# start_edge MODE OPTIONS...: sets EDGE_PORT and EDGE_LOG.
start_edge() {
  local dir
  dir=$(mktemp -d "${BATS_TEST_TMPDIR:-${TMPDIR:-/tmp}}/edge.XXXXXX")
  EDGE_LOG=$dir/log.jsonl
  : >"$EDGE_LOG"
  "$MAGI_BIN/../tests/magi-fake-edge" "$@" --log "$EDGE_LOG" --port-file "$dir/port" --exit-with $$ --max-life 300 \
    </dev/null >"$dir/out" 2>&1 3>&- 4>&- &
  disown $!
  FAKE_PIDS+=($!)
  await_port "$dir" || return 1
  EDGE_PORT=$(cat "$dir/port")
}

# start_tls CERTIFICATE-DIR PORT [OPTIONS]: HTTPS in front of the plain server on PORT.  Sets TLS_PORT and TLS_LOG.
start_tls() {
  local dir=$1 port=$2
  shift 2
  start_edge tls --to "$port" --certificate "$dir/server.pem" --key "$dir/server-key.pem" "$@" || return 1
  TLS_PORT=$EDGE_PORT TLS_LOG=$EDGE_LOG
}

# start_proxy PORT [OPTIONS]: a proxy that takes every host to PORT.  Sets PROXY_PORT, PROXY_URL and PROXY_LOG.
start_proxy() {
  local port=$1
  shift
  start_edge proxy --to "$port" "$@" || return 1
  PROXY_PORT=$EDGE_PORT PROXY_URL=http://127.0.0.1:$EDGE_PORT PROXY_LOG=$EDGE_LOG
}
