/** Functions that statements may call on a reading handle. SQLite alone knows the two cases of ASCII letters only. */
import type Database from 'better-sqlite3';

/**
 * A text by which those are equal that differ only in the case of their letters, of any script. What is composed of letter and accent
 * equals the letter that has it. An ASCII text stays one, and no other text becomes one (but for the sign of Kelvin, which is a k).
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}

/** Adds fold_case(text). */
export function addFunctions(db: Database.Database): void {
  const options = { deterministic: true, directOnly: true };
  db.function('fold_case', options, (text) => (typeof text === 'string' ? foldCase(text) : text));
}
