/** Sections to append for trades missing in a note. */
import { RowError } from '../../../errors.ts';
import type { NotedTrade } from '../../fills/reading.ts';
import type { TradeFinder } from '../../write/find-trade.ts';
import type { StoredDay } from '../../write/stored-day.ts';
import { printTrade } from './print-day.ts';
import { readDayNote } from './read-days.ts';

/**
 * @param text of the existing note
 * @returns the text to append; undefined if sections at its end wouldn't be read as such
 */
export function sectionsFor(
  text: string,
  day: StoredDay,
  zone: string,
  finder: TradeFinder,
): { text: string; trades: number } | undefined {
  const tradesIn = (own: string) => {
    const note = { file: '', path: `${day.date}.md`, text: own };
    return readDayNote(note, { zone }).days.flatMap(({ trades }) => trades);
  };
  const named = new Set(tradesIn(text).map((trade) => idOf(trade, finder)));
  const lacking = day.trades.filter(({ id }) => !named.has(id));
  const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  const added = `${gap}${lacking.map((trade) => printTrade(trade, day.date, zone)).join('\n')}`;
  if (lacking.length === 0) return { text: '', trades: 0 };
  const after = new Set(tradesIn(text + added).map(({ clues }) => clues.id));
  return lacking.every(({ id }) => after.has(id)) ? { text: added, trades: lacking.length } : undefined;
}

function idOf({ clues }: NotedTrade, finder: TradeFinder): string | undefined {
  try {
    return finder.find(clues).id;
  } catch (error) {
    if (error instanceof RowError) return undefined;
    throw error;
  }
}
