/** Ids of records that come by a mapping: the file's own after the mapping's name, else a hash of what tells them apart. */
import { createHash } from 'node:crypto';
import { ID_PATTERN } from '../../journal/fields.ts';
import type { Values } from '../../journal-write/record.ts';
import type { Mapping } from './schema.ts';

/** What stays the same where the rest of a record is edited. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  trades: ['account', 'symbol', 'side', 'quantity', 'executed_at', 'entry_price'],
  'trade-groups': ['name', 'opened_at'],
  'trade-journals': ['trade_id', 'symbol', 'executed_at', 'phase', 'title', 'created_at'],
  'group-journals': ['group_id', 'phase', 'title', 'created_at'],
  sessions: ['date', 'name', 'started_at'],
  'weekly-reviews': ['period_start'],
  'missed-trades': ['symbol', 'side', 'missed_at'],
};

const REFERENCES = ['trade_id', 'group_id', 'best_trade_id', 'worst_trade_id'];

/** The name of a mapping among formats: in the list of imports, and before the ids of what it brings. */
export function formatName({ name }: Pick<Mapping, 'name'>): string {
  return `map:${name}`;
}

/** Gives each record of one file its id, and its references the ids that the same mapping gives what they name. */
export class RecordIds {
  readonly #mapping: Mapping;
  readonly #counts = new Map<string, number>();

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
  }

  /** @returns the values with an id that fits; equal records without an id of their own are counted */
  identified(values: Values): Values {
    const whole = { ...values };
    for (const name of REFERENCES) if (typeof whole[name] === 'string') whole[name] = this.#own(whole[name]);
    const id = whole['id'];
    whole['id'] = typeof id === 'string' ? this.#own(id) : this.#hashed(values);
    return whole;
  }

  /** What has a colon is the id of another import already. */
  #own(id: string): string {
    const fitting = plain(id);
    return this.#mapping.prefix_ids === false || id.includes(':') ? fitting : `${formatName(this.#mapping)}:${fitting}`;
  }

  #hashed(values: Values): string {
    const { target } = this.#mapping;
    const said = (KEYS[target] ?? []).map((key) => values[key] ?? null);
    const id = `${formatName(this.#mapping)}:${createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 24)}`;
    const ordinal = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, ordinal);
    return ordinal === 1 ? id : `${id}.${ordinal}`;
  }
}

/** Letters, digits and . _ : ~ -; what loses something by that, or is too long, has a hash at its end. */
function plain(id: string): string {
  if (ID_PATTERN.test(id) && id.length <= LONGEST) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${id.replace(/[^A-Za-z0-9._:~-]/g, '-').slice(0, LONGEST - 9)}.${hash}`;
}

/** Leaves room for the name before it. */
const LONGEST = 100;
