/**
 * Stores the cash flows of a platform's file, as records that its line states. A row is
 * known in the journal by the platform's id, else by what it states and when, as a fill
 * is, and becomes a record with the id that it has there.
 */
import { hash } from 'node:crypto';
import { FileErrors, RowError, UserError } from '../../errors.ts';
import { maskNumbers } from '../../journal/fields.ts';
import { cashFlows, MAX_DESCRIPTION } from '../../journal/resources/cash-flows.ts';
import type { Values } from '../../journal-write/record.ts';
import { type Change, RecordWriter } from '../../journal-write/record-writer.ts';
import { roundMoney } from '../../money.ts';
import { type AccountNames, keepCash } from '../../statements/account-settings.ts';
import type { FlowStatement, ImportTable } from '../../statements/imports.ts';
import { LineStatements } from '../../statements/line.ts';
import { fromInstantText, ZoneClock } from '../../time.ts';
import { platformOf } from '../fills/incoming.ts';
import { type FileFlow, isCutId } from '../fills/reading.ts';
import type { FileSettings } from './file-settings.ts';
import type { ReadJob } from './read-job.ts';

interface Settings {
  platform: string;
  imports: ImportTable;
  names: AccountNames;
  /** For rows without an account in the file. */
  account: string | null;
  userZone: string;
  baseCurrency: string;
  /** The zone in which the file's times without one were read. */
  zone: string | null;
  /** Whether rows that seem to be known in another zone are others. */
  allowDuplicates: boolean;
}

/** A cash flow as a record, and what its file wrote. */
interface FlowRecord {
  line: number;
  values: Values;
  clock: string;
  /**
   * As the file or --account names it, before renames; '': none; undefined: as it is
   * known.
   */
  account: string | undefined;
}

/** A stored flow, with what each file that states it wrote. */
interface StoredFlow extends Omit<FlowStatement, 'importId' | 'clock'> {
  platformId: string | null;
  statements: readonly Pick<FlowStatement, 'importId' | 'clock'>[];
}

interface Row {
  flow: FileFlow;
  amount: number;
  platformId: string | null;
  /** As the journal names it now; null if unknown. */
  account: string | null;
  /** What it states but for its time. */
  facts: string;
}

const DAY = 86_400_000;

/** Zones are a day apart at most. */
const MARGIN = 2 * DAY;

/** Ids of flows without one of the platform go on with it. */
const HASHED = 'row-';

/**
 * @throws UserError if rows are in the journal in another zone, or in several accounts of
 * which the file names none
 */
function knownFlows(flows: readonly FileFlow[], settings: Settings): KnownFlowRecords {
  return new KnownFlows(flows, settings).run();
}

interface KnownFlowRecords {
  records: FlowRecord[];
  /**
   * The account of known rows of which the file names none: its other rows are in it,
   * too.
   */
  holder: string | null;
}

class KnownFlows {
  readonly #settings: Settings;
  readonly #prefix: string;
  readonly #days: ZoneClock;
  readonly #rows: readonly Row[];
  readonly #found = new Map<Row, StoredFlow>();
  readonly #claimed = new Set<StoredFlow>();
  /** Ids of the journal or of rows before. */
  readonly #taken = new Set<string>();

  constructor(flows: readonly FileFlow[], settings: Settings) {
    this.#settings = settings;
    this.#prefix = `${settings.platform}:cash:`;
    this.#days = new ZoneClock(settings.userZone);
    this.#rows = flows.map((flow) => this.#rowOf(flow));
  }

  run(): KnownFlowRecords {
    const stored = this.#storedFlows();
    const byId = Map.groupBy(stored, ({ platformId }) => platformId);
    const byFacts = Map.groupBy(stored, factsOf);

    this.#claim(
      ({ platformId }) => (platformId === null ? [] : byId.get(platformId)),
      () => true,
    );
    const ofFacts = ({ facts }: Row) => byFacts.get(facts);
    this.#claim(
      ofFacts,
      (row, known) => haveSameForm(row, known) && isSameInstant(row, known),
    );
    this.#claim(
      ofFacts,
      (row, known) => haveSameForm(row, known) && isSameClock(row, known),
    );
    this.#claim(ofFacts, (row, known) => this.#mayBeSameDay(row, known));
    this.#refuseShifted();

    for (const { id } of this.#found.values()) this.#taken.add(id);
    const holder = this.#holder();
    return { records: this.#rows.map((row) => this.#recordOf(row, holder)), holder };
  }

  #rowOf(flow: FileFlow): Row {
    const { names, account } = this.#settings;
    const amount = roundMoney(flow.amount);
    return {
      flow,
      amount,
      platformId: idOf(flow),
      account: names.of(flow.account ?? account),
      facts: factsOf({ ...flow, amount }),
    };
  }

  #storedFlows(): StoredFlow[] {
    const times = this.#rows.map(({ flow }) => Date.parse(flow.executedAt));
    const span = {
      from: isoOf(times.reduce((a, b) => Math.min(a, b)) - MARGIN),
      to: isoOf(times.reduce((a, b) => Math.max(a, b)) + MARGIN),
    };
    const all = this.#settings.imports.statedFlows(this.#prefix, span);

    return [...Map.groupBy(all, ({ id }) => id).values()].map((group) => {
      const [{ importId: _, clock: __, ...stored }] = group;
      const stem = stored.id.slice(this.#prefix.length).replace(/~\d+$/, '');
      const platformId = stem.startsWith(HASHED) ? null : stem;
      return { ...stored, platformId, statements: group };
    });
  }

  /** Gives each row that is still unknown the first stored one that fits, one to one. */
  #claim(
    candidatesOf: (row: Row) => readonly StoredFlow[] | undefined,
    isSame: (row: Row, known: StoredFlow) => boolean,
  ): void {
    for (const row of this.#rows) {
      if (this.#found.has(row)) continue;

      const fitting = (candidatesOf(row) ?? []).filter(
        (known) =>
          !this.#claimed.has(known) &&
          mayShare(row.account, known.account) &&
          isSame(row, known),
      );
      const [known] = fitting;
      if (!known) continue;

      if (row.account === null) refuseSeveral(row, fitting);
      this.#found.set(row, known);
      this.#claimed.add(known);
    }
  }

  /**
   * Another format of the platform, or a file saved again, may state the day only, or no
   * id: then the day decides.
   */
  #mayBeSameDay(row: Row, known: StoredFlow): boolean {
    const { flow, platformId } = row;
    const hasTime = flow.hasTime ?? true;
    const isOfOtherForm =
      (platformId === null) !== (known.platformId === null) ||
      hasTime !== (known.has_time === 1);
    if (!isOfOtherForm) return false;

    const dayOf = (clock: string | null | undefined, instant: string) =>
      clock ? clock.slice(0, 10) : this.#days.dateOf(fromInstantText(instant));
    const day = dayOf(flow.clock, flow.executedAt);
    return known.statements.some(({ clock }) => dayOf(clock, known.at) === day);
  }

  #refuseShifted(): void {
    const { allowDuplicates, zone } = this.#settings;
    if (allowDuplicates) return;

    for (const [{ flow, platformId }, known] of this.#found) {
      const isTimed = flow.hasTime !== false && known.has_time === 1;
      if (
        !isTimed ||
        platformId !== null ||
        minuteOf(flow.executedAt) === minuteOf(known.at)
      )
        continue;

      const { importId } = known.statements[0] as StoredFlow['statements'][number];
      const command = `journal-api import change ${importId} --timezone ${zone ?? 'ZONE'}`;
      throw new UserError(
        `line ${flow.line}: this cash flow is in import ${importId}, read in another zone; ` +
          `to correct import ${importId}: ${command}`,
      );
    }
  }

  #holder(): string | null {
    const holders = [...this.#found].flatMap(([row, { account }]) =>
      row.account === null && account !== null ? [account] : [],
    );
    return holders[0] ?? null;
  }

  #recordOf(row: Row, holder: string | null): FlowRecord {
    const { flow, amount } = row;
    const {
      line,
      clock = '',
      hasTime = true,
      kind,
      currency,
      symbol,
      description,
    } = flow;
    const known = this.#found.get(row);
    const account = row.account ?? (known ? null : holder);
    const values: Values = {
      id: known?.id ?? this.#newId(row),
      ...(account !== null && { account }),
      at: flow.executedAt,
      has_time: hasTime,
      kind,
      amount,
      currency,
    };
    const more = {
      fx_rate: this.#rateOf(flow),
      symbol,
      description: shortened(description),
    };
    // A row without them says nothing of what another file states.
    for (const [name, value] of Object.entries(more))
      if (value !== null) values[name] = value;

    // A rename of no account may have given it one.
    const unnamed = row.account === null ? undefined : '';
    const stated = flow.account ?? this.#settings.account ?? unnamed;
    return { line, values, clock, account: stated };
  }

  #rateOf({ rate }: FileFlow): number | null {
    return rate?.base === this.#settings.baseCurrency ? rate.value : null;
  }

  /** The same each time the file is read, unless another account has the same row. */
  #newId({ flow, platformId, facts }: Row): string {
    const when = flow.clock ? flow.clock.slice(0, 16) : minuteOf(flow.executedAt);
    for (let ordinal = 1; ; ordinal++) {
      const stem = platformId ?? HASHED + digestOf([facts, when, ordinal]);
      const id = this.#freeId(stem, platformId !== null);
      if (id === undefined) continue;

      this.#taken.add(id);
      return id;
    }
  }

  /**
   * @param isNumbered whether further rows of an id have numbers; else another ordinal
   */
  #freeId(stem: string, isNumbered: boolean): string | undefined {
    const { imports } = this.#settings;
    for (let number = 1; ; number++) {
      const id = this.#prefix + stem + (number === 1 ? '' : `~${number}`);
      const isOfFile = this.#taken.has(id);
      if (isOfFile && !isNumbered) return undefined;
      if (!isOfFile && !imports.hasFlow(id)) return id;
    }
  }
}

/**
 * Null for a long number that a spreadsheet cut, and for an id that can't be one here.
 */
function idOf({ id }: FileFlow): string | null {
  if (id === null || id === '' || isCutId(id)) return null;
  return id.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 80);
}

function factsOf({
  kind,
  currency,
  amount,
}: Pick<FlowStatement, 'kind' | 'currency' | 'amount'>): string {
  return `${kind} ${currency} ${amount}`;
}

function haveSameForm({ flow, platformId }: Row, known: StoredFlow): boolean {
  const hasTime = flow.hasTime ?? true;
  return (
    platformId === null && known.platformId === null && hasTime === (known.has_time === 1)
  );
}

function isSameInstant({ flow }: Row, { at }: StoredFlow): boolean {
  return minuteOf(flow.executedAt) === minuteOf(at);
}

function isSameClock({ flow }: Row, { statements }: StoredFlow): boolean {
  if (!flow.clock) return false;
  const minute = flow.clock.slice(0, 16);
  return statements.some(({ clock }) => clock?.slice(0, 16) === minute);
}

/** Spreadsheets cut seconds. */
function minuteOf(instant: string): string {
  return instant.slice(0, 16);
}

function mayShare(a: string | null, b: string | null): boolean {
  return a === null || b === null || a.toLowerCase() === b.toLowerCase();
}

function refuseSeveral({ flow }: Row, fitting: readonly StoredFlow[]): void {
  const accounts = new Set(fitting.flatMap(({ account }) => account ?? []));
  if (accounts.size < 2) return;

  throw new UserError(
    `line ${flow.line}: the accounts ${[...accounts].join(' and ')} have this cash flow; ` +
      'pass --account',
  );
}

function shortened(description: string | null): string | null {
  const text = maskNumbers(description?.replace(/\s+/g, ' ').trim() ?? '');
  if (text === '') return null;
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1)}…`;
}

function digestOf(facts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(facts)).slice(0, 16);
}

function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

// Storing.

export interface StoredFlows {
  counts: Record<Change, number>;
  notes: string[];
}

/**
 * Call it once fills are stored: rows without an account are in that of the file's fills.
 * @param isRepeated whether the same bytes were imported before
 */
export function storeFlows(
  { job, reading, journal, times }: ReadJob,
  importId: number,
  { write, rows, again }: FileSettings,
  isRepeated: boolean,
): StoredFlows {
  const counts = { added: 0, changed: 0, unchanged: 0 };
  const { imports, names, stated, db } = journal;
  const keep = (holder: string | null) => {
    const account = write.account ?? holder ?? imports.find(importId)?.holder ?? null;
    keepCash(db, write.user.id, importId, { cash: reading.cash, account });
  };
  if (reading.flows.length === 0) {
    keep(null);
    return { counts, notes: [] };
  }

  const { records, holder } = knownFlows(reading.flows, {
    platform: platformOf(job.format),
    imports,
    names,
    account: write.account ?? imports.find(importId)?.holder ?? null,
    userZone: write.user.timezone,
    baseCurrency: write.user.base_currency,
    zone: times.zone,
    allowDuplicates: rows.allowDuplicates || again !== undefined,
  });

  if (holder !== null) imports.setHolder(importId, holder);

  const line = new LineStatements(stated, importId, again?.before);
  let written: Pick<(typeof records)[number], 'clock' | 'account'> = {
    clock: '',
    account: undefined,
  };
  const writer = new RecordWriter(
    db,
    cashFlows,
    { ...write, account: undefined, timeZone: undefined },
    {
      onChange: (...change) => {
        const { clock, account } = written;
        line.note(cashFlows, ...change, {
          clock,
          ...(account !== undefined && { account }),
        });
      },
    },
  );

  const errors = new FileErrors();
  for (const record of records) {
    written = record;
    try {
      counts[writer.put(record.values)]++;
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      errors.add(error, job.file, record.line);
    }
  }

  errors.refuse();
  imports.statements.write();
  keep(holder);
  if (isRepeated) counts.added -= line.removeRevived(write.user.id);

  return { counts, notes: byHandNotes(db, write.user.id, importId) };
}

/** Flows by hand that a file's flows of the same day hide. */
const BY_HAND = `SELECT (SELECT min(import_id) FROM import_records AS l
    WHERE l.user_id = h.user_id AND l.resource = 'cash-flows' AND l.record_id = h.id) AS line,
    count(*) AS flows
  FROM cash_flows AS h WHERE h.user_id = @user AND h.by_hand = 1
    AND NOT EXISTS (SELECT 1 FROM cash_flow_records AS v
      WHERE v.user_id = h.user_id AND v.id = h.id)
    AND EXISTS (SELECT 1 FROM cash_flows AS f JOIN import_records AS r
        ON r.user_id = f.user_id AND r.resource = 'cash-flows' AND r.record_id = f.id
      WHERE f.user_id = h.user_id AND f.currency = h.currency AND f.amount = h.amount
        AND f.kind = h.kind AND f.account IS h.account AND f.at >= h.at
        AND f.at < strftime('%Y-%m-%dT%H:%M:%fZ', h.at, '+1 day') AND r.import_id = @importId)
  GROUP BY line`;

function byHandNotes(
  db: ReadJob['journal']['db'],
  user: string,
  importId: number,
): string[] {
  const found = db
    .prepare<[object], { line: number; flows: number }>(BY_HAND)
    .all({ user, importId });
  return found.map(({ line, flows }) =>
    flows === 1
      ? `1 cash flow was recorded by hand, too (import ${line}); it counts once`
      : `${flows} cash flows were recorded by hand, too (import ${line}); each counts once`,
  );
}
