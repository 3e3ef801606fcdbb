/**
 * Fields that traders name themselves, such as confluence = 3: their names and values. A
 * name is stored folded, so that names that differ only in letter case are one.
 */
import { foldCase } from '../sqlite/functions.ts';

/** A value of a field: a number, or any other text on one line. */
export type TraderValue = string | number;

/** Any name may occur, "__proto__" too: members are set by Object.fromEntries only. */
export type TraderFields = Readonly<Record<string, TraderValue>>;

export const MOST_FIELDS = 50;
export const LONGEST_NAME = 40;
export const LONGEST_VALUE = 100;

/**
 * Letters of any script with their accents, digits, _ and -; at least a letter or a
 * digit.
 */
const NAME = /^[\p{L}\p{M}\p{N}_-]{1,40}$/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

export const NAME_RULE = `must have a name of at most ${LONGEST_NAME} letters, digits, _ and -`;
export const VALUE_RULE = `must be a number, or text of at most ${LONGEST_VALUE} characters`;

/** A field's name as it is stored; undefined if it can't be one. */
export function fieldName(written: string): string | undefined {
  // A character may become two when it is folded.
  if (written.length > 4 * LONGEST_NAME) return undefined;
  const name = foldCase(written.normalize('NFC'));
  return NAME.test(name) && LETTER_OR_DIGIT.test(name) ? name : undefined;
}

/** A number without leading zeros: 007 is text. */
const NUMBER = /^[-+]?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/;

/** Beyond, numbers lose digits. */
const LARGEST = 1e15;

/**
 * A value as it is stored; undefined if it can't be one. Numbers in texts are numbers.
 */
export function fieldValue(written: unknown): TraderValue | undefined {
  if (typeof written === 'number')
    return Number.isFinite(written) && Math.abs(written) < LARGEST
      ? written + 0
      : undefined;
  if (typeof written === 'boolean') return String(written);
  if (typeof written !== 'string') return undefined;

  const text = written.trim().normalize('NFC');
  if (NUMBER.test(text)) return Number(text) + 0;

  const isText = text !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text);
  return isText && [...text.slice(0, 2 * LONGEST_VALUE + 1)].length <= LONGEST_VALUE
    ? text
    : undefined;
}

/** Whether a member may be stored as it is. */
function isStored([name, value]: [string, unknown]): boolean {
  return fieldName(name) === name && fieldValue(value) === value;
}

/**
 * Fields as they are stored, in the order of their names; invalid ones stay for the
 * check.
 */
export function normalFields(written: object): Record<string, unknown> {
  const given = Object.entries(written).filter(([, value]) => (value ?? '') !== '');
  const isAsStored = ([name]: [string, unknown]) => fieldName(name) === name;
  const fields = new Map<string, unknown>(given.filter(isAsStored));
  for (const [name, value] of given) {
    const folded = fieldName(name) ?? name;
    // One that is there in other letter case stays as it is.
    fields.set(fields.has(folded) ? name : folded, fieldValue(value) ?? value);
  }

  return Object.fromEntries([...fields].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What is wrong with fields, by name; undefined for all of them together. */
export function fieldProblems(fields: unknown): { name?: string; message: string }[] {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return [
      { message: 'must be an object of names and values, such as {"confluence": 3}' },
    ];

  const entries = Object.entries(fields);
  if (entries.length > MOST_FIELDS)
    return [{ message: `must have at most ${MOST_FIELDS} names` }];

  return entries.flatMap(([name, value]) => {
    if (isStored([name, value])) return [];
    if (fieldName(name) === name) return [{ name, message: VALUE_RULE }];

    const isTwice = fieldName(name) !== undefined;
    return [
      { name, message: isTwice ? 'is there twice, in other letter case' : NAME_RULE },
    ];
  });
}

/** The valid ones of stored fields, which any program may have written. */
export function validFields(stored: unknown): TraderFields {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).filter(isStored).slice(0, MOST_FIELDS),
  );
}

/** The value of a name; null without one. */
export function valueIn<T>(fields: Readonly<Record<string, T>>, name: string): T | null {
  return Object.hasOwn(fields, name) ? (fields[name] as T) : null;
}
