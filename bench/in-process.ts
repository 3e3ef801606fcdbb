/** The API without the network: requests to the app, and their processor time. */
import Database from 'better-sqlite3';
import { filesOf } from '../src/config.ts';
import { createApp } from '../src/http/app.ts';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { openJournal } from '../src/journal/journal.ts';
import { issueKey } from '../src/keys/issue.ts';
import { KeyReader } from '../src/keys/key-reader.ts';
import type { Lens } from '../src/keys/lens.ts';
import { ALL_SCOPES } from '../src/keys/scopes.ts';
import { watchedSecret } from '../src/keys/secret.ts';
import { makeJournal } from './journal.ts';

const ROUNDS = 5;

export type Ask = (path: string, headers?: Record<string, string>) => Promise<string>;

export interface InProcess {
  /** Requests by a key with this lens. @throws for a status other than 200 */
  asks: (lens?: Lens) => Ask;
  /** Changes the journal, so that nothing is cached. */
  change: () => void;
  close: () => void;
}

export function inProcess(home: string, trades: number): InProcess {
  const files = filesOf({ home });
  makeJournal(files.journal, trades);
  const journal = openJournal(files.journal);
  const keys = new KeyReader(files.keys);
  const app = createApp({
    journal,
    keys,
    secret: watchedSecret(files),
    rateLimit: 0,
    corsOrigins: [],
    trustProxy: false,
    allowedHosts: [],
    now: Date.now,
  });
  const writer = new Database(files.journal);
  const now = Date.now();
  return {
    asks: (lens) => {
      const { key } = issueKey(files, {
        userId: 'me',
        name: 'bench',
        scopes: [...ALL_SCOPES],
        lens: lens ?? null,
        expires: now + 86_400_000,
        now,
      });
      return async (path, headers = {}) => {
        const reply = await app.request(path, {
          headers: { Authorization: `Bearer ${key}`, ...headers },
        });
        const text = await reply.text();
        if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
        return text;
      };
    },
    change: () =>
      void writer.exec("UPDATE users SET name = hex(randomblob(4)) WHERE id = 'me'"),
    close: () => {
      writer.close();
      keys.close();
      journal.close();
    },
  };
}

/** Milliseconds of processor time: the median of some rounds, each after `before`. */
export async function cpuOf(
  work: (round: number) => unknown,
  before = () => {},
): Promise<number> {
  const times: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    before();
    const since = process.cpuUsage();
    await work(round);
    const { user, system } = process.cpuUsage(since);
    if (round >= 0) times.push((user + system) / 1000);
  }
  return medianOf(times) as number;
}
