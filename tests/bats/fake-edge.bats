# TLS and proxies of the tests themselves, seen by a client that nobody here wrote: curl.
load helper
load fake
load edge

setup() {
  common_setup
  unset SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE
  start_fake '{"turns": [{"text": "hello"}], "models": ["m1"]}'
}
teardown() { stop_fake; }

ask() { curl -sS --max-time 10 "$@"; }

@test "TLS: a client that knows the private CA is served, any other is not" {
  make_certificates ca localhost 127.0.0.1
  start_tls ca "$FAKE_PORT"
  run ask --cacert ca/ca.pem "https://localhost:$TLS_PORT/v1/models"
  assert_success
  assert_output --partial '"m1"'
  run ask "https://localhost:$TLS_PORT/v1/models"
  assert_failure 60
  assert_equal "$(jq -r 'select(.ev == "tls") | .outcome' "$TLS_LOG" | head -1)" established
  assert_equal "$(jq -r .server_name "$TLS_LOG" | head -1)" localhost
}

@test "TLS: a certificate for another name, and one that has expired, are no good" {
  make_certificates other other.test
  start_tls other "$FAKE_PORT"
  run ask --cacert other/ca.pem "https://localhost:$TLS_PORT/v1/models"
  assert_failure 60
  CERT_DAYS=-1 make_certificates old localhost
  start_tls old "$FAKE_PORT"
  run ask --cacert old/ca.pem "https://localhost:$TLS_PORT/v1/models"
  assert_failure 60
}

@test "TLS: a handshake that is never answered, and an end without notice" {
  make_certificates ca
  start_tls ca "$FAKE_PORT" --stall
  run curl -sS --max-time 0.5 --cacert ca/ca.pem "https://localhost:$TLS_PORT/v1/models"
  assert_failure 28
  wait_until 5 grep -q '"client left"' "$TLS_LOG"
  local notice
  for notice in '' --close-without-notice; do
    start_tls ca "$FAKE_PORT" $notice
    run bash -c 'printf "GET /v1/models HTTP/1.0\r\n\r\n" | timeout 5 openssl s_client -quiet -connect "127.0.0.1:$1" 2>&1' \
      - "$TLS_PORT"
    assert_output --partial '"m1"'
    if [ -n "$notice" ]; then assert_output --partial 'unexpected eof'; else refute_output --partial 'unexpected eof'; fi
  done
}

@test "TLS: over IPv6" {
  [ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6 || skip "no IPv6 on this machine"
  make_certificates ca
  start_tls ca "$FAKE_PORT" --address ::1
  run ask --cacert ca/ca.pem "https://[::1]:$TLS_PORT/v1/models"
  assert_success
}

@test "proxy: plain requests and tunnels go to the one server, whatever host they name" {
  start_proxy "$FAKE_PORT"
  run ask --proxy "$PROXY_URL" http://api.example.test/v1/models http://api.example.test/v1/models
  assert_success
  assert_output --partial '"m1"'
  make_certificates ca api.example.test
  start_tls ca "$FAKE_PORT"
  start_proxy "$TLS_PORT"
  run ask --proxy "$PROXY_URL" --cacert ca/ca.pem https://api.example.test/v1/models
  assert_success
  assert_output --partial '"m1"'
  assert_equal "$(jq -rc '[.method, .target, .status]' "$PROXY_LOG")" '["CONNECT","api.example.test:443",200]'
}

@test "proxy: wants credentials, or refuses, or never answers" {
  start_proxy "$FAKE_PORT" --credentials user:secret
  run ask -o /dev/null -w '%{http_code}' --proxy "$PROXY_URL" http://api.example.test/v1/models
  assert_output 407
  run ask -o /dev/null -w '%{http_code}' --proxy "$PROXY_URL" --proxy-user user:secret http://api.example.test/v1/models
  assert_output 200
  assert_equal "$(jq -r .credentials "$PROXY_LOG" | xargs)" 'none right'
  run jq -r '.headers["proxy-authorization"] // "kept back"' "$FAKE_LOG"
  assert_line --index 0 'kept back'
  start_proxy "$FAKE_PORT" --refuse 503
  run ask -o /dev/null -w '%{http_connect}' --proxytunnel --proxy "$PROXY_URL" http://api.example.test/v1/models
  assert_output --partial 503
  start_proxy "$FAKE_PORT" --stall
  run curl -sS --max-time 0.5 --proxy "$PROXY_URL" http://api.example.test/v1/models
  assert_failure 28
}
