// The interface thread: owns the terminal, the state and the screen, and hands everything that could block to the
// engine and the workers.  Draws at once when a key was pressed, else at most sixty times a second.
#pragma once

#include <memory>
#include <string>

#include "tools/magi-code/tui/app/engine.h"
#include "tools/magi-code/tui/app/reduce.h"
#include "tools/magi-code/tui/app/workers.h"
#include "tools/magi-code/tui/screen/painter.h"
#include "tools/magi-code/tui/terminal/decoder.h"
#include "tools/magi-code/tui/terminal/tty.h"

namespace magi::code::tui {

class Interface {
 public:
  // Takes the terminal and draws the first frame; nothing else is started before it.  kUsage where there is no terminal
  // that can show it.  `setting` outlives the interface.
  static Result<std::unique_ptr<Interface>> open(const Setting& setting);

  // Until the person leaves or a signal ends it: the exit status.  The terminal is restored when this returns.
  int run();

 private:
  Interface(const Setting& setting, TerminalEnvironment environment, Capabilities capabilities);

  void first_frame();
  void start();
  void wait();
  bool take_notices();
  void take_input();
  void take_decoded(DecodedInput& input);
  void take_mail();
  void draw_where_due();
  void draw();
  int milliseconds_to_wait() const;

  void carry_out(Requests requests);
  void carry_out(EngineCommand& command);
  void carry_out(WorkerTask& task);
  void carry_out(TerminalWish& wish);
  void obey(const EditExternally& wish);
  void obey(const RunOnTerminal& wish);
  void obey(const Suspend& wish);
  void obey(const Redraw& wish);
  void obey(const SetTheme& wish);
  void obey(const Announce& wish);
  void obey(const CopyText& wish);
  void obey(const Leave& wish);
  Theme theme() const;
  void note(std::string level, std::string text);
  int leave();

  const Setting& setting_;
  TerminalEnvironment environment_;
  Capabilities capabilities_;
  State state_;
  Painter painter_;
  Decoder decoder_;
  Mailbox mailbox_;
  std::unique_ptr<Tty> tty_;
  Workers workers_;
  Engine engine_;

  bool leaving_ = false, changed_ = true, pressed_ = false;
  int ending_signal_ = 0;
  std::int64_t drawn_ms_ = 0, input_ms_ = 0;
};

}  // namespace magi::code::tui
