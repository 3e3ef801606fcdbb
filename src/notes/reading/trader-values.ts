/** Fields that the trader named, as notes write them: their names and values. */
import { isScalar } from 'yaml';
import { fieldName, fieldValue, type TraderValue } from '../../journal/trader-fields.ts';
import { figureIn } from '../../parse/cells.ts';
import { type Property, textIn, withoutLinks } from '../front-matter.ts';
import { fieldNamed, isOfNote, type Scope } from './field-names.ts';
import { exactly, plainOf } from './field-values.ts';

/** The name of a field; undefined if it can't be one. Spaces become _. */
export function traderName(written: string): string | undefined {
  return fieldName(written.trim().replaceAll(/\s+/g, '_'));
}

/** The field of trades that a name means, such as stop_loss for sl; undefined if none. */
export function tradeFieldNamed(name: string): string | undefined {
  return fieldNamed(name, 'trade');
}

/**
 * Whether a name is a field of trades, and stands elsewhere: there it is no name of the
 * trader's.
 */
export function isOfTrade(name: string, scope: Scope): boolean {
  return scope !== 'trade' && fieldNamed(name, 'trade') !== undefined;
}

/** Properties that are read in another way than a field. */
const SPECIAL: Readonly<Record<'session' | 'week', readonly string[]>> = {
  session: ['images', 'entries', 'type'],
  week: ['images', 'entries', 'type', 'week', 'period_start', 'period_end', 'date'],
};

/**
 * Whether a name that a trader gave a field is read back from a printed note as that
 * field.
 */
export function isPrintable(name: string, scope: Scope): boolean {
  const isProperty = scope === 'session' || scope === 'week';
  const plain = name.replaceAll('-', '_');
  if (isProperty && (isOfNote(plain) || SPECIAL[scope].includes(plain))) return false;

  const isOther = fieldNamed(name, scope) !== undefined || isOfTrade(name, scope);
  return !isOther && traderName(name) === name;
}

/** Digits with separators, but not 007. */
const FIGURE =
  /^[-+\u2212]?(?!0\d)(?:[\d.,' ]{1,40}|\d{1,40}(?:\.\d{1,40})?e[-+]?\d{1,3})$/;

/**
 * The value of a text; null for a dash, which empties the field; undefined if it can't be
 * one.
 * @param text not empty
 */
export function traderValue(text: string): TraderValue | null | undefined {
  if (/^[-\u2013\u2014]$/.test(text)) return null;

  const exact = exactly(text);
  if (typeof exact === 'string') return fieldValue(exact);
  if (Array.isArray(exact)) return fieldValue(exact.join('; '));

  const bare = plainOf(text);
  const figure = FIGURE.test(bare) ? figureIn(bare) : undefined;
  return fieldValue(figure?.value ?? bare);
}

/** The value of a property: a list is one text. Null if it is empty. */
export function traderProperty(property: Property): TraderValue | null | undefined {
  const bare = withoutLinks(property);
  if (isScalar(bare)) return traderValueOrNull(textIn(bare) ?? '');
  if (!Array.isArray(bare)) return undefined;

  const texts = bare.map((item) => textIn(item));
  return texts.every((text) => text !== undefined)
    ? fieldValue(texts.filter((text) => text !== '').join('; '))
    : undefined;
}

function traderValueOrNull(text: string): TraderValue | null | undefined {
  return text.trim() === '' ? null : traderValue(text.trim());
}
