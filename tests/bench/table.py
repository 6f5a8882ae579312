"""The one table: a row a figure, a column a command, the goal beside it."""


class Table:
    def __init__(self, names):
        self.names, self.rows, self.cells, self.goals, self.notes = names, [], {}, {}, []

    def add(self, label, name, value, goal=None, at_least=False):
        if label not in self.goals:
            self.rows.append(label)
            self.goals[label] = (goal, at_least)
        self.cells[label, name] = value

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def missed(self, name):
        """Labels whose goal the named column does not reach."""
        found = []
        for label in self.rows:
            goal, at_least = self.goals[label]
            value = self.cells.get((label, name))
            if goal is not None and value is not None and (value < goal if at_least else value > goal):
                found.append(label)
        return found

    @staticmethod
    def _format(value):
        if value is None:
            return '-'
        if isinstance(value, str):
            return value
        return f'{value:,.0f}' if abs(value) >= 1000 else f'{value:.1f}' if abs(value) >= 10 else f'{value:.2f}'

    def text(self):
        head = ['figure', 'goal'] + self.names
        lines = [head]
        for label in self.rows:
            goal, at_least = self.goals[label]
            sign = '-' if goal is None else ('>' if at_least else '<') + f'{goal:g}'
            missed = {name for name in self.names[:1] if label in self.missed(name)}
            lines.append([label, sign] + [self._format(self.cells.get((label, n))) + ('!' if n in missed else '')
                                          for n in self.names])
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        out = ['  '.join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip()
               for line in lines]
        return '\n'.join(out + [f'note: {n}' for n in self.notes])

    def values(self):
        return {label: {'goal': self.goals[label][0], **{n: self.cells.get((label, n)) for n in self.names}}
                for label in self.rows}
