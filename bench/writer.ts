/** Keeps changing a trade, so that caches expire: node bench/writer.ts JOURNAL COMMITS_A_SECOND. Ends with its parent. */
import Database from 'better-sqlite3';

const [path, commits] = process.argv.slice(2) as [string, string];
const db = new Database(path, { timeout: 5000 });
const change = db.prepare("UPDATE trades SET rating = ? WHERE user_id = 'me' AND id = 't00000000'");
let done = 0;
const timer = setInterval(() => change.run((done++ % 5) + 1), 1000 / Number(commits));
process.once('SIGTERM', () => {
  clearInterval(timer);
  process.stdout.write(String(done));
  process.disconnect?.();
});
process.once('disconnect', () => clearInterval(timer));
