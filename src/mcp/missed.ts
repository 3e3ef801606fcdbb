/** Figures of missed trades, which no figure of trades taken includes. */
import { MISSED_GROUPS } from '../journal/analytics/missed.ts';
import { type Api, type Me, type Query, ToolError } from './api.ts';
import { datesForFigures } from './arguments.ts';
import { compactRecord, rowsOf, table } from './compact.ts';
import { fittedOrError } from './fit.ts';
import { only } from './groups.ts';
import { withDates, withHints } from './tool.ts';

/** Arguments besides group_by, unit and kind. */
const TAKES: readonly string[] = ['period', 'start', 'end', ...MISSED_GROUPS];

interface Given {
  kind?: 'missed' | undefined;
  miss_type?: string | undefined;
  group_by?: readonly string[] | undefined;
  unit?: unknown;
}

/** Whether a call is about missed trades: only they have a miss_type. */
export function isOfMissed({ kind, miss_type, group_by = [] }: Given): boolean {
  return kind === 'missed' || miss_type !== undefined || group_by.includes('miss_type');
}

/** @throws ToolError for arguments that missed trades don't have */
export async function missedFigures(given: Given, api: Api): Promise<object> {
  const { kind: _, unit: __, group_by = [], ...others } = given;
  const isGroup = (name: string) => (MISSED_GROUPS as readonly string[]).includes(name);
  const sent = Object.entries(others).filter(([, value]) => value !== undefined);
  const unknown = [
    ...sent.map(([name]) => name).filter((name) => !TAKES.includes(name)),
    ...group_by.filter((name) => !isGroup(name)),
  ];
  if (unknown.length > 0)
    throw new ToolError(
      `missed trades have no ${unknown.join(', ')}; filters and group_by: ${MISSED_GROUPS.join(', ')}`,
    );

  const { period, start, end, ...filters } = Object.fromEntries(sent);
  const query: Query = { ...filters, ...datesForFigures({ period, start, end }) };
  const data = await api.data('/v1/analytics/missed-trades', {
    ...query,
    group_by: group_by.length > 0 ? group_by.join(',') : undefined,
  });
  const { groups, period: days = null, hint: _hint, ...figures } = withDates(data);
  const { timezone, base_currency } = (await api.me()).user;
  const counts = hypothetical(base_currency);
  const hints = withHints(data, [
    figures['count'] === 0 ? await whereTheyAre(api) : undefined,
  ]);
  const missed = figures['count'] === 0 ? { count: 0 } : figures;

  return fittedOrError(timezone, (how) => ({
    ...compactRecord({ ...hints, period: days, missed, counts }, how),
    ...(groups && {
      groups: table(
        rowsOf(groups).map((row) => only(Object.keys(figures), row)),
        how,
      ),
    }),
  }));
}

/** P&L counts only in the base currency: rates are for trades. */
const hypothetical = (currency: string) =>
  `trades not taken, hypothetical results, P&L of those in ${currency}; in no other figure`;

/** When missed trades were, if a period has none. */
async function whereTheyAre(api: Api): Promise<string | undefined> {
  const { extent } = await api.data<Me>('/v1/me');
  const days = extent['missed-trades'];
  return days
    ? `no such missed trades; the journal's are from ${days.first} to ${days.last}`
    : undefined;
}
