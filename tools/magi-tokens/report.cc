#include "tools/magi-tokens/report.h"

#include <cstdio>

#include "libcommon/json/writer.h"

namespace magi::measure {
namespace {

using tokens::Kind;

std::int64_t integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// "user            12"
void append_row(std::string& out, std::string_view label, std::uint64_t tokens, std::string_view remark = "") {
  char row[80];
  std::snprintf(row, sizeof row, "%-16.*s %10llu", static_cast<int>(label.size()), label.data(),
                static_cast<unsigned long long>(tokens));
  out += row;
  if (!remark.empty()) out.append("  ").append(remark);
  out += '\n';
}

std::string percent_text(double percent) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", percent);
  return text;
}

}  // namespace

void append_json(std::string& out, const Measured& m) {
  json::Writer writer(out);
  writer.begin_object().key("total").integer(integer(m.split.total())).key("method").string(m.method);
  writer.key("fixed_overhead");
  if (m.has_request)
    writer.integer(integer(m.split.fixed()));
  else
    writer.null();
  writer.key("kinds").begin_object();
  for (std::size_t i = 0; i < tokens::kKinds; ++i) {
    const auto kind = static_cast<Kind>(i);
    writer.key(tokens::kind_name(kind)).integer(integer(m.split.of(kind)));
  }
  writer.end_object();
  writer.key("max_tokens").integer(m.budget.max_tokens).key("reserve_tokens").integer(m.budget.reserve_tokens);
  writer.key("usable").integer(m.budget.usable).key("compaction_cutoff");
  if (m.budget.compaction_cutoff)
    writer.integer(*m.budget.compaction_cutoff);
  else
    writer.null();
  writer.key("percent").number(m.fit.percent).key("fits").boolean(m.fit.fits);
  writer.key("sources").begin_object().key("max_tokens").string(m.budget.max_source);
  writer.key("reserve_tokens").string(m.budget.reserve_source);
  writer.key("compaction_cutoff").string(m.budget.cutoff_source).end_object();
  writer.key("replaced_bytes").integer(integer(m.replaced_bytes)).end_object();
  out += '\n';
}

void append_text(std::string& out, const Measured& m) {
  append_row(out, "total", m.split.total(), (m.is_exact ? "exact: " : "estimate: ") + std::string(m.method));
  if (m.has_request)
    append_row(out, "fixed overhead", m.split.fixed(), "instructions and tools");
  else
    out += "fixed overhead   not included: the stream has no request record\n";
  for (std::size_t i = 0; i < tokens::kKinds; ++i) {
    const auto kind = static_cast<Kind>(i);
    if (m.split.of(kind)) append_row(out, "  " + std::string(tokens::kind_name(kind)), m.split.of(kind));
  }
  const tokens::Budget& budget = m.budget;
  append_row(out, "max tokens", static_cast<std::uint64_t>(budget.max_tokens), budget.max_source);
  append_row(out, "reserve", static_cast<std::uint64_t>(budget.reserve_tokens), budget.reserve_source);
  append_row(out, "usable", static_cast<std::uint64_t>(budget.usable));
  if (budget.compaction_cutoff)
    append_row(out, "compacted at", static_cast<std::uint64_t>(*budget.compaction_cutoff), budget.cutoff_source);
  else
    out += "compacted at     never: automatic compaction is off\n";
  append_row(out, "left", static_cast<std::uint64_t>(m.fit.remaining), percent_text(m.fit.percent) + "% used");
  out += m.fit.fits ? "fits\n" : "does not fit\n";
  if (m.replaced_bytes) append_row(out, "replaced bytes", m.replaced_bytes, "not UTF-8, counted as U+FFFD");
}

}  // namespace magi::measure
