"""A recorded stream is cut behind each of its bytes in turn (requirements R16 to R18): whatever came is stored once, the
rest is asked for once, and no call runs whose arguments were cut.

usage: cut_everywhere.py MAGI-CODE FAKE-PROVIDER FOLDER text|call|both [STEP]
Prints how many positions were tried.  One process of magi-code takes many prompts, one a position."""
import json
import os
import subprocess
import sys
import time

PER_PROCESS = 60
TEXT = 'Grüße: a "fox" \\ jumps 🦊 over.'
REST = ' And the rest.'
COMMAND = 'echo {0} >> ran'


def event(delta, finish=None):
    choice = {'index': 0, 'delta': delta, **({'finish_reason': finish} if finish else {})}
    return 'data: ' + json.dumps({'choices': [choice]}, ensure_ascii=False, separators=(',', ':')) + '\n\n'


def text_events():
    pieces = [TEXT[i:i + 6] for i in range(0, len(TEXT), 6)]
    return ''.join(event({'content': piece}) for piece in pieces)


def call_events(number):
    arguments = json.dumps({'command': COMMAND.format(number)})
    head = event({'tool_calls': [{'index': 0, 'id': f'call-{number:05}', 'type': 'function',
                                  'function': {'name': 'bash', 'arguments': ''}}]})
    return head + ''.join(event({'tool_calls': [{'index': 0, 'function': {'arguments': arguments[i:i + 9]}}]})
                          for i in range(0, len(arguments), 9))


def body(kind, number):
    stream = text_events() if kind in ('text', 'both') else ''
    if kind in ('call', 'both'):
        stream += call_events(number)
    return stream + event({}, 'tool_calls' if kind != 'text' else 'stop') + 'data: [DONE]\n\n'


def script(kind, positions):
    """The newest prompt of a request decides; its history names the older ones too."""
    when = []
    for at in sorted(positions, reverse=True):
        if kind != 'text':
            when.append({'contains': f'"tool_call_id":"call-{at:05}"', 'text': 'Done.'})
        when.append({'contains': f'position {at:05}', 'sse': body(kind, at), 'fault': {'cut_at': at}})
    return {'when': [{'contains': 'Continue"', 'text': REST}] + when, 'turns': [{'text': 'unexpected'}]}


class Conversation:
    def __init__(self, magi_code, url, home, repo, verify):
        command = [magi_code, '--home', home, '--provider', 'openai-compatible', '--base-url', url, '--model', 'm',
                   '--permissions', 'full', '--json', '--control'] + verify
        self.process = subprocess.Popen(command, cwd=repo, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.session = json.loads(self.process.stdout.readline())['session_id']

    def ask(self, text):
        """The records of one run."""
        self.process.stdin.write(json.dumps({'type': 'prompt', 'text': text}) + '\n')
        self.process.stdin.flush()
        records = []
        while True:
            line = self.process.stdout.readline()
            assert line, 'magi-code has ended'
            records.append(json.loads(line))
            if records[-1]['type'] == 'turn' and records[-1]['status'] != 'started':
                return records

    def close(self):
        self.process.stdin.close()
        last = [json.loads(line) for line in self.process.stdout][-1]
        assert last['type'] == 'result', last
        self.process.wait()


def events_by_turn(path):
    turns = []
    for line in open(path, encoding='utf-8'):
        event_line = json.loads(line)
        if event_line['event_type'] == 'user_input':
            turns.append([])
        if turns:
            turns[-1].append(event_line)
    return turns


def check(kind, at, records, events, ran):
    prompts = [r for r in records if r['type'] == 'automatic_user_prompt']
    stored = ''.join(e['payload']['text'] for e in events if e['event_type'] == 'assistant_output')
    stored += ''.join(e['payload'].get('partial_text', '') for e in events if e['event_type'] == 'turn_status')
    calls = [e['payload'] for e in events if e['event_type'] == 'tool_call']
    results = [e['payload'] for e in events if e['event_type'] == 'tool_result']
    status = [e['payload']['status'] for e in events if e['event_type'] == 'turn_status']
    assert len(prompts) <= 1, f'{at}: continued {len(prompts)} times'
    assert status == ['completed'], f'{at}: {status}'
    assert len([e for e in events if e['event_type'] == 'user_input']) == 1, f'{at}: something synthetic was stored'
    assert [c['call_id'] for c in calls] == [r['call_id'] for r in results], f'{at}: calls and results'
    assert ran.count(str(at)) == len(calls) <= 1, f'{at}: {len(calls)} calls, run {ran.count(str(at))} times'
    if calls:
        assert json.loads(calls[0]['arguments']) == {'command': COMMAND.format(at)}, f'{at}: {calls}'
    whole = TEXT if kind != 'call' else ''
    if calls:
        whole += 'Done.'
    if prompts:
        assert not calls, f'{at}: continued behind a call'
        assert stored.endswith(REST) and whole.startswith(stored[:-len(REST)]), f'{at}: {stored!r}'
    else:
        assert stored == whole, f'{at}: {stored!r}'
    return len(stored) - len(REST) if prompts else None


def main():
    magi_code, fake, folder, kind = sys.argv[1:5]
    step = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    repo = os.path.join(folder, 'repo')
    os.makedirs(repo, exist_ok=True)
    stream = body(kind, 99999).encode()
    accepted = stream.index(b'\n\n') + 2
    # Before anything of the answer has come the provider asks again by itself, after a pause: two positions stand for all.
    positions = [1, accepted - 2] + list(range(accepted, len(stream) - len(b'data: [DONE]\n\n'), step))
    continued, shortest = 0, -1
    for first in range(0, len(positions), PER_PROCESS):
        part = positions[first:first + PER_PROCESS]
        base = os.path.join(folder, f'{kind}-{first}')
        with open(base + '.json', 'w', encoding='utf-8') as f:
            json.dump(script(kind, part), f)
        server = subprocess.Popen([fake, '--script', base + '.json', '--port-file', base + '.port', '--exit-with', str(os.getpid())],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            while not (os.path.exists(base + '.port') and os.path.getsize(base + '.port')):
                time.sleep(0.005)
            url = f'http://127.0.0.1:{open(base + ".port").read().strip()}/v1'
            conversation = Conversation(magi_code, url, os.path.join(folder, 'home'), repo,
                                        ['--verify'] if first == 0 else [])
            records = [conversation.ask(f'position {at:05}') for at in part]
            conversation.close()
        finally:
            server.terminate()
            server.wait()
        turns = events_by_turn(os.path.join(folder, 'home', 'sessions', conversation.session + '.jsonl'))
        ran_file = os.path.join(repo, 'ran')
        ran = open(ran_file, encoding='utf-8').read().split() if os.path.exists(ran_file) else []
        for at, said, events in zip(part, records, turns, strict=True):
            kept = check(kind, at, said, events, ran)
            if kept is not None:
                continued += 1
                assert kept >= shortest, f'{at}: less is kept than of an earlier cut'
                shortest = kept
    assert continued > 10, 'hardly any cut needed to be continued'
    print(f'{kind}: {len(positions)} positions, {continued} continued')


main()
