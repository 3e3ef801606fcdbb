/** Ids of mapped records: the mapping's name with the file's own id, else with a hash of identifying fields. */
import { createHash } from 'node:crypto';
import { ID_PATTERN } from '../../journal/fields.ts';
import type { Values } from '../../journal-write/record.ts';
import type { Mapping } from './schema.ts';

/** Identifying fields, which stay the same if the rest of a record is edited. */
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

/** The format name of a mapping: shown in the list of imports, and the prefix of its records' ids. */
export function formatName({ name }: Pick<Mapping, 'name'>): string {
  return `map:${name}`;
}

/** Sets the id of each record in a file, and the ids of its references to records of the same mapping. */
export class RecordIds {
  readonly #mapping: Mapping;
  readonly #counts = new Map<string, number>();

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
  }

  /** @returns the values with a valid id; equal records without an id of their own are numbered */
  identified(values: Values): Values {
    const whole = { ...values };
    for (const name of REFERENCES) if (typeof whole[name] === 'string') whole[name] = this.#own(whole[name]);
    const id = whole['id'];
    whole['id'] = typeof id === 'string' ? this.#own(id) : this.#hashed(values);
    return whole;
  }

  /** An id with a colon belongs to another import. */
  #own(id: string): string {
    const fitting = plain(id);
    return this.#mapping.prefix_ids === false || id.includes(':') ? fitting : `${formatName(this.#mapping)}:${fitting}`;
  }

  #hashed(values: Values): string {
    const { target } = this.#mapping;
    const facts = (KEYS[target] ?? []).map((key) => values[key] ?? null);
    const id = `${formatName(this.#mapping)}:${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 24)}`;
    const ordinal = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, ordinal);
    return ordinal === 1 ? id : `${id}.${ordinal}`;
  }
}

/** Letters, digits and . _ : ~ -. If characters are lost, a hash is appended. */
function plain(id: string): string {
  if (ID_PATTERN.test(id) && id.length <= LONGEST) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${id.replace(/[^A-Za-z0-9._:~-]/g, '-').slice(0, LONGEST - 9)}.${hash}`;
}

/** Leaves room for the prefix. */
const LONGEST = 100;
