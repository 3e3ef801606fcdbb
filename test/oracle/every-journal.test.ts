/**
 * Sequences of a few small files, in the long run every one, through the store: each line undone,
 * imported again and moved to another account leaves the journal as if only the other lines, or
 * those, had been given.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { undoImport } from '../../src/edit/undo.ts';
import type { ImportOptions } from '../../src/import/index.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { isExhaustive, isThorough } from '../effort.ts';
import { printFigures } from '../faults/figures.ts';
import { temporaryFolder } from '../helpers.ts';
import { ImportHome } from '../import/home.ts';
import { randomNumbers } from '../seed.ts';
import { differencesOf } from './compare.ts';

type Mapping = ReturnType<typeof loadMapping>;

type Step = '' | 'buy 1' | 'buy 2' | 'sell 1' | 'sell 2' | 'split 2:1';

/** A step, and the account that its file is imported in. */
type Given = `${Step}@${'A' | 'B'}`;

const PRICES = [101, 103, 107, 113];

interface Form {
  name: string;
  /** Files of a journal: with all efforts, and with some. */
  files: readonly [all: number, some: number];
  steps: readonly Step[];
  options: () => Partial<ImportOptions>;
  text: (step: Step, place: number) => string;
}

const [TRADES, SPLIT] = [
  ['', 'buy 1', 'buy 2', 'sell 1', 'sell 2'],
  ['split 2:1'],
] as const;

/** Times, and sales that open shorts. */
const MAPPED: Form = {
  name: 'a mapping, with shorts',
  files: [4, 3],
  steps: TRADES,
  options: () => ({ map: mapping() }),
  text: (step, place) => {
    const [side, quantity] = step.split(' ');
    return `time,what,side,quantity,price\n2026-11-02 15:00:0${place},ABC,${side},${quantity},${PRICES[place]}\n`;
  },
};

/** Days, splits, and sales without an opening. */
const ROBINHOOD: Form = {
  name: 'Robinhood, with splits',
  files: [4, 2],
  steps: [...TRADES, ...SPLIT],
  options: () => ({}),
  text: (step, place) => {
    const [word, number] = step.split(' ');
    const day = `11/${place + 2}/2026`;
    const paid = Number(number) * (PRICES[place] as number);
    const cells =
      word === 'split'
        ? ['SPL', '2', '', '']
        : [
            word === 'buy' ? 'Buy' : 'Sell',
            number,
            `$${PRICES[place]}.00`,
            word === 'buy' ? `($${paid}.00)` : `$${paid}.00`,
          ];
    const row = [day, day, day, 'ABC', 'Acme', ...cells];
    return `"Activity Date","Process Date","Settle Date","Instrument","Description","Trans Code","Quantity","Price","Amount"\n${row.map((cell) => `"${cell}"`).join()}\n`;
  },
};

let loaded: Mapping | undefined;

function mapping(): Mapping {
  if (loaded) return loaded;
  const path = join(temporaryFolder(), 'plain.map.json');
  const fields = {
    executed_at: 'time',
    symbol: 'what',
    side: 'side',
    quantity: 'quantity',
    price: 'price',
    fees: { value: 0 },
    market: { value: 'stock' },
    currency: { value: 'USD' },
  };
  writeFileSync(path, JSON.stringify({ name: 'plain', target: 'fills', fields }));
  loaded = loadMapping(path);
  return loaded;
}

class Journal {
  readonly home: ImportHome;
  /** Numbers of the lines, by place. */
  readonly lines = new Map<number, number>();
  readonly #form: Form;

  constructor(form: Form, home = new ImportHome().withUser()) {
    this.#form = form;
    this.home = home;
  }

  take(given: Given, place: number): void {
    const [step, account] = given.split('@') as [Step, string];
    if (step === '') return;
    const path = this.home.file(`file-${place}.csv`, this.#form.text(step, place));
    this.home.now += 60_000;
    this.home.import(path, { ...this.#form.options(), account, timeZone: 'UTC' });
    this.lines.set(place, this.lines.size + 1);
  }

  copy(): Journal {
    const copy = new Journal(this.#form, new ImportHome());
    copyFileSync(this.home.journal, copy.home.journal);
    copy.home.now = this.home.now + 60_000;
    for (const [place, line] of this.lines) copy.lines.set(place, line);
    return copy;
  }
}

function sequences(steps: readonly Step[], length: number): Given[][] {
  if (length === 0) return [[]];
  return sequences(steps, length - 1).flatMap((before) =>
    steps.map((step): Given[] => [...before, `${step}@A`]),
  );
}

const draw = randomNumbers();

/** All sequences of a number of files; of three, a third, others in each run, unless there is time. */
function triedOf({ steps }: Form, files: number): Given[][] {
  const all = sequences(steps, files);
  expect(all).toHaveLength(steps.length ** files);
  return isExhaustive || files < 3 ? all : all.filter(() => draw(3) === 0);
}

function filesOf({ files: [all, some] }: Form): number {
  if (isExhaustive) return all;
  return isThorough ? some : 2;
}

test.each([MAPPED, ROBINHOOD])(
  '$name: journals of a few files',
  {
    timeout: 3_600_000,
  },
  (form) => {
    const files = filesOf(form);
    const counts = { journals: 0, undone: 0, again: 0, moved: 0 };
    const known = new Map<string, Journal>();

    /** The journal of these files, given in their order. */
    const journalOf = (all: readonly Given[]): Journal => {
      const name = all.map((given) => (given.startsWith('@') ? '' : given)).join();
      const journal = known.get(name) ?? new Journal(form);
      if (known.has(name)) return journal;

      for (const [place, given] of all.entries()) journal.take(given, place);
      known.set(name, journal);
      return journal;
    };

    for (const all of triedOf(form, files)) {
      counts.journals++;
      const whole = journalOf(all);

      for (const [place, line] of whole.lines) {
        const given = all[place] as Given;
        const expectSame = (what: string, home: ImportHome, other: ImportHome) =>
          expect([all, line, what, differencesOf(home, other)]).toEqual([
            all,
            line,
            what,
            [],
          ]);

        const undone = whole.copy();
        undoImport(undone.home.target, line);
        expectSame('undone', undone.home, journalOf(all.with(place, '@A')).home);
        counts.undone++;

        undone.take(given, place);
        expectSame('imported again', undone.home, whole.home);
        counts.again++;

        const { home } = whole.copy();
        const change = { ...home.target, id: line, given: { account: 'B' } };
        changeImport(change, `import change ${line}`);
        const other = given.replace('@A', '@B') as Given;
        expectSame('moved', home, journalOf(all.with(place, other)).home);
        counts.moved++;
      }
    }

    printFigures(
      `journals of ${files} files, ${form.name}: ${counts.journals}; lines undone ${counts.undone}, imported again ${counts.again}, moved to another account ${counts.moved}; other than without the line: 0`,
    );
  },
);
