"""What the crash harness decides by."""
import json
import unittest

import conversation


def stream(*records):
    return '\n'.join(json.dumps(r) for r in records + ({'type': 'end'},))


class Conversation(unittest.TestCase):
    STREAM = stream({'type': 'conversation'}, {'type': 'user', 'text': 'p'}, {'type': 'assistant', 'text': 'a'},
                    {'type': 'assistant', 'text': 'b'}, {'type': 'tool_call', 'call_id': '1', 'name': 'f', 'arguments': '{"x": 1}'},
                    {'type': 'tool_result', 'call_id': '1', 'output': 'o'})
    ITEMS = [('user', 'p'), ('assistant', 'ab'), ('call', '1', 'f', '{"x": 1}'), ('result', '1', 'o')]

    def test_a_stream_without_its_end_is_refused(self):
        self.assertEqual(conversation.of_stream(self.STREAM), self.ITEMS)
        with self.assertRaises(ValueError):
            conversation.of_stream(self.STREAM.rsplit('\n', 1)[0])

    def test_each_wire_format_reads_alike(self):
        responses = {'input': [{'role': 'user', 'content': [{'type': 'input_text', 'text': 'p'}]}, {'role': 'assistant', 'content': 'a'},
                               {'role': 'user', 'content': 'Continue'}, {'role': 'assistant', 'content': 'b'},
                               {'type': 'function_call', 'call_id': '1', 'name': 'f', 'arguments': '{"x":1}'},
                               {'type': 'function_call_output', 'call_id': '1', 'output': 'o'}]}
        messages = {'messages': [{'role': 'user', 'content': 'p'}, {'role': 'assistant', 'content': [
            {'type': 'text', 'text': 'ab'}, {'type': 'tool_use', 'id': '1', 'name': 'f', 'input': {'x': 1}}]},
            {'role': 'user', 'content': [{'type': 'tool_result', 'tool_use_id': '1', 'content': [{'type': 'text', 'text': 'o'}]}]}]}
        chat = {'messages': [{'role': 'system', 'content': 's'}, {'role': 'user', 'content': 'p'}, {'role': 'assistant', 'content': 'ab', 'tool_calls': [
            {'id': '1', 'function': {'name': 'f', 'arguments': '{"x":1}'}}]}, {'role': 'tool', 'tool_call_id': '1', 'content': 'o'}]}
        for wire, body in (('responses', responses), ('messages', messages), ('chat', chat)):
            self.assertEqual(conversation.of_request(wire, body), self.ITEMS, wire)

    def test_a_beginning_is_told_from_anything_else(self):
        self.assertIsNone(conversation.difference(self.ITEMS[:2], self.ITEMS))
        self.assertIsNone(conversation.difference([('user', 'p'), ('assistant', 'a')], self.ITEMS))
        self.assertIn('missing', conversation.difference(self.ITEMS, self.ITEMS[:3]))
        self.assertIn('instead of', conversation.difference([('user', 'p'), ('assistant', 'ax')], self.ITEMS))
        self.assertIn('instead of', conversation.difference(self.ITEMS, [('user', 'p'), ('assistant', 'a')] + self.ITEMS[2:]))


if __name__ == '__main__':
    unittest.main()
