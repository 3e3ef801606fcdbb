/**
 * Whether a text looks like instructions to a model. Such a text is shown as it is, with
 * a mark: it helps a model to see what a text wants, and proves nothing about texts
 * without it.
 */

/** Each repeats a bounded number of times, so that a search takes linear time. */
const PATTERNS: readonly RegExp[] = [
  // Orders to drop what the model was told.
  /\b(?:ignore|disregard|forget|override|bypass) (?:[\w']{1,14} ){0,4}(?:instruction|prompt|directive|guideline)s?\b/i,
  /\b(?:ignore|disregard|forget) (?:all |any |the |your ){1,2}(?:previous |prior |above |system )(?:rule|message|context)s?\b/i,
  /\b(?:ignorier\w{0,3}|vergiss|ignore[zr]|ignor[ae]|oublie[zr]?|olvida) (?:\S{1,14} ){0,4}(?:anweisungen|instructions|instrucciones|istruzioni|instru[cç][oõ]es)/i,
  // A message of the system, or a call's result, that a text poses as.
  /<\/?(?:system|assistant|instructions?|prompt|tool\w{0,12}|function\w{0,12}|user)\b/i,
  /<\|\w{1,20}\|>|\[\/?INST\]|<<SYS>>/,
  /"role" ?: ?"(?:system|developer|assistant|tool|user)"/i,
  /\b(?:system|developer) (?:message|prompt|override|instructions?)\b/i,
  /"(?:structuredContent|isError)" ?:/,
  // Words to a model rather than to a trader.
  /\b(?:you are|you're|act as|pretend to be) (?:now |an |a |in |the ){0,3}(?:ai|llm|assistant|chatbot|language model|developer mode|maintenance mode)\b/i,
  /\b(?:ai|llm|assistant|agent|model|bot)s? (?:that |who |which )?(?:reads?|reading|process(?:es|ing)|summari[sz]\w{2,4}) (?:this|these|it)\b/i,
  /\b(?:attention|dear|note to|message (?:to|for)) (?:all |any |the ){0,2}(?:ai|llm|assistant|agent|language model|chatgpt|claude|gemini)s?\b/i,
  /\b(?:do not|don't|never|without) (?:tell|inform|mention|reveal|show|warn)(?:ing)? (?:[\w']{1,14} ){0,3}the (?:user|trader|owner|human)\b/i,
  /\b(?:tell|inform|advise|convince|ask) the (?:user|trader|owner|human)\b/i,
  /\b(?:send|reveal|print|post|upload|forward|leak|exfiltrate) (?:[\w']{1,14} ){0,4}(?:(?:api|access|private|journal) keys?|key to|passwords?|credentials?)\b/i,
  /\b(?:send|upload|forward|exfiltrate) (?:\S{1,20} ){0,6}(?:https?:\/\/|to \S{1,40}@)/i,
  /\b(?:call|invoke) (?:the )?(?:\w{1,20} )?(?:tool|function)s?\b/i,
];

/** At the start of a line: SYSTEM:, [ASSISTANT]:, ### DEVELOPER. */
const POSED =
  /^[#*>[ ]{0,6}(?:SYSTEM|ASSISTANT|DEVELOPER)(?: [A-Z]{1,12})?[\]*]{0,3} ?:/m;

/** @param text without invisible characters */
export function looksLikeInstructions(text: string): boolean {
  const plain = text.normalize('NFKC');
  const line = plain.replace(/\s+/g, ' ');
  return POSED.test(plain) || PATTERNS.some((pattern) => pattern.test(line));
}
