/**
 * Values typed in a cell or a note: yes, Post trade, "chased; late", "wait for the close:
 * no".
 */
import * as z from 'zod';
import { factsOf } from '../journal/fields.ts';

const FLAGS: Record<string, boolean> = {
  true: true,
  yes: true,
  y: true,
  on: true,
  1: true,
  '✓': true,
  '✔': true,
  '✅': true,
  false: false,
  no: false,
  n: false,
  off: false,
  0: false,
  '✗': false,
  '✘': false,
  '❌': false,
};

/** True or false by any of the usual words; undefined for other text. */
export function flagIn(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(FLAGS, word) ? FLAGS[word] : undefined;
}

/**
 * @param schema of a field, or of an item of an array
 * @returns its value; invalid text unchanged, for the record's own check to reject
 */
export function writtenValue(schema: z.core.$ZodType, text: string): unknown {
  if (schema instanceof z.ZodNullable) return writtenValue(schema.unwrap(), text);
  if (schema instanceof z.ZodArray) return itemsIn(schema.element, text);
  if (schema instanceof z.ZodObject) return flaggedItem(schema, text.trim());
  if (schema instanceof z.ZodEnum) return valueIn(schema.options.map(String), text);
  return schema instanceof z.ZodBoolean ? (flagIn(text) ?? text) : text;
}

/**
 * Commas or semicolons separate labels, only semicolons separate sentences. Each line is
 * an item too.
 */
function itemsIn(element: z.core.$ZodType, text: string): unknown[] {
  const mark = element instanceof z.ZodObject || /[;\n]/.test(text) ? /[;\n]/ : ',';
  return text
    .split(mark)
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => writtenValue(element, item));
}

/**
 * An object with the text in its first field, and a flag from the text's start or end:
 * "[x] sized right", "sized right: yes".
 */
function flaggedItem({ shape }: z.ZodObject, text: string): Record<string, unknown> {
  const [first = ''] = Object.keys(shape);
  const flag = Object.keys(shape).find((name) => isFlag(shape[name]));
  if (flag === undefined) return { [first]: text };

  const [, box, rest = ''] = /^(?:[-*] )?\[([ xX])\] (.*)$/.exec(text) ?? [];
  if (box !== undefined) return { [first]: rest.trim(), [flag]: box !== ' ' };

  const at = Math.max(text.lastIndexOf(':'), text.lastIndexOf('='));
  const value = at > 0 ? flagIn(text.slice(at + 1)) : undefined;
  return value === undefined
    ? { [first]: text }
    : { [first]: text.slice(0, at).trim(), [flag]: value };
}

function isFlag(schema: z.core.$ZodType): boolean {
  return factsOf(schema).kind === 'flag';
}

/** Minimum length of an abbreviated value. */
const SHORTEST = 3;

/**
 * One of several values, in any case, with spaces or dashes, in the plural, or
 * abbreviated: Post trade, futures, post.
 */
function valueIn(values: readonly string[], text: string): string {
  const wanted = plain(text);
  const same = values.find((value) =>
    [plain(value), `${plain(value)}s`].includes(wanted),
  );
  if (same !== undefined || wanted.length < SHORTEST) return same ?? text;
  const [only, ...others] = values.filter((value) => plain(value).startsWith(wanted));
  return only !== undefined && others.length === 0 ? only : text;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}
