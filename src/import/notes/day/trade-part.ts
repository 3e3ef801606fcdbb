/** The part of a note about one trade: its name, facts to compare with the fills, and fields to store. */
import { parseLocal } from '../../../time.ts';
import type { NotedClues, NotedFigure, NotedMissed, NotedTrade } from '../../fills/reading.ts';
import { figureIn } from '../../parse/numbers.ts';
import { missTypeOf, outcomeOf, Section } from './section.ts';
import { clockIn, clockText, dateIn } from './times.ts';
import type { Title } from './titles.ts';
import { rIn } from './values.ts';

export class TradePart extends Section {
  readonly title: Title | undefined;
  readonly level: number;

  /** @param level of its heading; bullets and rows have the highest */
  constructor(scope: 'trade' | 'missed', file: string, line: number, title: Title | undefined, level: number) {
    super(scope, file, line);
    this.title = title;
    this.level = level;
    if (title && title.rest !== '' && title.id === undefined) this.addText(this.ownText, title.rest, line);
  }

  /** @param day of the note, for times without a date */
  clues(day: string | undefined, zone: string): NotedClues {
    const fact = (name: string) => this.facts.get(name)?.text;
    const own = dateIn(fact('date') ?? '') ?? dateIn(fact('time') ?? '');
    const date = own && 'date' in own ? own.date : day;
    const clock = clockIn(fact('time') ?? '')?.clock ?? clockIn(fact('date') ?? '')?.clock ?? this.title?.clock;
    const at = clock && date !== undefined ? parseLocal(`${date} ${clockText(clock)}`, clock.zone ?? zone) : undefined;
    const number = Number(/\d{1,3}/.exec(fact('number') ?? '')?.[0] ?? this.title?.number ?? Number.NaN);
    return {
      id: this.title?.id,
      symbol: symbolIn(fact('symbol')) ?? this.title?.symbol,
      side: sideIn(fact('side')) ?? this.title?.side,
      at,
      day: date,
      entryPrice: figureIn(fact('entry') ?? ''),
      number: Number.isInteger(number) ? number : undefined,
    };
  }

  /** Whether it names a trade: by id, by time with symbol or side, or by symbol and day. */
  isNamed({ id, symbol, side, at, number, day }: NotedClues, needsTime: boolean): boolean {
    if (id !== undefined) return true;
    if (at !== undefined) return symbol !== undefined || side !== undefined;
    return symbol !== undefined && day !== undefined && (!needsTime || number !== undefined);
  }

  noted(clues: NotedClues): NotedTrade {
    const fields = this.fields();
    return { ...fields, line: this.line, clues, figures: this.#figures(), attachments: this.attachments };
  }

  #figures(): NotedFigure[] {
    const found: NotedFigure[] = [];
    const add = (field: NotedFigure['field'], name: string, read = figureIn) => {
      const fact = this.facts.get(name);
      const figure = fact && read(fact.text);
      if (fact && figure) found.push({ field, figure, line: fact.line });
    };
    add('entry_price', 'entry');
    add('exit_price', 'exit');
    add('quantity', 'quantity');
    add('net_pnl', 'pnl');
    add('r_multiple', 'r', rIn);
    return found;
  }

  /** @returns undefined without a symbol, a side and a time */
  missed({ at, symbol, side }: NotedClues): NotedMissed | undefined {
    if (at === undefined || symbol === undefined || side === undefined) return undefined;
    const { values, lines } = this.fields();
    const reason = values['reason'];
    return {
      values: {
        ...values,
        miss_type: values['miss_type'] ?? missTypeOf(typeof reason === 'string' ? reason : ''),
        hypothetical_outcome: values['hypothetical_outcome'] ?? outcomeOf(values),
      },
      lines,
      line: this.line,
      missedAt: new Date(at).toISOString(),
      symbol,
      side,
    };
  }
}

function symbolIn(text: string | undefined): string | undefined {
  const symbol = text?.trim().replace(/^[$/#]/, '');
  return symbol !== undefined && /^[\p{L}\p{N}./_!:-][\p{L}\p{N}./_!: -]{0,40}$/u.test(symbol) ? symbol : undefined;
}

/** Undefined for LONG / SHORT, as in templates. */
function sideIn(text = ''): string | undefined {
  const isLong = /\b(?:long|buy|bought)\b/i.test(text);
  const isShort = /\b(?:short|sell|sold)\b/i.test(text);
  return isLong === isShort ? undefined : isLong ? 'long' : 'short';
}
