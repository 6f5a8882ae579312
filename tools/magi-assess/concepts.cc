#include "tools/magi-assess/concepts.h"

#include <algorithm>
#include <iterator>

#include "tools/magi-assess/fold.h"

namespace magi::assess {
namespace {

// Words that mean one thing, separated by blanks; one that ends with '*' stands for all that begin with it.
struct Meaning {
  Concepts concepts;
  std::string_view words;
};

constexpr Meaning kMeanings[] = {
    {kIgnore,
     "ignore ignores ignored ignoring ignora ignorad ignorar ignorare ignorate ignorer ignorez ignoriere ignorieren "
     "ignoriert ignoruj ignorowac ignorera negeer negeren disregard disregards disregarding forget forgetting override "
     "overrides overriding overridden bypass bypassing discard neglect dismiss abandon supersede supersedes superseded "
     "suspend overrule void vergiss vergesst vergessen missachte verwirf oublie oubliez olvida olvidad olvide descarta "
     "descarte dimentica dimenticate scarta esqueca esqueces desconsidere desconsidera vergeet zignoruj pomin zapomnij "
     "unut unutun yoksay gormezden glom ignorirovat* игнорир* проигнорир* забудь* отмени* ігнору* забуд* undo replace "
     "replaces abaikan lupakan ignori lewati तजाहल تجاهل تجاهلوا انس نظرانداز"},
    {kPrevious,
     "previous previously prior above earlier preceding foregoing former existing original initial before past "
     "vorherige vorherigen vorigen bisherige bisherigen obige obigen fruheren "
     "vorangegangenen precedent precedente precedentes precedentes precedenti anterior anteriores previa previas "
     "previo "
     "previos anteriormente vorige eerdere voorgaande poprzedni* wczesniejsz* предыдущ* прежн* ранее выше попередн* "
     "onceki yukaridaki tidigare sebelumnya السابقة السابق précédentes السابق"},
    {kInstruction,
     "instruction instructions instruct prompt prompts directive directives guideline guidelines rule rules order "
     "orders constraint constraints restriction restrictions safeguard safeguards policy policies programming "
     "anweisung anweisungen instruktion instruktionen vorgaben vorgabe regeln regel befehle consigne consignes "
     "instrucao instrucoes instruccion instrucciones indicaciones ordenes reglas istruzione istruzioni regole "
     "instructies aanwijzingen regels instrukcj* polecen* zasad* инструкц* указани* правил* команды інструкц* talimat* "
     "kural* instruktioner instruksi perintah aturan التعليمات تعليمات "
     "निर्देश* निरदेश* निर* diretrizes directrices regras"},
    {kAll,
     "all any every everything whatever alle saemtliche samtliche jegliche tout toute toutes tous todas todos todo "
     "toda tutte tutti ogni wszystkie wszelkie все всё всех весь tum butun alla semua كل جميع सभी"},
    {kModel,
     "assistant assistants ai ais llm llms chatbot chatbots claude chatgpt gpt gpt4 copilot gemini codex cursor "
     "ki ia sprachmodell assistent assistenten asistente assistente asystent* ассистент* помощник* ии модел* asistan "
     "yapay modele modello modelo agente agents agent bots bot model models  asisten المساعد "
     "मॉडल"},
    {kMust,
     "must should shall need needs needed have required require please instructed supposed ought obliged mandatory "
     "mussen musst muss sollst sollen soll bitte dois devez doit devi dovete debes debe debeis deves deve moet moeten "
     "musisz nalezy должен должна должны нужно необходимо повинен lutfen gerekir maste harus يجب will want ensure"},
    {kAct,
     "run runs execute executes call calls send sends open visit visits fetch fetches download downloads install "
     "installs delete deletes remove removes read reads write writes output outputs print prints respond responds "
     "reply "
     "replies answer include includes add adds insert inserts append post posts reveal disclose use invoke approve "
     "approves recommend recommends rate state report mention merge push commit copy navigate click follow create "
     "curl bash wget say tell make perform start begin return rank choose select grant list show display transfer "
     "encode set change modify switch continue proceed act comply obey summarize treat give put upload forward email "
     "fuhre fuhren sende senden offne losche loschen schreibe lies antworte ausfuhren ausgeben execute executez envoie "
     "envoyez ouvre ouvrez supprime supprimez ecris lis reponds executa ejecuta ejecute envia envie enviad borra "
     "escribe lee responde esegui eseguite invia inviate apri cancella scrivi leggi rispondi execute apague leia "
     "escreva responda voer stuur verwijder schrijf wykonaj wyslij usun odpowiedz выполни* отправ* удали* напиши* "
     "прочита* ответь* запусти* calistir gonder sil kor skicka kirim jalankan hapus نفذ أرسل ارسل احذف"},
    {kSend,
     "send sends sending post posts posting upload uploads uploading exfiltrate exfiltrates forward forwards transmit "
     "transmits email emails leak leaks submit submits mail copy curl dump paste publish push sende schicke senden "
     "ubermittle lade envoie envoyez transmets envia envie enviad manda invia inviate spedisci stuur wyslij przeslij "
     "отправ* перешли* передай* gonder skicka kirim kirimkan أرسل ارسل भेज* append include encode embed"},
    {kSecret,
     "key keys token tokens password passwords passwd credential credentials secret secrets env environment "
     "id_rsa id_ed25519 ssh cookie cookies history transcript apikey api_key aws wallet seed keychain kubeconfig "
     "shadow "
     "passwort passworter schlussel geheimnisse zugangsdaten umgebungsvariablen cle cles identifiants secretes "
     "contrasena contrasenas clave claves credenciales senha senhas chave chaves chiave chiavi segreti wachtwoord* "
     "sleutel* hasl* klucz* парол* ключ* секрет* токен* sifre* anahtar* losenord nyckel* kunci sandi المفاتيح كلمات "
     "auth.json netrc npmrc pgpass contacts personal hosts.yml"},
    {kNever,
     "not don't dont never without avoid nicht niemals nie ohne keinesfalls pas jamais sans no nunca sin non mai senza "
     "nao sem niet nooit zonder nie bez не никогда без yapma olmadan inte aldrig jangan tanpa لا دون refrain neither "
     "hide conceal ne rien nichts niente nada niets nothing nic ничего"},
    {kTell,
     "tell telling mention mentioning inform informing notify notifying alert alerting disclose disclosing report "
     "reporting reveal revealing say saying explain acknowledge warn warning show showing erwahne erwahnen sage sagen "
     "informiere verrate mentionne mentionnez mentionner informe informez informer dis dites menciona mencionar "
     "menciones informes informar digas diga avises dire informare menziona menzionare avvisare mencione avise avisar "
     "vermeld informeer zeg wspominaj mow informuj говори* сообща* упомина* рассказыва* bahset soyle berna namna "
     "beritahu تخبر aware know notice"},
    {kUser,
     "user users human humans operator owner anyone anybody them him her person people victim customer benutzer "
     "nutzer anwender utilisateur utilisatrice usuario usuaria utente gebruiker uzytkownik* пользовател* kullanici* "
     "anvandare* pengguna المستخدم उपयोगकर्ता nobody anyone"},
    {kYou,
     "you you're your yours yourself u du dein deine deinen deiner sie ihre ihren tu ton ta tes vous votre vos tus tuo "
     "tua "
     "tuoi tue voi vostro seu sua suas jouw je uw twoje twoich swoje ты вы твои твой твоя ваши ваш свои sen senin din "
     "dina kamu anda أنت"},
    {kNow,
     "now instead henceforth immediately jetzt ab sofort stattdessen maintenant desormais ahora adesso agora "
     "nu teraz теперь сейчас отныне simdi artik sekarang الآن onwards nunmehr"},
    {kRole,
     "role persona character mode act pretend simulate roleplay dan jailbroken unrestricted unfiltered rolle "
     "goal objective mission purpose job task hacker pirate developer-mode aufgabe tache tarea compito tarefa taak "
     "zadani* задач* роль gorev"},
    {kRead,
     "read reads reading process processes processing parse parsing summarize summarizing summarise summarising "
     "analyze analyzing analyse analysing view viewing see seeing review reviewing index indexing crawl crawling scan "
     "scanning evaluate evaluating access accessing handle handling translate translating lesen liest verarbeite* lis "
     "lisez lisant traite lees leyendo procesa* leggi leggendo lendo leest czyta* чита* обрабатыва* okuyan okuyorsan "
     "membaca"},
    {kThis,
     "this these document page file email message text content repository issue code following here website "
     "article dies diese diesen dieses dokument seite ce cette ces este esta esto questo questa isso dit deze "
     "ten tego это этот этого эту bu ini"},
    {kReveal,
     "reveal reveals print prints show shows repeat repeats output outputs display displays leak leaks disclose "
     "discloses dump recite echo expose share zeige gib wiederhole affiche affichez revele montre muestra revela "
     "repite "
     "mostra ripeti rivela mostre toon pokaz покажи* выведи* раскрой* повтори* goster visa tampilkan"},
    {kAsk,
     "ask asking prompt prompting wait waiting request requesting seek require requiring need confirm confirming frage "
     "fragen nachfragen demander demandez pedir pidas preguntar preguntes chiedere chiedi peca perguntar vragen pytaj "
     "спрашива* sormadan fraga bertanya"},
    {kApproval,
     "confirmation permission approval consent authorization authorisation confirm approve bestatigung erlaubnis "
     "genehmigung ruckfrage zustimmung autorisation permiso confirmacion permesso conferma permissao confirmacao "
     "toestemming zgod* подтвержден* разрешен* onay izin tillstand user"},
    {kAddress, "http https ftp webhook gist pastebin ngrok requestbin"},
    {kNew,
     "new updated revised real actual true different neue neuen nouvelle nouvelles nouveau nueva nuevas nuevo "
     "nuevas nuova nuove nuovo nova novas novo nieuwe nowe nowa новы* новая новое yeni nya baru"},
    {kSystem,
     "system safety security developer hidden systemprompt sistema systeme sistem системный системные систем*"},
    {kDanger,
     "rm mkfs curl wget eval sudo chmod nc netcat base64 sh bash powershell invoke-expression iex crontab "
     "authorized_keys bashrc force-push"},
    {kIf, "if when while once wenn falls si quando se als jesli если когда eger om jika whenever"},
    {kDiscuss,
     "injection injections inject injected attack attacks attacker attackers adversar* jailbreak jailbreaks "
     "jailbreaking "
     "malicious exploit exploits mitigat* detect detects detection detector detectors classifier classifiers sanitize* "
     "sanitise* vulnerab* threat threats untrusted phishing example examples e.g test tests tested testing pattern "
     "patterns heuristic* payload payloads defense* defence* defend* red-team* research* paper papers owasp guardrail* "
     "filter filtering benchmark dataset corpus phrases phrase quoted beispiel exemple ejemplo angriff* angreifer "
     "attaque* ataque* помпа инъекц* пример*"},
    {kNoun,
     "value values setting settings configuration file files version entries entry default option options "
     "variable definition argument arguments error errors warnings line lines pattern whitespace mail mails message "
     "messages mistake result results case change "
     "changes commit commits field fields"},
    {kCovertly,
     "secretly silently quietly covertly stealthily heimlich unbemerkt secretement discretement secretamente "
     "segretamente stiekem potajemnie тайно gizlice"},
    {kTo, "to zu a au aux an alla al para naar do на в к yang"},
};

bool is_word_byte(unsigned char c) {
  return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '\'';
}

std::size_t start_of(std::string_view word) {
  return static_cast<unsigned char>(word[0]) | static_cast<std::size_t>(static_cast<unsigned char>(word[1])) << 8;
}

constexpr std::size_t kShortestStem = 3, kLongestStem = 32;

}  // namespace

Vocabulary::Vocabulary() {
  for (const Meaning& meaning : kMeanings) {
    std::string_view rest = storage_.emplace_back(fold(meaning.words).text);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      std::string_view word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (word.empty()) continue;
      if (word.back() != '*') {
        words_[word] |= meaning.concepts;
        continue;
      }
      stems_[word.substr(0, word.size() - 1)] |= meaning.concepts;
      stem_starts_.set(start_of(word));
    }
  }
}

Concepts Vocabulary::of(std::string_view word) const {
  Concepts found = 0;
  if (const auto at = words_.find(word); at != words_.end()) found |= at->second;
  if (word.size() < kShortestStem || !stem_starts_.test(start_of(word))) return found;
  for (std::size_t size = kShortestStem; size <= std::min(word.size(), kLongestStem); ++size)
    if (const auto at = stems_.find(word.substr(0, size)); at != stems_.end()) found |= at->second;
  return found;
}

namespace {

// OPENAI_API_KEY is a key, and behind "l'" stands the word itself.
Concepts concepts_of(const Vocabulary& vocabulary, std::string_view word) {
  Concepts concepts = vocabulary.of(word);
  if (const std::size_t mark = word.find('\''); mark != std::string_view::npos && concepts == 0)
    concepts = vocabulary.of(word.substr(mark + 1)) | vocabulary.of(word.substr(0, mark));
  for (const std::string_view ending : {"_key", "_token", "_secret", "_password", "_access_key"})
    if (word.ends_with(ending)) concepts |= kSecret;
  return concepts;
}

}  // namespace

std::vector<Word> read_words(const Vocabulary& vocabulary, std::string_view folded) {
  std::vector<Word> words;
  std::uint32_t sentence = 0, line = 0;
  bool broken = false, at_sign = false;
  for (std::size_t at = 0; at < folded.size();) {
    const auto c = static_cast<unsigned char>(folded[at]);
    if (!is_word_byte(c)) {
      const bool ends = c == '!' || c == '?' || (c == '\n' && at + 1 < folded.size() && folded[at + 1] == '\n') ||
                        (c == '.' && (at + 1 >= folded.size() || folded[at + 1] == ' ' || folded[at + 1] == '\n'));
      if (ends) ++sentence;
      if (c == '\n') ++line;
      if (c == ',' || c == ':') broken = true;
      at_sign = c == '@' && at > 0 && is_word_byte(static_cast<unsigned char>(folded[at - 1]));
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < folded.size() && is_word_byte(static_cast<unsigned char>(folded[end]))) ++end;
    Concepts concepts = concepts_of(vocabulary, folded.substr(at, end - at));
    if (at_sign) concepts |= kAddress;  // of a mail
    if (broken) concepts |= kAfterBreak;
    broken = at_sign = false;
    words.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end), concepts, sentence, line});
    at = end;
  }
  return words;
}

}  // namespace magi::assess
