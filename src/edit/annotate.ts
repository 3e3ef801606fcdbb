/**
 * Annotations of trades on the command line: labels, risk, prices, a group, a line of
 * text.
 */

import type Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import { fieldsOfGroup } from '../journal/person-fields.ts';
import type { ListResource } from '../journal/resource.ts';
import { tradeJournals } from '../journal/resources/journals.ts';
import { sessions } from '../journal/resources/sessions.ts';
import { tradeGroups } from '../journal/resources/trade-groups.ts';
import { trades } from '../journal/resources/trades.ts';
import { riskOf, strategyOf } from '../journal/strategies.ts';
import { same, type Values } from '../journal-write/record.ts';
import { DayRecords } from '../notes/day-records.ts';
import type { Attachment } from '../notes/note-pictures.ts';
import { Reader, TEXT } from '../sqlite/reader.ts';
import { FillTable } from '../statements/fills.ts';
import type { Stated } from '../statements/fold.ts';
import { datesOf, LegGroupTable, type LegTrade } from '../statements/walked-trades.ts';
import { fromInstantText, ZoneClock } from '../time.ts';
import type { Edit } from './edit.ts';

export interface Annotation {
  /** Fields of a trade to set, by name. */
  fields: Values;
  /** Values by names of the trader's; null removes one. */
  named?: Values;
  add: Labels;
  remove: Labels;
  /** The name or id of a group; null: no group. */
  group: string | null | undefined;
  /** Kept pictures to add. */
  attachments?: readonly Attachment[];
}

type Labels = Readonly<Record<'tags' | 'mistakes', readonly string[]>>;

export function annotate(
  edit: Edit,
  ids: readonly string[],
  { fields, named = {}, add, remove, group, attachments = [] }: Annotation,
): void {
  const found = ids.map((id) => {
    const stored = edit.find(trades, id);
    if (!stored)
      throw new UserError(
        `there is no trade with the id "${id}"; find ids with "journal-api get trades"`,
      );
    return { id, stored };
  });
  const groupId = typeof group === 'string' ? joinGroup(edit, group, ids) : group;
  for (const { id, stored } of found) {
    const values: Values = { id, ...fields };
    const stated: Stated = { ...fields };
    putLabels(values, stated, stored, { add, remove });
    putNamed(values, stated, stored, named);
    attach(stored, attachments, { values, stated });
    if (groupId !== undefined) values['group_id'] = stated['group_id'] = groupId;
    edit.put(trades, values, stated);
  }
}

function putLabels(
  values: Values,
  stated: Stated,
  stored: Values,
  { add, remove }: Pick<Annotation, 'add' | 'remove'>,
): void {
  for (const name of ['tags', 'mistakes'] as const) {
    if (add[name].length + remove[name].length === 0) continue;

    const before = stored[name] as readonly string[];
    const { labels, ...said } = labelled(before, add[name], remove[name]);
    values[name] = labels;
    // What is taken and added again stays.
    if (said.taken.length > 0) stated[`${name}-`] = said.taken;
    if (said.added.length > 0) stated[`${name}+`] = said.added;
  }
}

/** Each name is stated by itself, and the others stay. */
function putNamed(values: Values, stated: Stated, stored: Values, named: Values): void {
  if (Object.keys(named).length === 0) return;

  values['fields'] = { ...(stored['fields'] as Values), ...named };
  for (const [name, value] of Object.entries(named)) stated[`fields.${name}`] = value;
}

/** Adds pictures to those of a trade; the same one again has its latest caption. */
function attach(
  trade: Values,
  attachments: readonly Attachment[],
  { values, stated }: { values: Values; stated: Stated },
): void {
  if (attachments.length === 0) return;

  const isAdded = ({ url }: Attachment) => attachments.some((other) => other.url === url);
  const others = (trade['attachments'] as Attachment[]).filter(
    (attachment) => !isAdded(attachment),
  );
  values['attachments'] = [...others, ...attachments];
  stated['attachments+'] = attachments;
}

/**
 * Labels that differ only in letter case are equal.
 * @returns the labels, and which of them are added and taken, as the trade spells them
 */
function labelled(
  before: readonly string[],
  add: readonly string[],
  remove: readonly string[],
): Record<'labels' | 'added' | 'taken', string[]> {
  const isIn = (labels: readonly string[]) => (label: string) =>
    labels.some((known) => known.toLowerCase() === label.toLowerCase());
  const taken = before.filter(isIn(remove));
  const labels = before.filter((label) => !taken.includes(label));
  const added = add.map((label) => {
    const known = labels.find((known) => known.toLowerCase() === label.toLowerCase());
    if (known === undefined) labels.push(label);
    return known ?? label;
  });

  return { labels, added: [...new Set(added)], taken };
}

/** Adds a journal entry to a trade. @param phase null: chosen by the trade's status */
export function noteOnTrade(
  edit: Edit,
  tradeId: string,
  text: string,
  phase: string | null,
): void {
  const isOpen = edit.find(trades, tradeId)?.['status'] === 'open';
  const stamp = `entry:${edit.now.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
  let id = stamp;
  for (let number = 2; edit.find(tradeJournals, id); number++) id = `${stamp}-${number}`;
  edit.put(tradeJournals, {
    id,
    trade_id: tradeId,
    phase: phase ?? (isOpen ? 'during' : 'post_trade'),
    body: text,
  });
}

/**
 * Adds text to the day's session, the same as a day note would; creates it if missing.
 */
export function noteOnDay(edit: Edit, text: string): void {
  const date = new ZoneClock(edit.user.timezone).dateOf(fromInstantText(edit.now));
  const days = new DayRecords(new Reader(edit.db), edit.user.id);
  const id = days.sessionOf(date) ?? days.newSession(date);
  const notes = edit.find(sessions, id)?.['notes'];

  edit.put(
    sessions,
    { id, date, notes: notes ? `${notes}\n\n${text}` : text },
    { date, 'notes+': text },
  );
}

/** @throws UserError if a trade is made from fills, or other records refer to one */
export function removeRecords(
  edit: Edit,
  resource: ListResource,
  ids: readonly string[],
): void {
  const fills = new FillTable(edit.db, edit.user.id);
  for (const id of new Set(ids)) {
    if (resource === trades && fills.partsOf(id).length > 0) {
      throw new UserError(
        `the trade ${id} is made from fills; undo the import that states them ` +
          '("journal-api import list" shows it)',
      );
    }
    edit.remove(resource, id);
  }
}

/**
 * The id of the trade that the user names.
 * @param name "last" for the latest trade, its id, or, if allowed, a symbol or underlying
 * for the latest trade in it
 * @throws UserError if no trade matches
 */
export function tradeNamed(
  db: Database.Database,
  user: string,
  name: string,
  maySymbol: boolean,
): string {
  const select = `SELECT id FROM trades WHERE user_id = ${TEXT}`;
  const last = 'ORDER BY executed_at DESC, id DESC LIMIT 1';

  const get = (sql: string, ...values: string[]) =>
    db
      .prepare<string[], string>(sql)
      .pluck()
      .get(user, ...values);

  const byId = get(`${select} AND id = ${TEXT}`, name);
  if (byId !== undefined) return byId;
  if (name === 'last') {
    const found = get(`${select} ${last}`);
    if (found === undefined)
      throw new UserError('the journal has no trades yet; import some first');
    return found;
  }

  const inSymbol = maySymbol
    ? get(
        `${select} AND (symbol = ? COLLATE NOCASE OR underlying = ? COLLATE NOCASE) ${last}`,
        name,
        name,
      )
    : undefined;
  if (inSymbol !== undefined) return inSymbol;

  throw new UserError(
    maySymbol
      ? `no trade has the id or the symbol "${name}"; pass "last" for the latest trade`
      : `there is no trade with the id "${name}"; pass "last" for the latest trade, or symbol=${name} for those in a symbol`,
  );
}

// Adds trades to a group of the user's own.

interface Group {
  id: string;
  kind: string;
}

/**
 * The id of the group with a name or id, created if missing. Its dates and status follow
 * from its trades, including the new ones. The caller sets the trades' group_id.
 * @param kind undefined: custom for a new group, else unchanged
 * @throws UserError if the trades have several currencies, or several groups have the
 * name
 */
function joinGroup(
  edit: Edit,
  name: string,
  ids: readonly string[],
  kind?: string,
): string {
  const { db, user } = edit;
  const found = db
    .prepare<string[], Group>(
      `SELECT id, kind FROM trade_groups
        WHERE user_id = ${TEXT} AND (id = ? OR name = ? COLLATE NOCASE)`,
    )
    .all(user.id, name, name);
  const group = found.find(({ id }) => id === name) ?? found[0];
  if (found.length > 1 && group?.id !== name) {
    throw new UserError(
      `several groups are named "${name}"; pass the id of one: ` +
        `${found.map(({ id }) => id).join(', ')}`,
    );
  }

  const table = new LegGroupTable(db, user.id, edit.now);
  const all = [
    ...(group ? table.ofGroup(group.id) : []),
    ...ids.flatMap((id) => table.find(id) ?? []),
  ];
  const legs = [...new Map(all.map((leg) => [leg.id, leg])).values()];
  const currencies = new Set(legs.map(({ currency }) => currency));
  if (currencies.size > 1) {
    throw new UserError(
      `the trades of "${name}" have several currencies (${[...currencies].join(', ')}); ` +
        'group trades of one',
    );
  }

  const id = group?.id ?? freeId(edit, name);
  // A group that an import found keeps its name and strategy.
  const facts = group?.kind === 'multi_leg' ? {} : factsOf(legs, kind);
  const values: Values = {
    kind: kind ?? group?.kind ?? 'custom',
    ...facts,
    ...datesOf(legs),
  };
  const given = group ? values : { ...values, name };
  // A known group keeps its name; if its line goes, this one has made it.
  edit.put(tradeGroups, { id, ...given }, { ...values, 'name?': name });

  return id;
}

function factsOf(legs: readonly LegTrade[], kind: string | undefined) {
  const shared = <T>(values: readonly T[]) =>
    new Set(values).size === 1 ? (values[0] as T) : null;
  const underlying = shared(legs.map(({ underlying, symbol }) => underlying ?? symbol));
  const market = shared(legs.map((leg) => leg.market));
  const isSpread = kind === 'multi_leg' && market === 'option' && underlying !== null;

  return {
    underlying,
    market: market ?? 'other',
    currency: legs[0]?.currency,
    ...(isSpread && { strategy: strategyOf(legs), initial_risk: riskOf(legs) }),
  };
}

function freeId(edit: Edit, name: string): string {
  const plain = `group:${name.replaceAll(/[^A-Za-z0-9._~-]+/g, '-').slice(0, 100)}`;
  let id = plain;
  for (let number = 2; edit.find(tradeGroups, id); number++) id = `${plain}-${number}`;
  return id;
}

// Adds trades to a group or removes them, and updates the groups that they leave.

/**
 * @param ids of trades, or of groups for all their trades
 * @param kind undefined: custom for a new group, else unchanged
 * @returns ids of groups without trades that stay for the user's text
 */
export function groupTrades(
  edit: Edit,
  name: string,
  ids: readonly string[],
  kind?: string,
): string[] {
  const table = new LegGroupTable(edit.db, edit.user.id, edit.now);
  const legs = legsOf(table, ids);
  const left = groupsOf(table, legs);
  const group = joinGroup(
    edit,
    name,
    legs.map(({ id }) => id),
    kind,
  );
  if (new Set([...legs, ...table.ofGroup(group)].map(({ id }) => id)).size < 2) {
    throw new UserError(`a group needs at least 2 trades; add trades to "${name}"`);
  }

  for (const { id, group_id } of legs)
    if (group_id !== group) edit.put(trades, { id, group_id: group });
  left.delete(group);
  return settle(edit, table, left);
}

/**
 * @param ids of trades, or of groups for all their trades
 * @returns ids of groups without trades that stay for the user's text
 */
export function ungroupTrades(edit: Edit, ids: readonly string[]): string[] {
  const table = new LegGroupTable(edit.db, edit.user.id, edit.now);
  const legs = legsOf(table, ids);
  const alone = legs.find(({ group_id }) => group_id === null);
  if (alone) throw new UserError(`trade ${alone.id} isn't in a group; omit it`);
  const left = groupsOf(table, legs);
  for (const { id } of legs) edit.put(trades, { id, group_id: null });
  return settle(edit, table, left);
}

function legsOf(table: LegGroupTable, ids: readonly string[]): LegTrade[] {
  const legs = ids.flatMap((id) => {
    const trade = table.find(id);
    const legs = trade ? [trade] : table.ofGroup(id);
    if (legs.length > 0) return legs;
    throw new UserError(
      `no trade, and no group with trades, has the id "${id}"; ` +
        'find ids with "journal-api get trades"',
    );
  });
  return [...new Map(legs.map((leg) => [leg.id, leg])).values()];
}

function groupsOf(
  table: LegGroupTable,
  legs: readonly LegTrade[],
): Map<string, LegTrade[]> {
  const ids = new Set(legs.flatMap(({ group_id }) => group_id ?? []));
  return new Map([...ids].map((id) => [id, table.ofGroup(id)]));
}

const EMPTY: ReadonlySet<string> = new Set(['null', '[]', '{}']);

/**
 * Updates groups to their remaining trades. A group found by an import dissolves if only
 * one trade remains.
 */
function settle(
  edit: Edit,
  table: LegGroupTable,
  groups: ReadonlyMap<string, readonly LegTrade[]>,
): string[] {
  const kept: string[] = [];
  for (const [id, before] of groups) {
    const group = edit.find(tradeGroups, id);
    const legs = table.ofGroup(id);
    const isWritten =
      fieldsOfGroup().some((name) => !EMPTY.has(JSON.stringify(group?.[name] ?? null))) ||
      table.hasJournals(id);
    const [only] = legs;
    const isDissolved =
      legs.length === 0 || (legs.length === 1 && only?.found === id && !isWritten);
    if (!isDissolved) {
      const isCurrent = Object.entries(datesOf(before)).every(([name, value]) =>
        same(group?.[name], value),
      );
      if (isCurrent) edit.put(tradeGroups, { id, ...datesOf(legs) });
      continue;
    }

    if (only) edit.put(trades, { id: only.id, group_id: null });
    if (isWritten) kept.push(id);
    else edit.remove(tradeGroups, id);
  }

  return kept;
}
