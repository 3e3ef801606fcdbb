/** Functions that statements may call on a reading handle. SQLite alone knows the two cases of ASCII letters only. */
import type Database from 'better-sqlite3';

/**
 * A text by which those are equal that differ only in the case of their letters, of any script. What is composed of letter and accent
 * equals the letter that has it, so the case comes first: Unicode has some of these letters in one case only. An ASCII text stays one,
 * and no other text becomes one (but for three signs, such as that of Kelvin, which is a k).
 */
export function foldCase(text: string): string {
  return text.toLowerCase().normalize('NFC').replaceAll('ς', 'σ');
}

/** What a query looks for, its case folded: each word, and each phrase in quotation marks with single spaces. */
export function searchTerms(query: string): string[] {
  const terms = [...query.matchAll(/"([^"]*)"|[^\s"]+/g)].map(([word, phrase]) => phrase ?? word);
  return terms.map((term) => withSingleSpaces(foldCase(term))).filter((term) => term !== '');
}

function withSingleSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * Adds fold_case(text), and has_words(query, n, ...): whether all words of a query stand somewhere in the columns, of which the first n are
 * texts, and the others JSON whose strings are.
 */
export function addFunctions(db: Database.Database): void {
  const options = { deterministic: true, directOnly: true };
  db.function('fold_case', options, (text) => (typeof text === 'string' ? foldCase(text) : text));
  let last = { query: '', terms: [] as readonly string[] };
  db.function('has_words', { ...options, varargs: true }, (query, texts, ...columns) => {
    // The same for each record of a statement.
    if (last.query !== query) last = { query, terms: searchTerms(query) };
    return hasTerms(last.terms, columns, texts) ? 1 : 0;
  });
}

function hasTerms(terms: readonly string[], columns: readonly unknown[], texts: number): boolean {
  let missing = terms;
  const lookIn = (text: string) => {
    const folded = foldCase(text);
    const spaced = missing.some((term) => term.includes(' ')) ? withSingleSpaces(folded) : folded;
    missing = missing.filter((term) => !(term.includes(' ') ? spaced : folded).includes(term));
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

/** The texts in a JSON list or object, not the names of its members; where it is damaged, the JSON itself. */
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
