/** What a list costs: processor time of an uncached first page of 50 of 100,000 trades. */
import { cpuOf, inProcess } from '../in-process.ts';
import type { Question } from '../question.ts';

const TRADES = 100_000;

const LISTS: Readonly<Record<string, string>> = {
  'newest first': '',
  '`order=asc`': 'order=asc',
  '`sort=closed_at`': 'sort=closed_at',
  '`fields=symbol,net_pnl`': 'fields=symbol,net_pnl',
  'a filter with an index: `symbol`': 'symbol=SYM7',
  'a common value without an index: `setup`': 'setup=breakout',
  'a common word: `q`': 'q=retest',
  '`sort=net_pnl`, of one symbol': 'sort=net_pnl&symbol=SYM7',
  '`sort=net_pnl`, of a year': 'sort=net_pnl&start=2025-11-21',
  '`sort=net_pnl`, of all': 'sort=net_pnl',
  'missing: `tag`': 'tag=none',
  'missing: `underlying`': 'underlying=NONE',
  'missing: `setup`, with letters beyond ASCII': 'setup=%C3%BCbereilt',
  'missing: `mistake`, including journal entries': 'mistake=none',
  'missing: `min_net_pnl`': 'min_net_pnl=1000000',
  'missing: `q`': 'q=nowhere',
};

const LENSES = {
  'without money and texts': { accounts: null, since: null, hides: ['money', 'texts'] },
  'of one of two accounts': { accounts: ['main'], since: null, hides: [] },
  'with pseudonyms for symbols': { accounts: null, since: null, hides: ['symbols'] },
} as const;

const TABLES: Readonly<Record<string, string>> = {
  'as CSV': 'text/csv',
  'as JSON Lines': 'application/x-ndjson',
};

/** Another size each time, so that no page comes from the cache. */
const pageOf = (round: number) => `/v1/trades?limit=${49 - round}`;

const DEEP = 1000;

export const reads: Question = async (folder) => {
  const { asks, change, close } = inProcess(folder, TRADES);
  const ask = asks();
  for (let i = 0; i < 300; i++)
    await ask(`/v1/trades?end=2026-01-01T00:00:00.${100 + i}Z`);
  const rows: [string, string][] = [];
  const note = (name: string, ms: number) =>
    void rows.push([name, ms.toFixed(ms < 10 ? 2 : 0)]);

  await ask('/v1/trades?limit=50');
  const hundred = await cpuOf(async () => {
    for (let i = 0; i < 100; i++) await ask('/v1/trades?limit=50');
  });
  note('newest first, cached', hundred / 100);
  for (const [name, query] of Object.entries(LISTS))
    note(name, await cpuOf((round) => ask(`${pageOf(round)}&${query}`)));

  let cursor = '';
  for (let page = 1; page < DEEP; page++) {
    const text = await ask(`/v1/trades?limit=50${cursor}`);
    cursor = `&cursor=${JSON.parse(text).pagination.next_cursor}`;
  }
  note(`page ${DEEP}`, await cpuOf((round) => ask(pageOf(round) + cursor)));

  for (const [name, { accounts, since, hides }] of Object.entries(LENSES)) {
    const other = asks({ accounts: accounts && [...accounts], since, hides: [...hides] });
    note(`newest first, ${name}`, await cpuOf((round) => other(pageOf(round))));
  }

  note('`/v1/labels`', await cpuOf(() => ask('/v1/labels'), change));
  for (const [name, accept] of Object.entries(TABLES)) {
    const whole = () => ask('/v1/trades?limit=10000', { Accept: accept });
    note(`10,000 trades ${name}`, await cpuOf(whole, change));
  }
  close();
  return { columns: ['`/v1/trades` of 100,000 trades', 'CPU ms'], rows };
};
