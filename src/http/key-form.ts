/** Errors in the form of a key. Messages never repeat its text. */
import { isWellFormed, KEY_LENGTH } from '../keys/format.ts';

const ADVICE: readonly (readonly [form: RegExp, advice: string])[] = [
  [/^["'`“”‘’].*|["'`“”‘’]$/, 'the key is in quotation marks; remove them'],
  [/^bearer\b/i, '"Bearer" is only for the Authorization header; send the key alone in x-api-key'],
  [/^\$|^%.*%$|^\{\{?.*\}$|^<.*>$|^\[.*\]$/, 'this is the name of a key, or a placeholder; replace it with the key'],
  [
    /^(your|my|the|insert|paste|api|xxx|\*\*\*|\.\.\.|…|changeme|placeholder|token|key$|secret)/i,
    'this is a placeholder; replace it with the key',
  ],
  [/^key_/, 'this is the id of a key from "journal-api key list"; the key itself was shown once, when it was created'],
  [/^jak_.*(\.\.\.|…)/, 'this key was shortened for display; the whole key was shown once, when it was created'],
];

/** @returns undefined for a well-formed key */
export function problemWithForm(sent: string): string | undefined {
  if (isWellFormed(sent)) return undefined;
  const [, advice] = ADVICE.find(([form]) => form.test(sent)) ?? [];
  if (advice !== undefined) return advice;
  if (!sent.startsWith('jak_'))
    return `this is not a key of this service; its keys start with jak_ and have ${KEY_LENGTH} characters`;
  return sent.length === KEY_LENGTH
    ? 'a character of this key is wrong; copy it again'
    : `this key has ${sent.length} characters, and a key has ${KEY_LENGTH}; check that it was copied completely`;
}
