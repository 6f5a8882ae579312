"""The scripted run that is killed, in each wire format: text, calls that run side by side, an error from a tool, a 503
and a cut stream.  Every word that the model says is unique, so that a character stored twice is seen."""

PROMPT = 'Do the scripted work now.'
GO_ON = 'Please go on after the break.'
WIRES = {'chat': 'openai-compatible', 'responses': 'openai', 'messages': 'anthropic'}


def words(name, count):
    return ' '.join(f'{name}-{i:02d}' for i in range(count)) + '. '


def command(name, seconds):
    """Leaves a mark when it starts and when it ends, and children of its own that outlive a careless host."""
    return f'echo start-{name} >>ran.log; (sleep 300 & sleep 300) >/dev/null 2>&1 & sleep {seconds}; echo end-{name} >>ran.log; echo said-{name}'


def script(trouble):
    """The turns.  `trouble`: a 503 before the second turn's answer and a cut within the third's text.

    A turn is chosen by what the history holds, not by its length: a client may send the halves of a cut answer as one turn
    or as two, and a killed one may have less than a half."""
    looking = {'text': words('looking', 12), 'chunk': 12, 'delay': 4, 'calls': [
        {'name': 'bash', 'args': {'command': command('a', 0.06)}},
        {'name': 'read', 'args': {'path': 'notes.txt'}},
        {'name': 'bash', 'args': {'command': command('b', 0.03)}}]}
    failing = {'text': words('failing', 6), 'chunk': 9, 'delay': 2, 'split': 7, 'thinking': 'one thought',
               'calls': [{'name': 'read', 'args': {'path': 'no-such-file.txt'}},
                         {'name': 'write', 'args': {'path': 'made.txt', 'content': 'made by the run\n'}}]}
    telling = {'text': words('telling', 40), 'chunk': 10, 'delay': 2, 'calls': [{'name': 'read', 'args': {'path': 'notes.txt'}}]}
    finishing = {'text': words('finishing', 6), 'chunk': 9, 'delay': 2,
                 'calls': [{'name': 'bash', 'args': {'command': command('c', 0.04)}}]}
    ending = {'text': words('ending', 8), 'chunk': 8, 'delay': 3}
    if trouble:
        failing['fault'] = {'status': 503}
        telling['fault'] = {'cut_at': 2500}
    order = [looking, failing, telling, finishing, ending] if trouble else [looking, failing, finishing, ending]
    names = [turn['text'].split()[0] for turn in order]
    later = [{'contains': name, **turn} for name, turn in zip(names, order[1:])]
    return {'usage': {'input': 1000, 'output': 10}, 'turns': [], 'after': looking, 'no_tools': {'text': 'a title'},
            'when': [{'contains': GO_ON, 'text': words('continued', 5)}] + later[::-1]}


# Words of the script, also where they stand directly behind half of another.
WORD = '(?:looking|failing|telling|finishing|ending|continued)-[0-9][0-9]'
