/** Commands that leave a line in `import list`: drawn at random, then given to a journal. */
import { rmSync } from 'node:fs';
import * as fc from 'fast-check';
import { renameAccount, setStartingBalance } from '../../src/edit/accounts.ts';
import {
  type Annotation,
  annotate,
  groupTrades,
  noteOnDay,
  noteOnTrade,
  removeRecords,
  ungroupTrades,
} from '../../src/edit/annotate.ts';
import { addCash } from '../../src/edit/cash.ts';
import { changeImport } from '../../src/edit/change.ts';
import { type Edit, edit, pruneNotes } from '../../src/edit/edit.ts';
import { addExcursions } from '../../src/edit/excursions.ts';
import { expire } from '../../src/edit/expire.ts';
import { changeFees } from '../../src/edit/fees.ts';
import { type FillOptions, recordFills } from '../../src/edit/fill.ts';
import { setLimits } from '../../src/edit/limits.ts';
import { removeRates, setRates } from '../../src/edit/rates.ts';
import { UserError } from '../../src/errors.ts';
import type { AccountRules } from '../../src/journal/analytics/account-rules.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { sessions } from '../../src/journal/resources/journals.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import type { Fill } from '../../src/statements/fill-row.ts';
import type { ImportHome } from '../import/home.ts';
import { type Anchor, anchorOf, type Lines } from './anchors.ts';
import { type DayEdit, dayEdit, dayEditBy, editDay } from './days.ts';
import { ALL_FILES, CANDLES, FLOWS, IMPORTED, VERSIONS } from './files.ts';

const LABELLING = ['labels', 'annotate', 'note', 'group', 'ungroup', 'expire'] as const;
const SETTING = ['rates', 'fees', 'limits'] as const;

/** Fields that another program writes, each with its table. */
const FOREIGN: Record<string, string> = {
  setup: 'trades',
  timeframe: 'trades',
  notes: 'trades',
  mood: 'sessions',
  name: 'sessions',
};

/** Most files agree in zone and account, so that they state the same trades. */
const zone = fc.constantFrom(
  'UTC',
  'UTC',
  'UTC',
  'UTC',
  'UTC',
  'Asia/Tokyo',
  'America/Chicago',
  'Etc/GMT+1',
);
const account = fc.constantFrom('main', 'wrong', 'Big');
const noneOrOther = fc.constantFrom(null, null, null, null, 'main', 'wrong', 'Big');
const number = fc.nat(20);
const text = fc.constantFrom('a', 'b', 'c');

const imported = fc.record({
  do: fc.constant('import' as const),
  file: fc.constantFrom(
    ...Object.keys(IMPORTED),
    'first.csv',
    'second.csv',
    'merging.csv',
    'open.csv',
  ),
  zone,
  account: noneOrOther,
});

const importedFlows = fc.record({
  do: fc.constant('import' as const),
  file: fc.constantFrom(...Object.keys(FLOWS), 'first.csv', 'rates.csv'),
  zone: fc.constantFrom('UTC', 'UTC', 'UTC', 'Asia/Tokyo'),
  account: noneOrOther,
});

const addedCash = fc.record({
  do: fc.constant('cash' as const),
  date: fc.constantFrom('2026-11-19', '2026-11-20'),
  currency: fc.constantFrom('USD', 'USD', 'EUR'),
  account: fc.constantFrom('main', 'main', 'wrong', undefined),
});

const note = fc.constantFrom(...Object.keys(VERSIONS));

/** A command as drawn: numbers choose among what the journal has when it is given. */
const command = fc.oneof(
  { weight: 7, arbitrary: imported },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('version' as const),
      file: note,
      version: fc.nat(2),
      zone,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune' as const), file: note }) },
  { weight: 4, arbitrary: dayEdit },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      number,
      zone: fc.option(zone, { freq: 2 }),
      account: noneOrOther,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(...LABELLING),
      number,
      text,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(...SETTING),
      number,
      clear: fc.nat(3).map((drawn) => drawn === 0),
      account,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fill' as const),
      number,
      isDay: fc.boolean(),
      account,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('diary' as const), text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('excursions' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('foreign' as const),
      number,
      field: fc.constantFrom(...Object.keys(FOREIGN)),
      text,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('rename' as const), number, to: account }),
  },
  { weight: 2, arbitrary: addedCash },
  { weight: 1, arbitrary: importedFlows },
);

/** Commands about cash, and those that move it. */
const ofCash = fc.oneof(
  { weight: 4, arbitrary: importedFlows },
  {
    weight: 4,
    arbitrary: addedCash,
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      number,
      zone: fc.option(zone, { freq: 2 }),
      account: noneOrOther,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('rename' as const), number, to: account }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('rates' as const, 'balance' as const),
      number,
      clear: fc.nat(3).map((drawn) => drawn === 0),
      account,
    }),
  },
);

export const cashSequence = fc.array(ofCash, { minLength: 3, maxLength: 9, size: 'max' });

type DrawnOf<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
export type Drawn = DrawnOf<typeof command> | DrawnOf<typeof ofCash>;

/** Files first: most commands need some trades. */
export const sequence = fc
  .tuple(
    fc.array(imported, { minLength: 1, maxLength: 3, size: 'max' }),
    fc.array(command, { minLength: 3, maxLength: 10, size: 'max' }),
  )
  .map((parts): Drawn[] => parts.flat());

/** A command as given: it names lines of the list, records and trades. */
export type Given =
  | { do: 'import'; file: string; zone: string; account: string | null }
  | { do: 'version'; file: string; version: number; zone: string }
  | { do: 'prune'; file: string }
  | DayEdit
  | { do: 'change'; line: number; zone: string | null; account: string | null }
  | {
      do: 'labels' | 'annotate' | 'note' | 'group' | 'ungroup' | 'expire';
      trade: Anchor;
      other: Anchor;
      text: string;
    }
  | { do: 'diary'; text: string }
  | ({ do: 'fill'; text: string } & Required<
      Pick<FillOptions, 'account' | 'market' | 'currency' | 'multiplier'>
    >)
  | { do: 'remove'; table: string; id: string }
  | {
      do: 'rates' | 'fees' | 'limits' | 'balance';
      amount: number | null;
      account: string;
    }
  | { do: 'cash'; date: string; currency: string; account: string | undefined }
  | { do: 'excursions' }
  | {
      do: 'foreign';
      field: string;
      text: string;
      trade: Anchor | undefined;
      id: string | undefined;
    }
  | { do: 'rename'; from: string | null; to: string };

const REMOVABLE = ['trade_journals', 'sessions', 'missed_trades']
  .map((table) => `SELECT '${table}' AS "table", id FROM ${table}`)
  .join(' UNION ALL ');

/** The trades that a command may be about. */
const TRADES: Record<string, string> = {
  expire: "market = 'option' AND status = 'open' AND expiration < '2026-11-20'",
  ungroup: 'group_id IS NOT NULL',
};

const FILLS = `SELECT * FROM fills WHERE kind = 'trade' AND format <> 'fill' ORDER BY executed_at, id`;

/** A fill by hand that is one of a file, if the accounts are one. */
function fillLike(
  { isDay, account: name }: { isDay: boolean; account: string },
  row: Record<string, unknown> | undefined,
): Given | undefined {
  if (!row) return undefined;
  const { executed_at, side, quantity, symbol, price, market, currency, multiplier } =
    row as Fill;
  const time = isDay ? executed_at.slice(0, 10) : executed_at;
  return {
    do: 'fill',
    text: `${time} ${side} ${quantity} "${symbol}" ${price}`,
    account: name,
    market,
    currency,
    multiplier,
  };
}

/** @returns undefined if the journal has nothing that the command could be about */
export function givenBy(drawn: Drawn, home: ImportHome): Given | undefined {
  const nth = (sql: string, of: number) => {
    const all = home.rows(sql);
    return all[of % Math.max(all.length, 1)];
  };
  if (drawn.do === 'import' || drawn.do === 'excursions') return drawn;
  if (drawn.do === 'diary' || drawn.do === 'version' || drawn.do === 'prune')
    return drawn;
  if (drawn.do === 'cash') return drawn;
  if (drawn.do === 'edit') return dayEditBy(drawn, home);
  if ('clear' in drawn)
    return { ...drawn, amount: drawn.clear ? null : 1 + drawn.number };
  const { number: of } = drawn;
  if (drawn.do === 'fill') return fillLike(drawn, nth(FILLS, of));
  if (drawn.do === 'change') {
    const line = nth('SELECT id FROM imports WHERE sha256 IS NOT NULL ORDER BY id', of);
    return line && { ...drawn, line: line['id'] as number };
  }
  if (drawn.do === 'rename') {
    const from = nth(
      `SELECT account FROM trades UNION SELECT account FROM cash_flows ORDER BY 1`,
      of,
    );
    return from && { ...drawn, from: from['account'] as string | null };
  }
  if (drawn.do === 'remove') {
    const record = nth(`SELECT * FROM (${REMOVABLE}) ORDER BY 1, 2`, of);
    return (
      record && {
        do: 'remove',
        table: record['table'] as string,
        id: record['id'] as string,
      }
    );
  }
  if (drawn.do === 'foreign') {
    const table = FOREIGN[drawn.field] as string;
    const id = nth(`SELECT id FROM ${table} ORDER BY id`, of)?.['id'] as
      | string
      | undefined;
    if (id === undefined) return undefined;
    const isTrade = table === 'trades';
    return {
      ...drawn,
      trade: isTrade ? anchorOf(home, id) : undefined,
      id: isTrade ? undefined : id,
    };
  }
  const sql = `SELECT id FROM trades WHERE ${TRADES[drawn.do] ?? 'true'} ORDER BY executed_at, id`;
  const [trade, other] = [of, of + 1].map(
    (place) => nth(sql, place)?.['id'] as string | undefined,
  );
  if (trade === undefined || other === undefined) return undefined;
  return { ...drawn, trade: anchorOf(home, trade), other: anchorOf(home, other) };
}

const RULES: AccountRules = {
  ...{
    balance: 50_000,
    max_loss: 2000,
    trailing: 'eod',
    locks_at: null,
    daily_loss: null,
    target: null,
  },
  ...{
    best_day: null,
    min_days: null,
    min_day_profit: null,
    day_ends: null,
    timezone: null,
  },
  ...{ since: null, currency: null },
};

const NONE = { tags: [], mistakes: [] };

/**
 * Gives a journal a command.
 * @param files the home with the files
 * @param lines finds trades, and lines of the list, of the journal in which it was first given
 * @throws UserError if it is refused
 */
export function give(
  home: ImportHome,
  files: ImportHome,
  given: Given,
  lines: Lines,
): void {
  const options = home.target;
  const write = (line: string, act: (own: Edit) => void) =>
    void edit(options, { name: line, line, resource: trades }, act);
  const label = (trade: Anchor, annotation: Partial<Annotation>) =>
    write('annotate', (own) =>
      annotate(own, [lines.tradeOf(home, trade)], {
        fields: {},
        add: NONE,
        remove: NONE,
        group: undefined,
        ...annotation,
      }),
    );
  switch (given.do) {
    case 'import': {
      const { as, text } = IMPORTED[given.file] ?? {
        as: undefined,
        ...FLOWS[given.file],
      };
      const optional = {
        ...(as && { as }),
        ...(given.account && { account: given.account }),
      };
      home.import(files.file(given.file, text ?? ''), {
        timeZone: given.zone,
        ...optional,
      });
      return;
    }
    case 'version': {
      const text = VERSIONS[given.file]?.[given.version] ?? '';
      home.import(files.file(given.file, text), { timeZone: given.zone });
      return;
    }
    case 'prune': {
      rmSync(files.path(given.file));
      try {
        edit(options, { name: 'prune', line: 'prune', resource: sessions }, (own) =>
          pruneNotes(own, files.folder, true),
        );
      } finally {
        files.file(given.file, ALL_FILES[given.file] ?? '');
      }
      return;
    }
    case 'edit':
      return editDay(home, given, lines);
    case 'labels': {
      const csv = `id,setup,tags,fields.Phase\n${lines.tradeOf(home, given.trade)},File ${given.text},${given.text}; f,${given.text}\n`;
      home.import(home.file(`labels-${given.text}.csv`, csv), {
        as: 'trades',
        timeZone: 'UTC',
      });
      return;
    }
    case 'change': {
      const changed = {
        ...(given.zone && { timezone: given.zone }),
        ...(given.account && { account: given.account }),
      };
      changeImport(
        { ...options, id: lines.lineOf(given.line), given: changed },
        'import change',
      );
      return;
    }
    case 'annotate':
      return label(given.trade, {
        fields: { setup: given.text },
        named: { confluence: given.text === 'a' ? null : given.text, ['__proto__']: 1 },
        add: { ...NONE, tags: [given.text] },
      });
    case 'note':
      return write('note', (own) =>
        noteOnTrade(own, lines.tradeOf(home, given.trade), given.text, 'review'),
      );
    case 'fill': {
      const { do: _, text: line, ...more } = given;
      const lines = [{ text: line, line: 1 }];
      return void recordFills({ ...options, lines, again: true, ...more }, 'fill');
    }
    case 'cash': {
      const flow = { ...given, kind: 'deposit' as const, amount: 100, again: true };
      return void addCash({ ...options, ...flow }, 'cash add');
    }
    case 'diary':
      return write('note', (own) => noteOnDay(own, given.text));
    case 'group': {
      const ids = [given.trade, given.other].map((trade) => lines.tradeOf(home, trade));
      return write('group', (own) => void groupTrades(own, `Group ${given.text}`, ids));
    }
    case 'ungroup':
      return write(
        'ungroup',
        (own) => void ungroupTrades(own, [lines.tradeOf(home, given.trade)]),
      );
    case 'remove': {
      const resource = RESOURCES.find(({ table }) => table === given.table) ?? trades;
      return write('remove', (own) => removeRecords(own, resource, [given.id]));
    }
    case 'expire':
      return void expire(options, [lines.tradeOf(home, given.trade)], 0, 'expire');
    case 'excursions':
      return void addExcursions({ ...options, files: [files.path(CANDLES)] });
    case 'foreign': {
      const { field, text: value, trade } = given;
      const id = trade ? lines.tradeOf(home, trade) : given.id;
      if (home.rows(`SELECT 1 FROM ${FOREIGN[field]} WHERE id = ?`, id).length === 0)
        throw new UserError(`no record ${id} here`);
      home.write(
        `UPDATE ${FOREIGN[field]} SET ${field} = 'Foreign ${value}' WHERE id = '${id}'`,
      );
      return;
    }
    case 'rename':
      return void renameAccount(
        { ...options, merge: true },
        given.from,
        given.to,
        'account rename',
      );
    default:
      return set(options, given);
  }
}

function set(
  options: { journal: string; now: number },
  { do: what, amount, account: name }: Extract<Given, { amount: unknown }>,
): void {
  if (what === 'limits') {
    setLimits(
      options,
      name,
      amount === null ? null : { ...RULES, max_loss: 100 * amount },
      'limits set',
    );
  } else if (what === 'balance') {
    setStartingBalance(
      options,
      name,
      amount === null ? null : 1000 * amount,
      'account set',
    );
  } else if (what === 'fees') {
    const fee = {
      symbol: 'MES',
      account: (amount ?? 0) % 2 === 0 ? null : name,
      per_contract: amount,
      per_order: null,
      percent: null,
    };
    changeFees(options, [fee], 'fees set');
  } else if (amount === null) removeRates(options, ['EUR'], 'rates remove');
  else setRates(options, new Map([['EUR', amount]]), undefined, 'rates set');
}
