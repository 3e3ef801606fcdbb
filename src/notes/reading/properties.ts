/** The properties at the top of a note, as fields of a part. */
import { isNames, type Property, textIn, withoutLinks } from '../front-matter.ts';
import { fieldNamed, isList, isOfNote } from './field-names.ts';
import { type Part, statedIn, traderStated } from './part.ts';

/**
 * @param written the name as written
 * @returns whether it has a field, if only one that the trader named
 */
export function putProperty(
  part: Part,
  { name, written, line }: { name: string; written: string; line: number },
  property: Property,
): boolean {
  if (name === 'images') return attach(part, textsOf(property));
  if (name === 'entries' && Array.isArray(property))
    return putEntries(part, property, line);

  const field = fieldNamed(name, part.scope);
  if (field === undefined) return putNamed(part, { name, written, line }, property);
  if (!Array.isArray(property) || !isList(field)) {
    put(part, name, textsOf(property)[0]?.trim() ?? '', line);
    return true;
  }

  const items = itemsOf(field, property);
  if (items.length > 0) part.set(field, items, line);
  return true;
}

function putNamed(
  part: Part,
  { name, written, line }: { name: string; written: string; line: number },
  property: Property,
): boolean {
  if (isOfNote(name)) return false;
  if (textIn(property)?.trim() === '') return true;

  const stated = traderStated(part, written, property);
  if (stated.is === 'text only') return false;

  part.put(stated, line);
  return true;
}

function put(part: Part, name: string, text: string, line: number): void {
  const stated = statedIn(part.scope, name, text);
  if (stated) part.put(stated, line);
}

function itemsOf(field: string, list: Property[]): unknown[] {
  if (field === 'goals') return goalsIn(list);
  const texts = textsOf(withoutLinks(list));
  return field === 'tags' ? texts.map((text) => text.replace(/^#(?=\S)/, '')) : texts;
}

/** Journalit's [{time, price}]: the first is the entry. */
function putEntries(
  part: Part,
  [first, ...more]: readonly Property[],
  line: number,
): true {
  if (first === undefined || !isNames(first)) return true;

  const names = more.length === 0 ? ['time', 'price'] : ['time'];
  for (const name of names) put(part, name, textIn(first[name]) ?? '', line);
  return true;
}

/** Attaches web addresses; local files are skipped. */
function attach({ pictures }: Part, urls: readonly string[]): true {
  for (const url of urls) {
    const isNew = /^https?:\/\/\S{1,2000}$/.test(url) && !pictures.has(url);
    if (isNew) pictures.set(url, { url, caption: null });
  }
  return true;
}

/** The texts of a property: each item of a list, the main member of an object. */
function textsOf(property: Property): string[] {
  const text = textIn(withoutLinks(property));
  if (text !== undefined) return [text];
  if (Array.isArray(property))
    return property.flatMap((item) => textsOf(item).slice(0, 1));

  const names = property as Readonly<Record<string, Property>>;
  const main = names['price'] ?? names['text'] ?? names['time'] ?? names['value'];
  return main === undefined ? [] : textsOf(main);
}

function goalsIn(list: readonly Property[]): { text: string; met: boolean | null }[] {
  return list.flatMap((goal) => {
    const [text] = textsOf(goal);
    if (text === undefined) return [];

    const met = isNames(goal) && 'met' in goal ? textIn(goal['met']) : undefined;
    return [{ text, met: answerIn(met) }];
  });
}

function answerIn(text: string | undefined): boolean | null {
  if (text === 'true') return true;
  return text === 'false' ? false : null;
}
