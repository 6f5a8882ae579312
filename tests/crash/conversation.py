"""Histories in one form, whatever they were read from: a list of (kind, ...) tuples.

('user', text), ('assistant', text), ('call', id, name, arguments), ('result', id, output).  Adjacent texts of one side are
one (a client may join them by a blank line where an API wants one message), and what a client sends once to pick up a cut
stream (`Continue`) is left out, so that what was sent, what is in memory and what a file replays to compare exactly."""
import json

CONTINUE = 'Continue'


def _arguments(text):
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text


def normal(items):
    out = []
    for item in items:
        if item[0] in ('user', 'assistant'):
            item = (item[0], item[1].replace('\n\n', ''))
            if not item[1] or item == ('user', CONTINUE):
                continue
            if out and out[-1][0] == item[0]:
                out[-1] = (item[0], out[-1][1] + item[1])
                continue
        out.append(item)
    return out


def of_stream(text):
    """From magi-replay's output.  Raises ValueError where it is no whole stream."""
    records = [json.loads(line) for line in text.splitlines()]
    if not records or records[-1]['type'] != 'end':
        raise ValueError('the stream has no end record')
    items = []
    for r in records:
        if r['type'] == 'user':
            items.append(('user', r['text']))
        elif r['type'] == 'assistant':
            items.append(('assistant', r['text']))
        elif r['type'] == 'tool_call':
            items.append(('call', r['call_id'], r['name'], _arguments(r['arguments'])))
        elif r['type'] == 'tool_result':
            items.append(('result', r['call_id'], r['output']))
    return normal(items)


def _text(content):
    if isinstance(content, str):
        return content
    return ''.join(part.get('text', '') for part in content or [] if 'text' in part)


def _of_responses(body):
    for item in body['input']:
        kind = item.get('type', 'message')
        if kind == 'message':
            yield item['role'], _text(item['content'])
        elif kind == 'function_call':
            yield 'call', item['call_id'], item['name'], _arguments(item['arguments'])
        elif kind == 'function_call_output':
            yield 'result', item['call_id'], _text(item['output'])


def _of_messages(body):
    for message in body['messages']:
        content = message['content']
        blocks = [{'type': 'text', 'text': content}] if isinstance(content, str) else content
        for block in blocks:
            if block['type'] == 'text':
                yield message['role'], block['text']
            elif block['type'] == 'tool_use':
                yield 'call', block['id'], block['name'], json.dumps(block['input'], sort_keys=True)
            elif block['type'] == 'tool_result':
                yield 'result', block['tool_use_id'], _text(block.get('content', ''))


def _of_chat(body):
    for message in body['messages']:
        if message['role'] == 'tool':
            yield 'result', message['tool_call_id'], _text(message['content'])
            continue
        yield message['role'], _text(message.get('content'))
        for call in message.get('tool_calls', []):
            yield 'call', call['id'], call['function']['name'], _arguments(call['function']['arguments'])


READERS = {'responses': _of_responses, 'messages': _of_messages, 'chat': _of_chat}


def of_request(wire, body):
    return normal([item for item in READERS[wire](body) if item[0] not in ('system', 'developer')])


def difference(part, whole):
    """Where `part` stops being the beginning of `whole`; None where it never does."""
    for i, item in enumerate(part):
        if i >= len(whole):
            return f'item {i} is missing: {str(item)[:160]}'
        if item != whole[i]:
            last = i == len(part) - 1 and item[0] == whole[i][0] == 'assistant'
            if not (last and whole[i][1].startswith(item[1])):
                return f'item {i} is {str(whole[i])[:160]} instead of {str(item)[:160]}'
    return None
