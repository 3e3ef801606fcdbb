/** Inserts a JSON Lines file into a journal with better-sqlite3 alone: node bare-inserts.ts FILE JOURNAL */
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';

const [file, journal] = process.argv.slice(2) as [string, string];
const db = new Database(journal);
const records = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Record<string, unknown>);
const names = Object.keys(records[0] as object);
const insert = db.prepare(
  `INSERT INTO trades (user_id, ${names.join(', ')}) VALUES ('me', ${names.map(() => '?').join(', ')})`,
);
db.transaction(() => {
  for (const record of records) {
    insert.run(
      ...names.map((name) =>
        Array.isArray(record[name]) ? JSON.stringify(record[name]) : (record[name] as string),
      ),
    );
  }
})();
db.close();
