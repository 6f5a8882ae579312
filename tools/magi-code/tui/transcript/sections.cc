#include "tools/magi-code/tui/transcript/sections.h"

#include <algorithm>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/transcript/code_lines.h"
#include "tools/magi-code/tui/transcript/markdown/render.h"
#include "tools/magi-code/tui/transcript/tool_facts.h"

namespace magi::code::tui {
namespace {

using Kind = Section::Kind;

Section section(Kind kind, std::size_t begin = 0, std::size_t end = 0, bool settled = true) {
  Section made;
  made.kind = kind;
  made.begin = begin;
  made.end = end;
  made.settled = settled;
  return made;
}

// Plain text in chunks of lines.
void add_text(std::vector<Section>& out, std::string_view text) {
  std::size_t begin = 0, lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t newline = text.find('\n', at);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    at = end;
    if (++lines < limit::kChunkLines && at < text.size() && at - begin < limit::kChunkBytes) continue;
    out.push_back(section(Kind::kText, begin, at));
    begin = at;
    lines = 0;
  }
}

void add_diff(std::vector<Section>& out, Card& card, bool all) {
  const DiffText* const diff = diff_of(*card.tool);
  if (!diff) return;
  const std::size_t rows = all ? diff->rows.size() : std::min(diff->rows.size(), limit::kDiffLines);
  for (std::size_t begin = 0; begin < rows; begin += limit::kChunkLines)
    out.push_back(section(Kind::kDiff, begin, std::min(rows, begin + limit::kChunkLines)));
}

void tool_sections(Card& card, std::vector<Section>& out, bool all) {
  ToolFacts& tool = *card.tool;
  const Fold fold = all ? Fold::kOpen : card.fold;
  if (fold == Fold::kFolded) return;
  if (fold == Fold::kOpen) out.push_back(section(Kind::kArguments, 0, 0, tool.status != "writing"));
  add_diff(out, card, fold == Fold::kOpen);
  if (tool.running()) {
    if (!tool.live.empty() && fold == Fold::kPreview) out.push_back(section(Kind::kLive, 0, 0, false));
    if (!tool.live.empty() && fold == Fold::kOpen) {
      card.text = tool.live.text();
      add_text(out, card.text);
    }
    return;
  }
  if (fold == Fold::kOpen)
    add_text(out, card.text);
  else if (!card.text.empty() && (!tool.is_edit || tool.status != "success"))
    out.push_back(section(Kind::kTail));
}

// Blocks that were there stay as they are: only what is new is added, and the open one replaced.
void markdown_sections(Card& card, std::vector<Section>& out, bool all) {
  if (!card.markdown) card.markdown = std::make_unique<MarkdownSplitter>();
  card.markdown->feed(card.text);
  std::size_t blocks = 0;
  while (!out.empty() && out.back().kind != Kind::kBlock && out.back().kind != Kind::kHeader) out.pop_back();
  if (!out.empty() && out.back().kind == Kind::kBlock && out.back().begin >= card.markdown->closed().size())
    out.clear();
  if (out.empty()) out.push_back(section(Kind::kHeader, all, 0, card.kind != CardKind::kCompaction));
  if (out.back().kind == Kind::kBlock) blocks = out.back().begin + 1;
  for (; blocks < card.markdown->closed().size(); ++blocks) out.push_back(section(Kind::kBlock, blocks));
  if (!card.markdown->open(card.text).empty())
    out.push_back(section(Kind::kOpenBlock, 0, 0, card.status != "streaming"));
}

void add_footer(const Card& card, std::vector<Section>& out) {
  if (!footer_of(card).spans.empty()) out.push_back(section(Kind::kFooter));
}

Prefix body_prefix(Role role = Role::kBorder) {
  Prefix prefix;
  prefix.first.add("  │ ", {role});
  prefix.rest = prefix.first;
  prefix.first_decoration = bytes_of(prefix.first);
  return prefix;
}

Prefix text_prefix(const Card& card, bool first) {
  Prefix prefix;
  if (card.kind == CardKind::kPrompt) {
    const bool automatic = card.label == "automatic";
    if (!automatic) prefix.first.add(first ? "❯ " : "  ", Style{Role::kUser, true});
    if (automatic && first) prefix.first.add("you [automatic]: ", Style{Role::kMuted, true});
    if (automatic && !first) prefix.first.add("  ");
    prefix.rest.add(automatic && first ? std::string(17, ' ') : "  ");
  } else if (card.kind == CardKind::kNote) {
    const bool error = card.label == "error", warning = card.label == "warning";
    prefix.first.add(!first    ? "  "
                     : error   ? "✗ "
                     : warning ? "⚠ "
                               : "· ",
                     {error     ? Role::kError
                      : warning ? Role::kWarning
                                : Role::kMuted});
    prefix.rest.add("  ");
  } else {
    return body_prefix();
  }
  prefix.first_decoration = bytes_of(prefix.first);
  return prefix;
}

Style text_style(const Card& card) {
  switch (card.kind) {
    case CardKind::kPrompt: return {card.label == "automatic" || card.status == "waiting" ? Role::kMuted : Role::kUser};
    case CardKind::kNote:
      return {card.label == "error" ? Role::kError : card.label == "warning" ? Role::kWarning : Role::kMuted};
    case CardKind::kReasoning: return Style{Role::kMuted, false, true};
    default: return {Role::kMuted};
  }
}

void lay_text(LaidLines& out, const Card& card, std::string_view text, bool first, int columns) {
  const bool words = card.kind != CardKind::kTool;
  Prefix prefix = text_prefix(card, first);
  for (const std::string& line : visible_lines(text)) {
    lay(out, Line(line, text_style(card)), columns, prefix, words ? Wrapping::kWords : Wrapping::kExact);
    prefix.first = prefix.rest;
    prefix.first_decoration = bytes_of(prefix.rest);
  }
}

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

void lay_block(LaidLines& out, const Card& card, const MarkdownBlock& block, bool first, int columns) {
  LaidLines lines;
  const std::string_view source = std::string_view(card.text).substr(block.begin, block.end - block.begin);
  if (block.kind == MarkdownBlock::Kind::kCode) {
    Prefix prefix;
    prefix.first.add("  ");
    prefix.rest = prefix.first;
    prefix.first_decoration = bytes_of(prefix.first);
    lay_code(lines, source, block.language, block.state, block.fence_indent, columns, prefix);
  } else {
    lay_markdown(lines, source, columns);
  }
  if (!first && !block.joined && !lines.empty()) out.emplace_back();
  std::move(lines.begin(), lines.end(), std::back_inserter(out));
}

void lay_live(LaidLines& out, const Card& card, int columns) {
  Prefix prefix = body_prefix();
  const std::string shown = card.tool->live.last_lines(limit::kLiveLines);
  LaidLines lines;
  for (const std::string& line : visible_lines(shown))
    lay(lines, Line(line, {Role::kMuted}), columns, prefix, Wrapping::kExact);
  const std::size_t skipped = lines.size() - std::min(lines.size(), limit::kLiveLines);
  std::move(lines.begin() + static_cast<std::ptrdiff_t>(skipped), lines.end(), std::back_inserter(out));
}

void lay_more(LaidLines& out, std::size_t count, std::string_view what, int columns) {
  LaidLine more;
  more.line = shorten(Line("  │ … " + std::to_string(count) + " " + std::string(what), {Role::kMuted}), columns);
  more.decoration = bytes_of(more.line);
  out.push_back(std::move(more));
}

void lay_tail(LaidLines& out, const Card& card, int columns) {
  const std::string_view text = without_line_end(card.text);
  std::size_t at = text.size(), lines = 0;
  for (; at > 0; --at)
    if (text[at - 1] == '\n' && ++lines == limit::kErrorLines) break;
  const auto above = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  if (above > 0) lay_more(out, static_cast<std::size_t>(above), above == 1 ? "line above" : "lines above", columns);
  lay_text(out, card, text.substr(at), false, columns);
}

void lay_arguments(LaidLines& out, const Card& card, int columns) {
  for (const Argument& argument : arguments_of(*card.tool)) {
    Line line;
    if (!argument.key.empty()) append_text(line, visible(argument.key) + ": ", {Role::kType});
    const bool command = argument.key == "command";
    const syntax::Language* const language = command ? syntax::find_language("sh") : nullptr;
    syntax::State state;
    std::string_view value = without_line_end(argument.value);
    Prefix prefix = body_prefix();
    do {
      const std::size_t newline = value.find('\n');
      for (const Span& span : colour_line(value.substr(0, newline), language, state).spans)
        append_text(line, span.text, span.style);
      lay(out, line, columns, prefix, Wrapping::kExact);
      line = Line("  ");
      value.remove_prefix(newline == std::string_view::npos ? value.size() : newline + 1);
    } while (!value.empty());
  }
}

void lay_diff(LaidLines& out, Card& card, const Section& section, int columns) {
  const DiffText* const diff = diff_of(*card.tool);
  if (!diff) return;
  const int numbers = number_columns(*diff);
  const Prefix prefix = body_prefix();
  const std::size_t end = std::min(section.end, diff->rows.size());
  for (std::size_t i = section.begin; i < end; ++i)
    lay(out, draw_diff_row(diff->rows[i], numbers, card.tool->path), columns, prefix, Wrapping::kExact);
  if (card.fold != Fold::kOpen && end == limit::kDiffLines && end < diff->rows.size())
    lay_more(out, diff->rows.size() - end, "more lines of the change", columns);
}

void lay_header(LaidLines& out, const Card& card, bool alone, int columns, const Moment& moment) {
  if (card.gap && !alone) out.emplace_back();
  LaidLine header;
  header.line = header_of(card, columns, moment);
  if (!header.line.spans.empty()) out.push_back(std::move(header));
}

}  // namespace

void build_sections(Card& card, std::vector<Section>& sections, bool all) {
  const bool markdown =
      card.kind == CardKind::kAnswer || (card.kind == CardKind::kCompaction && (all || card.fold != Fold::kFolded));
  if (markdown) {
    markdown_sections(card, sections, all);
    if (all && card.compaction && !card.compaction->evidence.empty()) sections.push_back(section(Kind::kFooter));
    if (card.kind == CardKind::kAnswer) add_footer(card, sections);
    return;
  }
  sections.clear();
  sections.push_back(section(Kind::kHeader, all, 0, !animates(card)));
  if (card.kind == CardKind::kTool) return tool_sections(card, sections, all);
  const bool live = card.kind == CardKind::kReasoning && card.status == "streaming";
  if (all || card.fold == Fold::kOpen)
    add_text(sections, card.text);
  else if (card.fold == Fold::kPreview && !card.text.empty())
    sections.push_back(section(Kind::kTail, 0, 0, !live));
  add_footer(card, sections);
}

LaidLines lay_section(Card& card, const Section& section, int columns, const Moment& moment) {
  LaidLines out;
  switch (section.kind) {
    case Kind::kHeader: lay_header(out, card, section.begin > 0, columns, moment); break;
    case Kind::kBlock: lay_block(out, card, card.markdown->closed()[section.begin], section.begin == 0, columns); break;
    case Kind::kOpenBlock:
      lay_block(out, card, card.markdown->open(card.text), card.markdown->closed().empty(), columns);
      break;
    case Kind::kText: {
      const std::size_t begin = std::min(section.begin, card.text.size());
      lay_text(out, card, without_line_end(std::string_view(card.text).substr(begin, section.end - begin)),
               section.begin == 0, columns);
      break;
    }
    case Kind::kLive: lay_live(out, card, columns); break;
    case Kind::kTail: lay_tail(out, card, columns); break;
    case Kind::kArguments: lay_arguments(out, card, columns); break;
    case Kind::kDiff: lay_diff(out, card, section, columns); break;
    case Kind::kFooter: {
      Line footer = footer_of(card);
      Prefix prefix;
      if (card.kind == CardKind::kPrompt) prefix.first.add("  "), prefix.rest.add("  "), prefix.first_decoration = 2;
      if (!footer.spans.empty()) lay(out, footer, columns, prefix, Wrapping::kWords);
      if (card.compaction) lay_text(out, card, without_line_end(card.compaction->evidence), false, columns);
      break;
    }
  }
  return out;
}

}  // namespace magi::code::tui
