#include "tools/magi-assess/markers.h"

#include <algorithm>

namespace magi::assess {
namespace {

enum class Where { kAnywhere, kLineStart };

struct Given {
  std::string_view rule;
  Category category;
  double weight;
  Where where;
  std::string_view texts;      // separated by '^'
  std::string_view then = {};  // one of these must follow; separated by '^'
  std::size_t within = 0;      // bytes
};

constexpr Given kGiven[] = {
    {"marker.system-tag", Category::kMarker, 44, Where::kAnywhere,
     "<system>^</system>^<system-reminder>^</system-reminder>^<system_message^<system-message^<system_prompt^"
     "<system-prompt>^<sys>^<<sys>>^<|system|>^<|im_start|>^<|im_end|>^<|start_header_id|>^<|endoftext|>^<|user|>^"
     "<|assistant|>^[inst]^[/inst]^[system]^[/system]^{system}^<admin>^<developer>^<|developer|>^"
     "<important_instructions>^<new_instructions>^<instructions_override>^<|eot_id|>^[[system]]^<system:^<user_query>^"
     "<priority_instructions>^<operator>^[system override^[system message^[system notice^[system alert"},
    {"marker.turns", Category::kMarker, 44, Where::kLineStart, "human:^user:^### human",
     "\nassistant:^\n\nassistant:^\nai:", 300},
    {"marker.end-of-result", Category::kMarker, 44, Where::kAnywhere,
     "</tool_result>^</tool_output>^</function_results>^</tool_response>^</result></tool^</untrusted^</document>\n<^"
     "end of tool output^end of tool result^end of function result^end tool result^[end of tool^---end tool^"
     "end of untrusted^end of external content^end of web page^end of search results^</function_result>^"
     "</context>\n^end of document ---^[end of document]^[end of file]\n^end of user data"},
    {"marker.system-line", Category::kMarker, 30, Where::kLineStart,
     "system:^### system^## system message^# system message^system message:^system prompt:^system notice:^"
     "[system message]^[system notice]^*** system^== system^system override^system update:^system instruction^"
     "system alert:^### new instructions^### instruction^new instructions:^new instruction:^new system prompt^"
     "begin system^--- begin instructions^[admin]^admin:^developer:^developer message:^[developer^### assistant^"
     "assistant:^\n\nhuman:^human:^### human^<assistant>^[assistant]^priority instruction^updated instructions:^"
     "important instructions:^special instructions:^instructions for the^instructions for ai^instructions to the"},
    {"imitation.call", Category::kImitation, 36, Where::kAnywhere,
     "<tool_call>^<function_call^<function_calls>^<invoke name=^<tool_use>^<|tool_call^<|python_tag|>^"
     "<|tool_calls_begin^to=functions.^assistant "
     "to=^<tool_code>^<execute>^<run_command>^<antml^<bash>^<execute_command"},
    {"imitation.json", Category::kImitation, 14, Where::kAnywhere,
     "\"type\":\"tool_use\"^\"type\": \"tool_use\"^\"type\":\"function_call\"^\"type\": \"function_call\"^"
     "\"tool_calls\":^\"type\":\"tool_call\"^\"function_call\":^\"recipient_name\":\"functions"},
    {"addressed.note-to-model", Category::kAddressed, 48, Where::kAnywhere,
     "note to ai^note to the ai^note to llm^note to assistant^note to the assistant^note for ai^note for the ai^"
     "note for llm^note for assistant^note for the assistant^message to ai^message for ai^message to the ai^"
     "message for the ai^message to llm^message to the assistant^instructions for the ai^instructions for ai^"
     "instruction for ai^instruction to the ai^instructions to the ai^instructions for llm^instructions for language "
     "model^instructions for the assistant^instructions for the model^attention ai^attention llm^attention assistant^"
     "attention all ai^attention: ai^attn: ai^dear ai^dear assistant^dear llm^hey ai^hey assistant^hello ai^hi ai,^"
     "hey claude^hey chatgpt^hey copilot^dear claude^dear chatgpt^dear copilot^to any ai^to all ai^to the ai ^"
     "to ai agents^to ai assistants^for ai agents only^for ai only^for llms only^ai-only^ai agents:^ai assistants:^"
     "ai agent:^ai assistant:^llm instructions^ai instructions^for language models only^for language models:^for ai "
     "models^message for language^llm:^ai:^hinweis an die ki^hinweis fur die ki^"
     "an die ki^note pour l'ia^a l'attention de l'ia^nota para la ia^nota para a ia^nota per l'ia^instrucciones para "
     "la ia^anweisung an die ki^anweisungen fur die ki^instructions pour l'ia^istruzioni per l'ia^instrucoes para a ia^"
     "nota voor de ai^uwaga dla ai^примечание для ии^инструкция для ии^сообщение для ии^yapay zeka icin not^"
     "notiz an den assistenten^hinweis an den assistenten"},
    {"override.phrase", Category::kOverride, 60, Where::kAnywhere,
     "ignore the user^ignore the question^cancel the current task^cancel your current^ignore the above^ignore "
     "everything above^ignore all of the above^disregard the above^disregard everything^"
     "disregard all of the above^forget everything you^forget all you^forget what you were^forget your previous^"
     "ignore what you were^stop what you are doing^stop your current task^drop your current task^abandon your current^"
     "your previous instructions are^your instructions have changed^your instructions have been^"
     "your task has changed^the user has changed^previous instructions no longer^previous instructions are void^"
     "instructions above are^the instructions above no longer^all prior guidance^ignoreallprevious^ignoreprevious^"
     "ignoretheabove^ignoreyour^disregardall^disregardprevious^ignore instructions above^"
     "do not follow your original^do not follow the user^do not follow the original^instead of the user's^"
     "instead of following^instead of the task^rather than the task^overrides all^takes precedence over^"
     "supersedes all^supersede all^supersedes any^oublie tout^oubliez tout^vergiss alles^olvida todo^dimentica tutto^"
     "esqueca tudo^zapomnij o wszyst^забудь все^забудьте все^vergeet alles"},
    {"override.cjk", Category::kOverride, 62, Where::kAnywhere,
     "忽略^无视^無視^忘记^忘記^忘れ^不要理会^跳过^抛弃^取代^覆盖^무시^잊어^잊고^忽視^不顾",
     "指令^指示^提示^规则^規則^命令^要求^ルール^プロンプト^설정^지시^명령^규칙^프롬프트^说明^內容^内容", 60},
    {"override.cjk", Category::kOverride, 62, Where::kAnywhere,
     "指令^指示^提示^规则^規則^命令^ルール^プロンプト^지시^명령^규칙^프롬프트^内容",
     "忽略^无视^無視^忘记^忘記^忘れ^무시^잊^作废^失效", 48},
    {"override.other-script", Category::kOverride, 62, Where::kAnywhere,
     "تجاهل^انس ^انسى^अनदेखा^नज़रअंदाज़^नजरअंदाज^अनदेखी^भूल जा^เพิกเฉย^ละเว้น^ไม่ต้องสนใจ^ลืมคำสั่ง^bo qua^hay bo qua^התעלם^התעלמי^"
     "αγνοησε^αγνοηστε^ξεχνα^উপেক্ষা^نادیده^نظر انداز",
     "التعليمات^تعليمات^الأوامر^اوامر^निर्देश^आदेश^คำสั่ง^ข้อความ^huong dan^chi "
     "dan^lenh^ההוראות^הוראות^οδηγι^εντολ^নির্দেশ^دستور^"
     "ہدایات^أوامر",
     90},
    {"override.other-script", Category::kOverride, 62, Where::kAnywhere, "निर्देश^आदेश^নির্দেশ^دستورالعمل^ہدایات",
     "अनदेखा^नज़रअंदाज़^नजरअंदाज^अनदेखी^भूल^উপেক্ষা^نادیده^نظر انداز", 90},
    {"secrecy.cjk", Category::kSecrecy, 46, Where::kAnywhere,
     "不要告诉^别告诉^不要告訴^不要提及^不要向用户^不得告知^请勿告知^ユーザーには^ユーザーに知らせ^ユーザーに言わ^"
     "사용자에게 알리지^"
     "사용자에게 말하지^유저에게 알리지^لا تخبر^उपयोगकर्ता को न^उपयोगकर्ता को मत^อย่าบอก^dung noi cho^אל תספר^μην "
     "πεις^μην αναφερ"},
    {"exfiltration.cjk", Category::kExfiltration, 44, Where::kAnywhere,
     "发送到^发送给^上传到^發送到^傳送到^送信し^送って^アップロード^전송^보내^업로드^発送^أرسل^ارسل^भेज^ส่ง",
     "http^@^邮箱^服务器^サーバ^서버^.com^.net^.org^.example", 90},
    {"exfiltration.cjk-secret", Category::kExfiltration, 30, Where::kAnywhere,
     "密码^密钥^口令^令牌^凭据^環境変数^环境变量^パスワード^秘密鍵^認証情報^비밀번호^환경 "
     "변수^환경변수^토큰^비밀키^كلمة المرور^مفاتيح^पासवर्ड",
     "发送^上传^輸出^输出^送信^送って^전송^보내^أرسل^ارسل^भेज^提交^泄露^출력", 90},
    {"addressed.cjk", Category::kAddressed, 40, Where::kAnywhere,
     "致人工智能^ai助手^人工智能助手^大模型^语言模型^aiアシスタント^aiエージェント^言語モデル^ai "
     "어시스턴트^인공지능^ai 에이전트^"
     "المساعد الذكي^نموذج اللغة",
     "必须^应该^请^不要^立即^してください^しなさい^すること^해야^하십시오^하세요^하라^يجب^قم", 60},
    {"role.cjk",
     Category::kRole,
     40,
     Where::kAnywhere,
     "你现在是^从现在开始^现在起你^你将扮演^あなたは今から^これからあなた^今後あなた^지금부터 너는^지금부터 "
     "당신^이제부터^أنت الآن^अब तुम^अब आप",
     {},
     0},
    {"reveal.cjk", Category::kReveal, 44, Where::kAnywhere, "系统提示^系統提示^システムプロンプト^시스템 프롬프트",
     "输出^显示^打印^告诉^表示^出力^教えて^출력^보여^공개", 40},
    {"role.jailbreak", Category::kRole, 50, Where::kAnywhere,
     "you are now dan^do anything now^developer mode enabled^developer mode activated^enable developer mode^"
     "enter developer mode^debug mode enabled^maintenance mode enabled^maintenance mode activated^jailbreak mode^"
     "god mode^without any restrictions^no longer bound by^not bound by^free from all restrictions^"
     "have no restrictions^you have been upgraded^safety filters are disabled^safety checks are disabled^"
     "safety is disabled^unrestricted mode^you are in maintenance mode^you are in developer mode^you are in debug "
     "mode^pretend you have no^pretend you are^pretend that you^sudo mode^root mode^admin mode^override mode^you are "
     "no longer"},
    {"approval.granted", Category::kApproval, 44, Where::kAnywhere,
     "already approved^has been approved by the user^user has approved^user has already approved^pre-approved^user "
     "already consented^user has authorized^user has given permission^the user wants you to^the user asked you to^the "
     "user would like you to^user has granted^permissions have been elevated^you are authorized to^approval is not "
     "required^approval is not needed^no approval is needed^no confirmation is needed^confirmation is not "
     "required^never ask for confirmation^skip confirmation^skip the "
     "confirmation^auto-approve^autoapprove^--dangerously-skip-permissions^--yolo"},
    {"approval.unasked", Category::kApproval, 28, Where::kAnywhere,
     "you have permission to^no confirmation needed^without confirmation^without asking^do not ask for^don't ask "
     "for^ohne nachzufragen^ohne ruckfrage^sans demander^sin preguntar^senza chiedere^sem perguntar^без подтвержден^не "
     "спрашивая"},
    {"secrecy.phrase", Category::kSecrecy, 44, Where::kAnywhere,
     "keep this secret^keep this hidden^keep this between^keep it secret^do this silently^do it silently^silently "
     "execute^silently run^secretly ^do not reveal that^don't reveal that^do not mention^don't mention^never mention^"
     "without mentioning^without telling^without informing^without notifying^without alerting^hide this from^"
     "hide this step^conceal this^do not let the user^don't let the user^the user must not^user must not know^"
     "user should not know^user does not need to know^user must never^not to be shown to the user^not shown to the "
     "user^invisible to the user^not visible to the user^do not display this^do not show this^don't show this^"
     "do not output this^do not summarize this^don't tell^do not tell^do not inform^do not report this^"
     "pretend nothing^act normally^as if nothing^ohne es zu erwahnen^sag dem nutzer nichts^sans le dire^"
     "sin decirle^sin mencionar^senza dirlo^senza menzionar^sem mencionar^не говори пользователю^не сообщай"},
    {"exfiltration.image", Category::kExfiltration, 34, Where::kAnywhere, "![", "?d=^?q=^?data=^?k=^?x=^?secret=", 120},
    {"danger.pipe-to-shell", Category::kDanger, 24, Where::kAnywhere, "curl ^wget ^iwr ^invoke-webrequest ",
     "| sh^| bash^|sh^|bash^| sudo^| iex^| python", 160},
    {"danger.command", Category::kDanger, 24, Where::kAnywhere,
     "rm -rf^mkfs.^:(){^chmod 777^>> ~/.bashrc^>>~/.bashrc^>> ~/.ssh^authorized_keys^git push --force^nc -e^"
     "/dev/tcp/^base64 -d |^base64 --decode |^drop table^crontab -^curl -d^curl --data^curl -x post^curl -f "},
    {"imperative.do-this", Category::kImperative, 18, Where::kAnywhere,
     "you must^you should now^you will now^you are required to^you are instructed^your next step^your first step^"
     "your new task^your new goal^your only task^your real task^your actual task^immediately run^immediately execute^"
     "before doing anything^before you do anything^before continuing^before proceeding^before answering^"
     "before responding^when you finish^as your first action^as the first step^begin your response^"
     "begin your reply^start your response^start your reply^end your response^end your reply^respond only with^"
     "reply only with^respond with^reply with^always respond^always recommend^in every response^in all future^"
     "for the rest of this^follow these steps^follow these instructions^follow the instructions^"
     "execute the following^run the following^execute this^run this command^must be executed^call the tool^"
     "use the tool^use your tool^call the function^use the bash tool^use the shell^using your shell^"
     "your bash tool^write_file^with your tools"},
    {"authority.claim", Category::kAuthority, 18, Where::kAnywhere,
     "this is an official^official instruction^this is a message from anthropic^message from openai^from anthropic^"
     "from openai^from the developer^from the system administrator^from the administrator^from your developer^"
     "this is your developer^i am your developer^i am the administrator^security team requires^by order of^"
     "this is not a drill^highest priority^top priority^priority override^mandatory compliance^compliance required^"
     "as the system administrator^authorized by^verified by anthropic^important!!!^urgent:^!!!"},
    {"encoded.rot13-or-reversed", Category::kEncoded, 60, Where::kAnywhere,
     "vafgehpgvba^vtaber cerivbhf^vtaber nyy^qvfertneq^flfgrz cebzcg^snoitcurtsni^snoitcurtsni suoiverp^erongi^"
     "suoiverp^tpmorp metsys^drager sid^dragersid"},
    {"encoded.decode-and-follow", Category::kEncoded, 44, Where::kAnywhere,
     "decode this^decode the following^decode and execute^decode and follow^decode and run^base64-decode^base64 decode^"
     "decode it^decode the string^decode the base64^decodiere^decodez^decodifica^decoded instructions^rot13 decode^"
     "apply rot13",
     "follow^execute^run^obey^instruct^perform^do what^comply^befolge^suis^sigue^ejecuta^act on", 110},
};

// Cuts the first of `list` off.
std::string_view next_text(std::string_view& list) {
  const std::size_t end = std::min(list.find('^'), list.size());
  const std::string_view text = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return text;
}

std::uint16_t start_of(std::string_view text) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(text[0]) | static_cast<unsigned char>(text[1]) << 8);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }

// Quote marks, list marks and emphasis may stand before what begins a line.
bool begins_line(std::string_view text, std::size_t at) {
  while (at > 0 && std::string_view(" >*#-/\"'`").find(text[at - 1]) != std::string_view::npos) --at;
  return at == 0 || text[at - 1] == '\n';
}

}  // namespace

Markers::Markers() {
  for (const Given& given : kGiven) {
    std::vector<std::string_view> followers;
    for (std::string_view rest = given.then; !rest.empty();)
      followers.push_back(storage_.emplace_back(fold(next_text(rest)).text));
    if (followers.empty()) followers.emplace_back();
    for (std::string_view rest = given.texts; !rest.empty();) {
      const std::string_view text = storage_.emplace_back(fold(next_text(rest)).text);
      if (text.size() < 2) continue;
      starts_.set(start_of(text));
      for (const std::string_view then : followers)
        by_start_[start_of(text)].push_back(
            {text, then, given.within, given.where == Where::kLineStart, given.rule, given.category, given.weight});
    }
  }
}

void Markers::find(const Folded& folded, Hits& hits) const {
  const std::string_view text = folded.text;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const std::uint16_t start = start_of(text.substr(at));
    if (!starts_.test(start)) continue;
    const auto found = by_start_.find(start);
    if (found == by_start_.end()) continue;
    for (const Marker& marker : found->second) {
      if (!text.substr(at).starts_with(marker.text)) continue;
      if (marker.at_line_start && !begins_line(text, at)) continue;
      // "airline:" is no "ai:".
      if (is_letter(marker.text[0]) && static_cast<unsigned char>(marker.text[0]) < 0x80 && at > 0 &&
          is_letter(text[at - 1]))
        continue;
      std::size_t end = at + marker.text.size();
      if (!marker.then.empty()) {
        const std::size_t then = text.substr(end, marker.within).find(marker.then);
        if (then == std::string_view::npos) continue;
        end += then + marker.then.size();
      }
      hits.push_back({marker.rule, marker.category, marker.weight, static_cast<std::uint32_t>(folded.source_begin(at)),
                      static_cast<std::uint32_t>(folded.source_end(end)), false});
    }
  }
}

}  // namespace magi::assess
