#!/usr/bin/env bats
# The ways to a server: TLS of a private CA, proxies, IPv6, HTTP/2, and what happens when they fail.
load helper
load fake
load edge

setup() {
  common_setup
  export OPENAI_API_KEY=openai-secret-key
  printf '%s\n' '{"type":"request","tools":[{"name":"bash","parameters":{"type":"object","properties":{}}}]}' \
    '{"type":"user","text":"hi"}' '{"type":"end","items":1}' >hi.jsonl
  start_fake '{"turns":[{"text":"ok"}]}'
}
teardown() {
  exec 7>&- 8<&-
  [ -z "${H2_PID-}" ] || kill "$H2_PID" 2>/dev/null || true
  stop_fake
}

# to URL OPTIONS...: asks the service there.
to() {
  local url=$1
  shift
  run_tool magi-provider --provider openai --base-url "$url" -m mock-model --retries 0 "$@" <hi.jsonl
}
records() { jq -rc --arg type "$1" 'select(.type == $type)' <<<"$output" | jq -rc "${2:-.}"; }
said() { records text .text | tr -d '\n'; }

@test "a certificate of a private CA is trusted where SSL_CERT_FILE says so, and nowhere else" {
  make_certificates tls
  start_tls tls "$FAKE_PORT"
  SSL_CERT_FILE=$PWD/tls/ca.pem to "https://127.0.0.1:$TLS_PORT/v1"
  assert_success
  assert_equal "$(said)" ok
  SSL_CERT_FILE=$PWD/tls/ca.pem to "https://localhost:$TLS_PORT/v1"
  assert_success
  to "https://127.0.0.1:$TLS_PORT/v1" --retries 5
  assert_failure 1
  assert_equal "$(records error '[.category,.retryable]')" '["certificate",false]'
  assert_equal "$(records attempt .number)" 1
  assert_equal "$(fake_count)" 2
}

@test "the certificate of another host, and one that has expired, are refused" {
  make_certificates other other.example
  start_tls other "$FAKE_PORT"
  SSL_CERT_FILE=$PWD/other/ca.pem to "https://127.0.0.1:$TLS_PORT/v1"
  assert_failure 1
  assert_equal "$(records error .category)" certificate
  CERT_DAYS=-1 make_certificates old
  start_tls old "$FAKE_PORT"
  SSL_CERT_FILE=$PWD/old/ca.pem to "https://127.0.0.1:$TLS_PORT/v1"
  assert_failure 1
  assert_equal "$(records error .category)" certificate
  assert_equal "$(fake_count)" 0
}

@test "there is no way to turn the verification off" {
  run_tool magi-provider --help
  assert_success
  [[ $output != *insecure* && $output != *verify* ]]
  make_certificates tls
  start_tls tls "$FAKE_PORT"
  : >none.pem
  SSL_CERT_FILE=$PWD/none.pem to "https://127.0.0.1:$TLS_PORT/v1"
  assert_failure 1
  SSL_CERT_FILE=$PWD/missing.pem to "https://127.0.0.1:$TLS_PORT/v1"
  assert_failure 1
  [[ $(records error .category) == certificate ]]
  assert_equal "$(fake_count)" 0
}

@test "TLS that ends without a notice behind a whole answer is no failure, and before its end a cut" {
  make_certificates tls
  export SSL_CERT_FILE=$PWD/tls/ca.pem
  start_tls tls "$FAKE_PORT" --close-without-notice
  set_script '{"turns":[{"text":"ok","framing":"close"}]}'
  to "https://127.0.0.1:$TLS_PORT/v1"
  assert_success
  assert_equal "$(said)" ok
  set_script '{"turns":[{"text":"ok","framing":"close","terminal":false}]}'
  to "https://127.0.0.1:$TLS_PORT/v1"
  assert_failure 1
  assert_equal "$(records error '[.category,.retryable,.partial]')" '["stream",true,true]'
}

@test "a handshake that never ends is given up in time" {
  make_certificates tls
  start_tls tls "$FAKE_PORT" --stall
  SSL_CERT_FILE=$PWD/tls/ca.pem to "https://127.0.0.1:$TLS_PORT/v1" --connect-timeout-ms 200
  assert_failure 1
  assert_equal "$(records error '[.category,.retryable]')" '["connect",true]'
}

@test "a host behind HTTPS_PROXY is reached through a tunnel, with the proxy's password in no output" {
  make_certificates tls api.example
  start_tls tls "$FAKE_PORT"
  start_proxy "$TLS_PORT" --credentials user:proxy-secret
  export SSL_CERT_FILE=$PWD/tls/ca.pem HTTPS_PROXY=http://user:proxy-secret@127.0.0.1:$PROXY_PORT
  to https://api.example/v1
  assert_success
  assert_equal "$(said)" ok
  jq -es 'map(select(.ev == "proxy")) | .[0].method == "CONNECT" and .[0].target == "api.example:443"' "$PROXY_LOG"
  # The key goes to the server through the tunnel, never to the proxy.
  assert_equal "$(fake_request 1 '.headers.authorization')" "$(fake_hash 'Bearer openai-secret-key')"
  export HTTPS_PROXY=http://user:wrong-secret@127.0.0.1:$PROXY_PORT
  to https://api.example/v1
  assert_failure 1
  [[ $output$stderr != *secret* ]]
}

@test "NO_PROXY names hosts that are reached directly, and this machine always is" {
  start_proxy "$FAKE_PORT"
  export HTTP_PROXY=http://127.0.0.1:1 HTTPS_PROXY=http://127.0.0.1:1
  to "$FAKE_URL/v1"
  assert_success
  export HTTP_PROXY=http://127.0.0.1:$PROXY_PORT
  to http://api.example/v1
  assert_success
  NO_PROXY=other.example,.example to http://api.example/v1 --connect-timeout-ms 2000
  assert_failure 1
  assert_equal "$(records error .category)" connect
}

@test "a proxy that refuses is said so" {
  make_certificates tls api.example
  start_tls tls "$FAKE_PORT"
  start_proxy "$TLS_PORT" --refuse 403
  SSL_CERT_FILE=$PWD/tls/ca.pem HTTPS_PROXY=$PROXY_URL to https://api.example/v1
  assert_failure 1
  [[ $(records error .message) == *403* ]]
  assert_equal "${#stderr_lines[@]}" 1
}

@test "servers are reached over IPv6 as over IPv4" {
  [ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6 || skip 'no IPv6 on this machine'
  make_certificates tls
  start_tls tls "$FAKE_PORT" --address ::1
  SSL_CERT_FILE=$PWD/tls/ca.pem to "https://[::1]:$TLS_PORT/v1"
  assert_success
  assert_equal "$(said)" ok
  # One name, two addresses, of which only one listens.
  SSL_CERT_FILE=$PWD/tls/ca.pem to "https://localhost:$TLS_PORT/v1"
  assert_success
}

# A server of HTTP/2 alone: one answer that never ends, then whole ones.
start_h2() {
  cat >h2.js <<'EOF2'
const http2 = require('http2'), fs = require('fs');
const server = http2.createSecureServer({ key: fs.readFileSync('tls/server-key.pem'), cert: fs.readFileSync('tls/server.pem') });
let sessions = 0, streams = 0;
server.on('session', () => sessions++);
server.on('stream', (stream, headers) => {
  streams++;
  stream.on('error', () => {});
  stream.respond({ ':status': 200, 'content-type': 'text/event-stream', 'x-request-id': `s${sessions}` });
  const delta = text => `data: {"type":"response.output_text.delta","output_index":0,"delta":"${text}"}\n\n`;
  stream.write(delta(`session ${sessions} stream ${streams}`));
  if (streams > 1) stream.end('data: {"type":"response.completed","response":{}}\n\n');
});
server.listen(0, '127.0.0.1', () => fs.writeFileSync('h2.port', String(server.address().port)));
EOF2
  node h2.js </dev/null >/dev/null 2>&1 3>&- &
  H2_PID=$!
  wait_until 10 test -s h2.port
}

@test "over HTTP/2 a cancelled answer leaves the connection open for the next" {
  command -v node >/dev/null || skip 'no node to serve HTTP/2'
  make_certificates tls
  start_h2
  mkfifo to from
  SSL_CERT_FILE=$PWD/tls/ca.pem magi-provider --provider openai --base-url "https://127.0.0.1:$(cat h2.port)/v1" -m m --serve \
    <to >from 2>serve.err 3>&- &
  local served=$! line
  exec 7>to 8<from
  ask_served() { sed 's/"request"/"request","request_id":"'"$1"'"/' hi.jsonl >&7; }
  next() {
    while IFS= read -r -t 10 -u 8 line; do
      [ "$(jq -r .type <<<"$line")" = "$1" ] && { printf '%s\n' "$line"; return 0; }
    done
    return 1
  }
  ask_served a
  assert_equal "$(next text | jq -r .text)" 'session 1 stream 1'
  echo '{"type":"cancel","request_id":"a"}' >&7
  assert_equal "$(next done | jq -r .status)" cancelled
  ask_served b
  assert_equal "$(next text | jq -r .text)" 'session 1 stream 2'
  assert_equal "$(next done | jq -r .status)" completed
  exec 7>&-
  wait "$served"
}

@test "a server that compresses although it was told not to is read all the same" {
  printf 'data: {"type":"response.output_text.delta","output_index":0,"delta":"packed"}\n\ndata: {"type":"response.completed","response":{}}\n\n' |
    gzip >body.gz
  echo '{"turns":[{"sse_file":"body.gz","headers":{"content-encoding":"gzip"}}]}' >packed.json
  start_fake "$PWD/packed.json"
  to "$FAKE_URL/v1"
  assert_success
  assert_equal "$(said)" packed
  assert_equal "$(fake_request 1 '.headers["accept-encoding"]')" identity
}
