/**
 * What each line stated of a record, from what it changed: the record is followed
 * backwards from what it is now, then its statements are added up again.
 */

import { PERSON_FIELDS } from '../../journal/person-fields.ts';
import { same, type Values } from '../../journal-write/record.ts';
import { type FieldKinds, isEmpty, type Stated, type Statement } from '../fold.ts';
import { MEASURE_OF, measureOf } from '../stated-records.ts';
import {
  changeOf,
  extended,
  imageOf,
  inOrder,
  nameIn,
  type OlderRow,
  overridden,
  type Speaker,
  speakerOf,
  UNMEASURED,
} from './older-rows.ts';

/**
 * A row of the walk: what its line states, or what another program had written before it.
 */
export interface Said {
  row: OlderRow;
  kind: Statement['kind'];
  /** Null of a removal, and of a foreign one. */
  stated: Stated | null;
}

export interface WalkedRecord {
  id: string;
  kinds: FieldKinds;
  /** With the executions of a trade; undefined if it isn't in the journal. */
  present: Values | undefined;
  isTrade: boolean;
  /**
   * Whether it is a trade made from fills, of which lines state only what persons write.
   */
  isMade: boolean;
  /** What a record is beyond statements. */
  beyond: (record: Values, statements: readonly Statement[]) => Stated;
}

interface Step {
  row: OlderRow;
  /**
   * The record before and after the row; undefined: it wasn't there, or nothing is known.
   */
  before: Values | undefined;
  after: Values | undefined;
  /** As the next row found it. */
  left: Values | undefined;
  /** Whether `before` has all fields. */
  isWhole: boolean;
}

const IS_OF_PERSON: ReadonlySet<string> = new Set(PERSON_FIELDS);

const STAMPS: readonly string[] = ['id', 'created_at', 'updated_at'];

export class Walk {
  readonly #walked: WalkedRecord;
  readonly #said: Said[] = [];
  readonly #statements: Statement[] = [];
  /** What the latest file says of the record, of which later files say no less. */
  #file: Stated = {};
  /** What each note says, by path. */
  readonly #notes = new Map<string, Stated>();

  constructor(walked: WalkedRecord) {
    this.#walked = walked;
  }

  /** @param rows in the order of their lines */
  run(rows: readonly OlderRow[]): Said[] {
    const steps = stepsBack(inOrder(rows), this.#walked.present);
    for (const [place, step] of steps.entries()) {
      const former = steps[place - 1];
      if (isBroken(step, former)) this.#foreign(step);
      this.#step(step);
    }
    return this.#said;
  }

  /** What no line explains was written by another program: a foreign statement. */
  #foreign({ row, before, isWhole }: Step): void {
    if (!before || !isWhole) return;

    const stated = this.#walked.beyond(before, this.#statements);
    if (row.change === 'removed') stated['created_at'] = before['created_at'];
    this.#override(stated);
    this.#say(row, 'foreign', stated);
  }

  #step({ row, after = {}, left = {} }: Step): void {
    const { kinds } = this.#walked;
    const speaker = speakerOf(row);
    if (row.change === 'removed') {
      this.#file = {};
      this.#notes.clear();
      this.#say(row, 'removed', null);
    } else if (row.change === 'added') {
      // Earlier versions let a rename hold the closed trades of an undone file.
      const stated = this.#whole(after, row.account);
      if (speaker === 'rename') this.#say(row, 'foreign', stated);
      else this.#speak(row, stated, stated);
    } else if (speaker === 'candles') this.#say(row, 'stated', this.#measured(row, left));
    else if (speaker !== 'rename') {
      const images = [imageOf(row.before), imageOf(row.after)] as const;
      const change =
        row.change === 'changed' ? changeOf(kinds, ...images, speaker === 'command') : {};
      this.#speak(row, change, this.#known(after, speaker));
    }
  }

  /**
   * @param known what the record was then: said by a file or note that changes nothing
   * and said nothing before
   */
  #speak(row: OlderRow, change: Stated, known: Stated): void {
    const { kinds } = this.#walked;
    const speaker = speakerOf(row);
    // A file that changes labels of a trade says no more than those: it may have nothing
    // else.
    const isAlone =
      row.change === 'added' ||
      speaker === 'command' ||
      (speaker === 'file' && this.#isOfLabels(change));
    const former =
      (speaker === 'note' ? this.#notes.get(row.path ?? '') : this.#file) ?? {};
    const isFirst = isEmptyObject(former) && isEmptyObject(change);
    let stated = isFirst ? known : extended(kinds, former, change);
    if (isAlone) stated = change;

    if (speaker === 'file' && (row.change === 'added' || !isAlone)) this.#file = stated;
    else this.#override(change);
    if (speaker === 'note') this.#notes.set(row.path ?? '', stated);
    this.#say(row, 'stated', stated);
  }

  #isOfLabels(change: Stated): boolean {
    const names = Object.keys(change).map(nameIn);
    return (
      this.#walked.isTrade &&
      names.length > 0 &&
      names.every((name) => IS_OF_PERSON.has(name))
    );
  }

  /** All that a record was, if a line added it. @param account as its file names it */
  #whole(record: Values, account: string | null): Stated {
    const stated = this.#filled(record, () => true);
    if (this.#walked.isTrade && account !== null) stated['account'] = account || null;
    return stated;
  }

  /**
   * What a record was, of which a line says nothing new. Notes, and whatever is said of a
   * trade made from fills, state what persons write.
   */
  #known(record: Values, speaker: Speaker): Stated {
    const isOfPersons =
      this.#walked.isMade || (this.#walked.isTrade && speaker === 'note');
    return this.#filled(record, (name) => !isOfPersons || IS_OF_PERSON.has(name));
  }

  #filled(record: Values, isSaid: (name: string) => boolean): Stated {
    const all = Object.entries(this.#walked.kinds.flat(record));
    return Object.fromEntries(
      all.filter(
        ([name, value]) => !STAMPS.includes(name) && !isEmpty(value) && isSaid(name),
      ),
    );
  }

  /**
   * Figures from candles hold only for the position that they measured: those that it
   * lost since, for none.
   */
  #measured({ after }: OlderRow, left: Values): Stated {
    const { present } = this.#walked;
    const figures = imageOf(after);
    const isHeld = Object.entries(figures).every(([name, value]) =>
      same(left[name] ?? null, value),
    );
    return {
      ...figures,
      [MEASURE_OF]: isHeld && present ? measureOf(present) : UNMEASURED,
    };
  }

  #override(by: Stated): void {
    this.#file = overridden(this.#walked.kinds, this.#file, by);
  }

  #say(row: OlderRow, kind: Statement['kind'], stated: Stated | null): void {
    if (kind === 'foreign' && isEmptyObject(stated ?? {})) return;

    const path = kind === 'stated' ? (row.path ?? '') : '';
    this.#statements.push({
      line: row.import_id,
      kind,
      path,
      record: this.#walked.id,
      stated,
    });
    this.#said.push({ row, kind, stated });
  }
}

/** The record before and after each row, followed backwards. */
function stepsBack(rows: readonly OlderRow[], present: Values | undefined): Step[] {
  let state = present;
  let isWhole = present !== undefined;
  const steps = rows.toReversed().map((row): Step => {
    const left = state;
    let after = left;
    if (row.change === 'added') state = undefined;
    else if (row.change === 'removed') {
      after = undefined;
      state = imageOf(row.before);
      isWhole = true;
    } else if (row.change === 'changed') {
      after = { ...left, ...imageOf(row.after) };
      state = { ...left, ...imageOf(row.before) };
    }

    return { row, before: state, after, left, isWhole };
  });
  return steps.reverse();
}

/** Whether a record isn't what the row before left: another program wrote in between. */
function isBroken({ row, before }: Step, former: Step | undefined): boolean {
  if (row.change === 'removed' || !former || speakerOf(former.row) === 'rename')
    return true;
  if (!before || former.after === before) return false;

  const { after = {} } = former;
  return Object.entries(before).some(
    ([name, value]) => !STAMPS.includes(name) && !same(value, after[name]),
  );
}

function isEmptyObject(values: object): boolean {
  return Object.keys(values).length === 0;
}
