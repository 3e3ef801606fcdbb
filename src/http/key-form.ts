/** What is wrong with the form of a key, for whoever sent it: its text is never repeated. */
import { isWellFormed, KEY_LENGTH } from '../keys/format.ts';

const ADVICE: readonly (readonly [form: RegExp, advice: string])[] = [
  [/^["'`“”‘’].*|["'`“”‘’]$/, 'the key stands in quotation marks; send it without them'],
  [/^bearer\b/i, '"Bearer" belongs to the Authorization header only; x-api-key takes the key alone'],
  [
    /^\$|^%.*%$|^\{\{?.*\}$|^<.*>$|^\[.*\]$/,
    'this is the name of a key, or a placeholder, not a key; put the key itself there',
  ],
  [
    /^(your|my|the|insert|paste|api|xxx|\*\*\*|\.\.\.|…|changeme|placeholder|token|key$|secret)/i,
    'this is a placeholder, not a key; put the key itself there',
  ],
  [
    /^key_/,
    'this is the id of a key, which "journal-api key list" shows; the key itself was shown once, when it was made',
  ],
  [/^jak_.*(\.\.\.|…)/, 'this key was shortened for display; the whole key was shown once, when it was made'],
];

/** @returns undefined for a key that is formed as it should be */
export function problemWithForm(sent: string): string | undefined {
  if (isWellFormed(sent)) return undefined;
  const [, advice] = ADVICE.find(([form]) => form.test(sent)) ?? [];
  if (advice !== undefined) return advice;
  if (!sent.startsWith('jak_'))
    return `this is not a key of this service; one begins with jak_ and has ${KEY_LENGTH} characters`;
  return sent.length === KEY_LENGTH
    ? 'a character of this key is wrong; copy it again'
    : `this key has ${sent.length} characters, and a key has ${KEY_LENGTH}; check that it was copied completely`;
}
