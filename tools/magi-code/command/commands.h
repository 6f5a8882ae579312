// What magi-code can be asked to do, one function each: an exit status, or the error that explains it.
#pragma once

#include "libcommon/tool/options.h"
#include "tools/magi-code/command/assembly.h"
#include "tools/magi-code/front/print_sink.h"

namespace magi::code {

Result<int> run_command(const Setting& setting);          // whichever the command line asks for
Result<int> run_once(const Setting& setting);             // -p
Result<int> run_control(const Setting& setting);          // --json --control
Result<int> run_mission_control(const Setting& setting);  // a terminal
Result<int> print_request(const Setting& setting);        // request
Result<int> list_models(const Setting& setting);          // models
Result<int> list_changes(const Setting& setting);         // changes
Result<int> rewind_session(const Setting& setting);       // rewind
Result<int> run_demo(const Setting& setting);             // demo
Result<int> run_doctor(const Setting& setting);           // doctor
Result<int> run_trust(const Setting& setting);            // trust
// How a PrintSink shows things under these options and on these descriptors.
PrintOptions print_options(const Setting& setting);
Result<int> print_completion(const tool::OptionParser& parser, const std::string& shell);

}  // namespace magi::code
