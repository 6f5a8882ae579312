// Every `event_type` and record `type`, once.  scripts/check-layers.sh refuses these literals anywhere else.
#pragma once

#include <string_view>

namespace magi::event::name {

// Session files (magi-session(5)).  A provider may see what the first group becomes in replay, never the second.
inline constexpr std::string_view kUserInput = "user_input";
inline constexpr std::string_view kAssistantOutput = "assistant_output";
inline constexpr std::string_view kProviderResponseItem = "provider_response_item";
inline constexpr std::string_view kToolCall = "tool_call";
inline constexpr std::string_view kToolResult = "tool_result";
inline constexpr std::string_view kToolResultAssessment = "tool_result_assessment";
inline constexpr std::string_view kTurnStatus = "turn_status";
inline constexpr std::string_view kCompaction = "compaction";
inline constexpr std::string_view kCodeModeContext = "code_mode_context";
inline constexpr std::string_view kHookContextInjection = "hook_context_injection";
inline constexpr std::string_view kSubdirInstructionLoad = "subdir_instruction_load";

inline constexpr std::string_view kSubagentSession = "subagent_session";
inline constexpr std::string_view kRewind = "rewind";
inline constexpr std::string_view kSessionTitle = "session_title";
inline constexpr std::string_view kSessionUsage = "session_usage";
inline constexpr std::string_view kSessionPreferences = "session_preferences";
inline constexpr std::string_view kDiagnostic = "diagnostic";
inline constexpr std::string_view kContextCache = "context_cache";
inline constexpr std::string_view kHookLifecycle = "hook_lifecycle";
inline constexpr std::string_view kHookDiagnostic = "hook_diagnostic";
inline constexpr std::string_view kProviderStreamTrace = "provider_stream_trace";
inline constexpr std::string_view kReasoningSummary = "reasoning_summary";

// Conversation stream (magi-stream(7)).
inline constexpr std::string_view kRequest = "request";
inline constexpr std::string_view kConversation = "conversation";
inline constexpr std::string_view kSummary = "summary";
inline constexpr std::string_view kEvidence = "evidence";
inline constexpr std::string_view kContext = "context";
inline constexpr std::string_view kReasoningSelection = "reasoning_selection";
inline constexpr std::string_view kUser = "user";
inline constexpr std::string_view kAssistant = "assistant";
inline constexpr std::string_view kProviderItem = "provider_item";
inline constexpr std::string_view kEnd = "end";

// What magi-provider answers with.
inline constexpr std::string_view kAttempt = "attempt";
inline constexpr std::string_view kText = "text";
inline constexpr std::string_view kReasoning = "reasoning";
inline constexpr std::string_view kToolProgress = "tool_progress";
inline constexpr std::string_view kUsage = "usage";
inline constexpr std::string_view kTrace = "trace";
inline constexpr std::string_view kDone = "done";
inline constexpr std::string_view kError = "error";
inline constexpr std::string_view kCancel = "cancel";

// magi-tool --list, and the run stream of magi-code --json.
inline constexpr std::string_view kToolDefinition = "tool_definition";
inline constexpr std::string_view kSession = "session";
inline constexpr std::string_view kTurn = "turn";
inline constexpr std::string_view kAutomaticUserPrompt = "automatic_user_prompt";
inline constexpr std::string_view kResult = "result";
inline constexpr std::string_view kModel = "model";

// What magi-assess is asked, and what it answers.
inline constexpr std::string_view kAssess = "assess";
inline constexpr std::string_view kAssessment = "assessment";

// Actions of --control, and their answers.
inline constexpr std::string_view kPrompt = "prompt";
inline constexpr std::string_view kSteer = "steer";
inline constexpr std::string_view kRecall = "recall";
inline constexpr std::string_view kApprove = "approve";
inline constexpr std::string_view kApprovalRequest = "approval_request";
inline constexpr std::string_view kAccepted = "accepted";
inline constexpr std::string_view kDelivered = "delivered";
inline constexpr std::string_view kRefused = "refused";

}  // namespace magi::event::name
