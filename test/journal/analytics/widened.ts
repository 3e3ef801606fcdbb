/** Random journals with enough trades for figures that need many: each trade repeated, an hour later each time. */
import type fc from 'fast-check';
import { type Question, question } from './journals.ts';
import type { Chosen, Journal } from './reference.ts';

interface Wide {
  journal: Journal;
  /** A third of the requests has filters. */
  chosen: Chosen;
  query: URLSearchParams;
}

/** @param least minimum closed trades, unless there are none */
export function wideQuestion(least: number, section: string): fc.Arbitrary<Wide> {
  const isClosed = ({ journal }: Question) =>
    journal.trades.some(({ closed_at }) => closed_at !== null);
  return question.filter(isClosed).map(({ journal, filters, where, unit }) => {
    const isFiltered = journal.trades.length % 3 === 0;
    const chosen: Chosen = isFiltered
      ? { filters, where, unit }
      : { filters: {}, where: undefined, unit };
    const condition = chosen.where && { where: JSON.stringify(chosen.where) };
    return {
      journal: widened(journal, isFiltered ? 2 * least : least),
      chosen,
      query: new URLSearchParams({
        ...chosen.filters,
        ...condition,
        unit,
        sections: section,
      }),
    };
  });
}

function widened(journal: Journal, least: number): Journal {
  const closed = journal.trades.filter(({ closed_at }) => closed_at !== null);
  const times = Math.ceil(least / closed.length);
  const copies = Array.from({ length: times }, (_, i) =>
    closed.map((trade) => ({
      ...trade,
      id: `${trade.id}.${i}`,
      executed_at: later(trade.executed_at, i),
      closed_at: later(trade.closed_at as string, i),
      group_id: i > 0 ? null : trade.group_id,
    })),
  );
  return { ...journal, trades: [...journal.trades, ...copies.flat()] };
}

const later = (at: string, hours: number) =>
  new Date(Date.parse(at) + hours * 3_600_000).toISOString();
