#!/usr/bin/env bats
# magi-web, and the tool `open` that runs it.
load helper
load fake
load edge

setup() {
  common_setup
  local dir
  dir=$(mktemp -d "$BATS_TEST_TMPDIR/web.XXXXXX")
  WEB_LOG=$dir/log
  : >"$WEB_LOG"
  python3 "$MAGI_ROOT/tests/fake/web/server.py" --port-file "$dir/port" --log "$WEB_LOG" --exit-with $$ \
    </dev/null >"$dir/out" 2>&1 3>&- 4>&- &
  disown $!
  FAKE_PIDS+=($!)
  await_port "$dir"
  WEB=http://127.0.0.1:$(cat "$dir/port")
}
teardown() { stop_fake; }

web() { run_tool magi-web --allow-private "$@"; }
# tool_open ARGUMENT [OPTION...]: the tool, as a person calls it.
tool_open() {
  local argument=$1
  shift
  run_tool magi-tool --allow-private "$@" open "$argument"
}

@test "a page is printed as text, with its title and where its links lead" {
  web "$WEB/page"
  assert_success
  assert_equal "$output" "The page

# Hello

See next <$WEB/next>."
  web --json "$WEB/page"
  assert_equal "$(jq -r '[.status, .title, .content_type, .cut, .bytes > 50] | @csv' <<<"$output")" \
    '200,"The page","text/html; charset=utf-8",false,true'
}

@test "HTML from standard input is laid out without a network" {
  run_tool magi-web --html https://example.org/a/b <<<'<title>T</title><p>See <a href="../c">c</a>'
  assert_success
  assert_output "T

See c <https://example.org/c>"
}

@test "addresses that are not of the public Internet are refused before anything is sent" {
  local url
  for url in "$WEB/page" "http://localhost:${WEB##*:}/page" "http://0x7f000001:${WEB##*:}/page" "http://[::1]/" \
    "http://[::ffff:127.0.0.1]:${WEB##*:}/page" http://169.254.169.254/ http://10.0.0.1/ http://100.64.0.1/ \
    http://2130706433/ http://127.1/ http://0.0.0.0/ "http://[fd00:ec2::254]/" "http://[fe80::1]/" http://192.168.1.1/; do
    run_tool magi-web "$url"
    assert_failure 1
    [[ ${stderr_lines[0]} == *" is refused: it is "* ]] || fail "$url: $stderr"
    assert_equal "$output" ""
  done
  assert_equal "$(cat "$WEB_LOG")" ""
}

@test "only http and https URLs without a user are fetched" {
  local url
  for url in file:///etc/passwd ftp://example.org/ gopher://example.org/ "data:text/html,x" "javascript:x" \
    http://user:pass@example.org/ http:// "http://a b/" ''; do
    run_tool magi-web "$url"
    assert_failure 2
    assert_equal "$output" ""
  done
  run_tool magi-web
  assert_failure 2
}

@test "redirects are followed by hand, each checked, and not for ever" {
  web "$WEB/to-page"
  assert_success
  assert_line "# Hello"
  web "$WEB/loop"
  assert_failure 1
  assert_equal "$stderr" "magi-web: more than 10 redirects"
  assert_equal "$(grep -c loop "$WEB_LOG")" 11
  web "$WEB/to-file"
  assert_failure 2
  assert_equal "$stderr" "magi-web: 'file:///etc/passwd' is no http or https URL"
  web --same-host "$WEB/to-other"
  assert_success
  [[ $stderr == *"it redirects to another host, open that: http://localhost:"*"/page" ]]
  web "$WEB/to-other"
  assert_line "# Hello"
}

@test "a redirect into a private network is refused, whatever led there" {
  # Through a proxy the first hop may be any name; the second is judged by itself.
  http_proxy=$WEB run_tool magi-web http://public.example/to-metadata
  assert_failure 1
  assert_equal "${stderr_lines[0]}" "magi-web: '169.254.169.254' is refused: it is a link-local address"
  http_proxy=$WEB run_tool magi-web http://public.example/page
  assert_success
  http_proxy=$WEB run_tool magi-web http://printer.local/page
  assert_failure 1
  http_proxy=$WEB no_proxy=localhost run_tool magi-web "http://localhost:${WEB##*:}/page"
  assert_failure 1
}

@test "a name that resolves to a private address is refused at the connection itself" {
  # What a resolver says may change between a look and a connection: the check stands where the socket is opened.
  run_tool strace -f -e trace=connect -o calls magi-web "http://localhost:${WEB##*:}/page"
  assert_failure 1
  run grep -E "sin6?_port=htons\(${WEB##*:}\)" calls
  assert_failure
}

@test "sizes are bounded, decompressed ones too" {
  web "$WEB/gzip"
  assert_output small
  web "$WEB/bomb" --max-bytes 1000000
  assert_success
  assert_equal "${#output}" 1000000
  assert_equal "$stderr" "magi-web: $WEB/bomb: cut after 1000000 bytes"
  web "$WEB/endless" --max-bytes 70000 --json
  assert_equal "$(jq -r '[.cut, .bytes] | @csv' <<<"$output")" true,70000
  web "$WEB/headers"
  assert_failure 1
  # One address space for all of it: the page grows to 200 MB, the process does not.
  (ulimit -v 600000 && magi-web --allow-private "$WEB/bomb" >/dev/null 2>err)
}

@test "a page that does not end is given up in time" {
  web "$WEB/slow" --timeout 1
  assert_failure 1
  assert_equal "$stderr" "magi-web: http://127.0.0.1:${WEB##*:} did not answer in time"
}

@test "SEC-06: what could act on a terminal is not printed" {
  web "$WEB/escapes"
  assert_success
  assert_equal "$(tr -d '[:print:]\n' <<<"$output" | od -An -c)" ""
  web --raw "$WEB/escapes"
  assert_equal "$(grep -c $'\033' <<<"$output")" 1
}

@test "what is no text is described, errors of the server are told" {
  web "$WEB/json"
  assert_output '{"a": 1}'
  web "$WEB/bytes"
  assert_success
  assert_equal "$output|$stderr" "|magi-web: $WEB/bytes: application/octet-stream, 4 bytes: not text"
  web "$WEB/missing"
  assert_failure 1
  assert_equal "$output" "nothing here"
  assert_equal "$stderr" "magi-web: $WEB/missing: the server answers 404"
}

@test "any HTML gives a page: what brings the parser down costs its form alone" {
  local seed
  web "$WEB/impossible"
  assert_success
  assert_line before
  assert_line after
  assert_equal "$stderr" "magi-web: $WEB/impossible: its HTML cannot be read in good order; only the tags were dropped"
  for seed in {1..40}; do
    run --separate-stderr magi-web --allow-private "$WEB/random?$seed"
    ((status == 0)) || fail "seed $seed: $stderr"
    iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null || fail "seed $seed: no UTF-8"
    [[ $output != *$'\033'* ]] || fail "seed $seed: an escape"
  done
}

@test "certificates are verified, and nothing turns that off" {
  make_certificates tls
  start_tls tls "${WEB##*:}"
  web "https://localhost:$TLS_PORT/page"
  assert_failure 1
  SSL_CERT_FILE=$PWD/tls/ca.pem web "https://localhost:$TLS_PORT/page"
  assert_success
  assert_line "# Hello"
  run magi-web --help
  refute_output --regexp 'insecure|verify|no-check'
}

@test "the tool open gives a page, and goes on where it was cut" {
  tool_open "$WEB/page"
  assert_success
  assert_line --index 0 "$WEB/page"
  assert_line "See next <$WEB/next>."
  run bash -c "printf '%s\n' '{\"type\":\"tool_call\",\"call_id\":\"c\",\"name\":\"open\",\"arguments\":\"{\\\"url\\\":\\\"$WEB/long\\\",\\\"offset\\\":1001}\"}' |
    magi-tool --permissions full --allow-private"
  assert_success
  assert_equal "$(jq -r '.status + " " + .details.provenance + " " + .effects.kind' <<<"$output")" "success web read"
  [[ $(jq -r .output <<<"$output") == *$'\n\n'"line 1000 of a long page"* ]]
  [[ $(jq -r .view <<<"$output") == *"[lines 1001-"*" of 5000; go on with offset "*"]" ]]
}

@test "the tool open refuses private addresses, other hosts and other URLs" {
  run_tool magi-tool open "$WEB/page"
  assert_failure 1
  assert_equal "$stderr" "magi-tool: open: '127.0.0.1' is refused: it is 127.0.0.1, a loopback address"
  tool_open "$WEB/to-other"
  assert_success
  [[ $output == *"it redirects to another host, open that: "* ]]
  tool_open "file:///etc/passwd"
  assert_failure 1
  tool_open "$WEB/missing"
  assert_failure 1
  assert_line "[the server answers 404]"
  # Two readings of one URL: the user is asked about a host, and no other is fetched.
  tool_open "http://127.0.0.1:${WEB##*:}\\@localhost:${WEB##*:}/page"
  assert_failure 1
  tool_open "http://0x7f000001:${WEB##*:}/page"
  assert_failure 1
  [[ $stderr == *"names the host"* ]]
}

@test "the tool open asks first, unless the mode or the settings say otherwise" {
  local mode call
  call="{\"type\":\"tool_call\",\"call_id\":\"c\",\"name\":\"open\",\"arguments\":\"{\\\"url\\\":\\\"$WEB/page\\\"}\"}"
  for mode in workspace ask read-only; do
    run magi-tool --permissions $mode --allow-private <<<"$call"
    assert_equal "$(jq -r .details.needs_approval <<<"$output")" "this fetches a page from '127.0.0.1'"
  done
  assert_equal "$(cat "$WEB_LOG")" ""
  run magi-tool --permissions ask --allow-private <<<"${call/\"call_id\"/\"approved\":true,\"call_id\"}"
  assert_equal "$(jq -r .status <<<"$output")" success
  run magi-tool --permissions workspace --set permissions.network=true --allow-private <<<"$call"
  assert_equal "$(jq -r .status <<<"$output")" success
}

@test "the tool open ends with its call" {
  mkfifo in
  magi-tool --permissions full --allow-private --serve <in >out &
  local pid=$!
  exec 7>in
  echo "{\"type\":\"tool_call\",\"call_id\":\"c\",\"name\":\"open\",\"arguments\":\"{\\\"url\\\":\\\"$WEB/slow\\\"}\"}" >&7
  wait_until 20 grep -q slow "$WEB_LOG"
  echo '{"type":"cancel","call_id":"c"}' >&7
  wait_until 20 grep -q cancelled out
  assert_equal "$(jq -r .status out)" cancelled
  wait_until 10 no_process_left "$WEB/slow"
  exec 7>&-
  wait "$pid"
}

@test "view_image gives images as parts, and says what is none" {
  base64 -d >dot.png <<<iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==
  cp dot.png dot.txt
  echo text >fake.png
  ln -s /etc/passwd link.png
  run magi-tool --permissions workspace < <(
    for file in dot.png dot.txt fake.png link.png missing.png .; do
      printf '{"type":"tool_call","call_id":"%s","name":"view_image","arguments":"{\\"path\\":\\"%s\\"}"}\n' "$file" "$file"
    done
  )
  assert_success
  assert_equal "$(jq -r '[.call_id, .status, .parts[0].media_type // "-"] | join(" ")' <<<"$output")" "dot.png success image/png
dot.txt success image/png
fake.png error -
link.png error -
missing.png error -
. error -"
  assert_equal "$(jq -r 'select(.call_id == "dot.png") | .parts[0].data' <<<"$output" | base64 -d | sha256sum)" "$(sha256sum <dot.png)"
  run magi-tool view_image dot.png
  assert_output "[image image/png, 1 x 1 pixels, 70 bytes]"
  # A picture that no provider takes: 30,000 pixels a side.
  printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x75\x30\0\0\x75\x30' >wide.png
  run_tool magi-tool view_image wide.png
  assert_failure 1
  [[ $stderr == *"30000 x 30000 pixels; at most 8000 a side"* ]]
}
