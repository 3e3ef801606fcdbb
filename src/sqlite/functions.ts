/**
 * SQL functions of reading handles. SQLite itself folds the case of ASCII letters only.
 */
import type Database from 'better-sqlite3';
import { fromInstantText, isTimeZone, ZoneClock } from '../time.ts';

/**
 * Folds a text's case, in any script. A letter with a combining accent equals the
 * accented letter, so case is folded first: Unicode has some of these letters in one case
 * only. ASCII stays ASCII, and no other text becomes ASCII (except three signs, such as
 * Kelvin's, which is a k).
 */
export function foldCase(text: string): string {
  return text.toLowerCase().normalize('NFC').replaceAll('ς', 'σ');
}

/**
 * Terms of a query, case folded: each word, and each quoted phrase with single spaces.
 */
export function searchTerms(query: string): string[] {
  const terms = [...query.matchAll(/"([^"]*)"|[^\s"]+/g)].map(
    ([word, phrase]) => phrase ?? word,
  );
  return terms
    .map((term) => withSingleSpaces(foldCase(term)))
    .filter((term) => term !== '');
}

function withSingleSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * A condition of a statement that reads for long before its first row: it ends once the
 * result is no longer wanted.
 */
export const STILL_WANTED = 'still_wanted()';

/**
 * Adds fold_case(text), day_in(instant, zone), still_wanted(), and has_words(query, n,
 * ...): whether the columns contain all words of a query. The first n are texts, the
 * others JSON with strings.
 *
 * @param requireWanted throws if the result of the current read is no longer wanted
 */
export function addFunctions(
  db: Database.Database,
  requireWanted: () => void = () => undefined,
): void {
  const options = { deterministic: true, directOnly: true };
  db.function('still_wanted', { directOnly: true }, () => {
    requireWanted();
    return 1;
  });
  db.function('fold_case', options, (text) =>
    typeof text === 'string' ? foldCase(text) : text,
  );

  let clock = { zone: '', of: null as ZoneClock | null };
  db.function('day_in', options, (instant, zone) => {
    if (typeof instant !== 'string' || typeof zone !== 'string') return null;
    // The zone is that of the user in each row of a statement.
    if (clock.zone !== zone)
      clock = { zone, of: isTimeZone(zone) ? new ZoneClock(zone) : null };
    return clock.of?.dateOf(fromInstantText(instant)) ?? null;
  });

  let last = { query: '', terms: [] as readonly string[] };
  db.function('has_words', { ...options, varargs: true }, (query, texts, ...columns) => {
    // The query is the same for each record of a statement.
    if (last.query !== query) last = { query, terms: searchTerms(query) };
    return hasTerms(last.terms, columns, texts) ? 1 : 0;
  });
}

function hasTerms(
  terms: readonly string[],
  columns: readonly unknown[],
  texts: number,
): boolean {
  let missing = terms;
  const lookIn = (text: string) => {
    const folded = foldCase(text);
    const spaced = missing.some((term) => term.includes(' '))
      ? withSingleSpaces(folded)
      : folded;
    missing = missing.filter(
      (term) => !(term.includes(' ') ? spaced : folded).includes(term),
    );
  };

  for (const [i, column] of columns.entries()) {
    if (typeof column !== 'string' || column === '[]') continue;
    if (i < texts) lookIn(column);
    else for (const text of stringsIn(column)) lookIn(text);
    if (missing.length === 0) return true;
  }

  return false;
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/**
 * Texts in a JSON list or object, without member names; the JSON itself if it is damaged.
 */
function stringsIn(json: string): string[] {
  const strings: string[] = [];
  try {
    JSON.parse(json, (_name, value) => {
      if (typeof value === 'string' && !INSTANT.test(value)) strings.push(value);
    });
    return strings;
  } catch {
    return [json];
  }
}
