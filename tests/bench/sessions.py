"""Session files of any size, for replay."""
import json

TIME = '2026-01-01T00:00:00.000Z'


def _event(kind, number, payload):
    return json.dumps({'event_type': kind, 'event_id': f'{number:x}', 'timestamp': TIME, 'session_id': 'bench',
                       'cwd': '/work', 'payload': payload}, separators=(',', ':'), ensure_ascii=False)


LINES = ('  if (count > limit_%d && !is_empty(table)) return make_error(code, count - limit);\n'
         '  // Größer als der Rand: the rest is cut, and the number of lines that were left out is said.\n'
         '\tfor (std::size_t i = %d; i < entries.size(); ++i) total += entries[i].size_bytes;\n'
         '  report(out, "line %d of the file", name.c_str());\n'
         '}\n\n')


def _words(count, seed):
    """Text like the sources that tools read: quotes, tabs, newlines, some of it not ASCII."""
    return ''.join(LINES % (seed + i, i, i) for i in range(count // len(LINES) + 1))[:count]


def _turn(number):
    """One turn of eight events, about 40 KB: a prompt, two calls with results, diagnostics, an answer."""
    turn, base = f't{number}', number * 16 + 1
    yield _event('user_input', base, {'turn_id': turn, 'text': 'Please look at part %d. %s' % (number, _words(300, number))})
    for k, size in enumerate((6000, 23000)):
        call = f'c{number}_{k}'
        yield _event('tool_call', base + 2 * k + 1, {'turn_id': turn, 'call_id': call, 'name': 'read',
                                                    'arguments': json.dumps({'path': f'src/f{number}.c'})})
        yield _event('tool_result', base + 2 * k + 2, {'turn_id': turn, 'call_id': call, 'result_id': f'r{number}_{k}',
                                                      'status': 'success', 'output': _words(size, number + k),
                                                      'details': {'exit_code': 0, 'stdout': _words(2000, k), 'stderr': ''}})
    for k in range(2):
        yield _event('diagnostic', base + 6 + k, {'message': _words(1000, number), 'level': 'info'})
    yield _event('assistant_output', base + 8, {'turn_id': turn, 'text': _words(2500, number), 'status': 'completed'})
    yield _event('turn_status', base + 9, {'turn_id': turn, 'status': 'completed'})


def write(path, size_bytes):
    """A session without a checkpoint of about that size.  Returns the exact size."""
    written, number = 0, 0
    with open(path, 'wb', buffering=1 << 20) as f:
        while written < size_bytes:
            text = ('\n'.join(_turn(number)) + '\n').encode()
            f.write(text)
            written += len(text)
            number += 1
    return written
