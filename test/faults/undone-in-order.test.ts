/** Any imports, changes and commands: undone one by one, the latest first, each earlier answer comes back. */
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { renameAccount } from '../../src/edit/accounts.ts';
import {
  annotate,
  noteOnDay,
  noteOnTrade,
  removeRecords,
} from '../../src/edit/annotate.ts';
import { changeImport } from '../../src/edit/change.ts';
import { type Edit, edit } from '../../src/edit/edit.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { UserError } from '../../src/errors.ts';
import { sessions, tradeJournals } from '../../src/journal/resources/journals.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { runs } from '../effort.ts';
import { answers } from '../import/changed.ts';
import { ImportHome } from '../import/home.ts';

const exported = (name: string) =>
  readFileSync(new URL(`../fixtures/exports/${name}`, import.meta.url), 'utf8');
const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const ROWS = [
  'MESZ6,1,2,1,6000,6001,$5.00,11/19/2026 09:30:00,11/19/2026 09:40:00',
  'MESZ6,8,9,1,6000,6003,$15.00,11/20/2026 23:30:00,11/20/2026 23:40:00',
  'MESZ6,12,10,2,6001,6000,-$10.00,11/20/2026 09:40:00,11/20/2026 09:30:00',
];
const tradovate = (...rows: (string | undefined)[]) =>
  `${[HEADER, ...rows].join('\n')}\n`;

const FILES: Record<string, string> = {
  'first.csv': tradovate(ROWS[0], ROWS[1]),
  'second.csv': tradovate(ROWS[1], ROWS[2]),
  'closed.csv': exported('topstepx/trades_export.csv'),
  'options.csv': exported('robinhood/Hood.csv'),
  'sessions.csv':
    'id,date,started_at,notes\ns1,2026-11-19,2026-11-19 09:30,Slow.\nday:2026-11-20,2026-11-20,2026-11-20 09:30,Fast.\n',
  'labels.csv': 'id,setup,tags\ntradovate:MESZ6:1,ORB,a; b\n',
  '2026-11-20.md':
    '---\ntype: day\n---\nmood:: calm\n\n## 23:30 MESZ6 long\nsetup:: Fade\n\nChased.\n\n## Missed trades\n\n- 11:00 MSFT long, slow\n',
  '2026-11-19.md':
    '---\ntype: day\n---\n\n## 09:30 MESZ6\nrating:: 3\n\n## Lesson\nWait.\n',
};

const zone = fc.constantFrom('UTC', 'Asia/Tokyo', 'America/Chicago', 'Etc/GMT+1');
const account = fc.constantFrom('main', 'wrong', 'Big');
const number = fc.nat(20);
const command = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      file: fc.constantFrom(...Object.keys(FILES)),
      zone,
      account: fc.option(account),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      number,
      zone: fc.option(zone),
      account: fc.option(account),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'label' as const,
        'note' as const,
        'group' as const,
        'diary' as const,
        'remove' as const,
      ),
      number,
      text: fc.constantFrom('a', 'b', 'c'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('rename' as const),
      from: fc.option(account),
      to: account,
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

function act(home: ImportHome, own: Command): void {
  const options = home.target;
  const write = (line: string, change: (edit: Edit) => void) =>
    void edit(options, { name: line, line, resource: trades }, change);
  const nth = (sql: string, of: number) => {
    const all = home.rows(sql);
    return all.length === 0 ? undefined : (all[of % all.length]?.['id'] as never);
  };
  if (own.do === 'import')
    home.import(home.path(own.file), {
      timeZone: own.zone,
      ...(own.file === 'labels.csv' && { as: 'trades' }),
      ...(own.account && { account: own.account }),
    });
  else if (own.do === 'change') {
    const id = nth(
      'SELECT id FROM imports WHERE sha256 IS NOT NULL ORDER BY id',
      own.number,
    );
    const given = {
      ...(own.zone && { timezone: own.zone }),
      ...(own.account && { account: own.account }),
    };
    if (id !== undefined) changeImport({ ...options, id, given }, 'import change');
  } else if (own.do === 'rename')
    renameAccount({ ...options, merge: true }, own.from, own.to, 'account rename');
  else {
    const id = nth('SELECT id FROM trades ORDER BY executed_at, id', own.number);
    const none = { tags: [], mistakes: [] };
    if (own.do === 'diary') write('note', (edit) => noteOnDay(edit, own.text));
    else if (own.do === 'remove') {
      const entry = nth('SELECT id FROM trade_journals ORDER BY id', own.number);
      const session = nth('SELECT id FROM sessions ORDER BY id', own.number);
      if (entry !== undefined && own.text === 'a')
        write('remove', (edit) => removeRecords(edit, tradeJournals, [entry]));
      else if (session !== undefined)
        write('remove', (edit) => removeRecords(edit, sessions, [session]));
    } else if (id === undefined) return;
    else if (own.do === 'note')
      write('note', (edit) => noteOnTrade(edit, id, own.text, 'review'));
    else
      write(own.do === 'group' ? 'group' : 'annotate', (edit) =>
        annotate(edit, [id], {
          ...{ fields: own.do === 'group' ? {} : { setup: own.text }, remove: none },
          ...{
            add: own.do === 'group' ? none : { ...none, tags: [own.text] },
            group: own.do === 'group' ? `Group ${own.text}` : undefined,
          },
        }),
      );
  }
}

test('imports, changes and commands, undone one by one', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 3, maxLength: 10 }), (commands) => {
      const home = new ImportHome().withUser('me', { timezone: 'America/New_York' });
      for (const [name, text] of Object.entries(FILES)) home.file(name, text);
      const lines = () => home.rows('SELECT id FROM imports').length;
      const earlier: unknown[] = [];
      let last = answers(home);
      for (const own of commands) {
        home.now += 60_000;
        const count = lines();
        try {
          act(home, own);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          expect(answers(home)).toEqual(last);
          continue;
        }
        if (lines() > count) earlier.push(last);
        last = answers(home);
        expect(home.findings()).toEqual([]);
      }
      for (const before of earlier.toReversed()) {
        undoImport(home.target);
        expect(answers(home)).toEqual(before);
      }
      expect(
        home.rows('SELECT * FROM import_records UNION ALL SELECT * FROM import_records'),
      ).toEqual([]);
    }),
    { numRuns: runs(60, 12) },
  );
});
