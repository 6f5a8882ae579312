#!/usr/bin/env python3
"""A terminal's screen with SGR sequences on stdin (tmux capture-pane -e) as an SVG picture on stdout."""
import re, sys, unicodedata
from xml.sax.saxutils import escape

COLUMN, ROW, SIZE = 8.4, 18, 14
PALETTE = ["#1d1f21", "#cc6666", "#8fb573", "#f0c674", "#81a2be", "#b294bb", "#8abeb7", "#c5c8c6",
           "#707880", "#d54e53", "#b9ca4a", "#e7c547", "#7aa6da", "#c397d8", "#70c0b1", "#ffffff"]
BACKGROUND, FOREGROUND = "#16181a", "#d5d8d6"


def indexed(n):
    if n < 16:
        return PALETTE[n]
    if n >= 232:
        grey = 8 + 10 * (n - 232)
        return "#%02x%02x%02x" % (grey, grey, grey)
    n -= 16
    level = lambda v: 0 if v == 0 else 55 + 40 * v
    return "#%02x%02x%02x" % (level(n // 36), level(n // 6 % 6), level(n % 6))


class Look:
    def __init__(self):
        self.reset()

    def reset(self):
        self.front = self.back = None
        self.bold = self.dim = self.italic = self.underline = self.reverse = False

    def take(self, codes):
        codes = [int(code or 0) for code in codes.split(";")] if codes else [0]
        while codes:
            code = codes.pop(0)
            if code == 0: self.reset()
            elif code == 1: self.bold = True
            elif code == 2: self.dim = True
            elif code == 3: self.italic = True
            elif code == 4: self.underline = True
            elif code == 7: self.reverse = True
            elif code == 22: self.bold = self.dim = False
            elif code == 23: self.italic = False
            elif code == 24: self.underline = False
            elif code == 27: self.reverse = False
            elif code in (38, 48):
                kind = codes.pop(0) if codes else 0
                if kind == 5: colour = indexed(codes.pop(0))
                else: colour = "#%02x%02x%02x" % (codes.pop(0), codes.pop(0), codes.pop(0))
                if code == 38: self.front = colour
                else: self.back = colour
            elif 30 <= code <= 37: self.front = PALETTE[code - 30]
            elif 40 <= code <= 47: self.back = PALETTE[code - 40]
            elif 90 <= code <= 97: self.front = PALETTE[code - 82]
            elif 100 <= code <= 107: self.back = PALETTE[code - 92]
            elif code == 39: self.front = None
            elif code == 49: self.back = None

    def style(self):
        front, back = self.front or FOREGROUND, self.back
        if self.reverse: front, back = back or BACKGROUND, front
        return front, back, self.bold, self.dim, self.italic, self.underline


def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def main():
    lines = sys.stdin.buffer.read().decode("utf-8", "replace").rstrip("\n").split("\n")
    look, boxes, texts, columns = Look(), [], [], 0
    for row, line in enumerate(lines):
        column = 0
        for part in re.split(r"(\x1b\[[0-9;:]*m)", line):
            sgr = re.fullmatch(r"\x1b\[([0-9;:]*)m", part)
            if sgr:
                look.take(sgr.group(1).replace(":", ";"))
                continue
            part = re.sub(r"\x1b.|[\x00-\x1f]", "", part)
            if not part: continue
            front, back, bold, dim, italic, underline = look.style()
            x, y, wide = 12 + column * COLUMN, 12 + row * ROW, width(part)
            if back: boxes.append('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>' % (x, y, wide * COLUMN, ROW, back))
            if part.strip():
                marks = (' font-weight="bold"' if bold else "") + (' font-style="italic"' if italic else "")
                marks += (' opacity="0.6"' if dim else "") + (' text-decoration="underline"' if underline else "")
                texts.append('<text x="%.1f" y="%d" fill="%s" textLength="%.1f" xml:space="preserve"%s>%s</text>'
                             % (x, y + 14, front, wide * COLUMN, marks, escape(part)))
            column += wide
        columns = max(columns, column)
    print('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="%d">'
          % (24 + max(columns, 80) * COLUMN, 24 + len(lines) * ROW, SIZE))
    print('<rect width="100%%" height="100%%" rx="8" fill="%s"/>' % BACKGROUND)
    print("\n".join(boxes + texts))
    print("</svg>")


main()
