/**
 * A trader with planted habits: fourteen months in Tokyo, where the day starts at 15:00 UTC. Each trade keeps the facts of the loop that
 * made it, independent of times and sums, so that responses can be compared with them.
 */
import { entry, trade } from './fill.ts';
import type { Entry, Group, Journal, Session, Trade } from './reference.ts';

/** Planted facts of a trade. */
export interface Planted {
  id: string;
  account: string;
  /** In hundredths of the base currency. */
  cents: number;
  date: string;
  weekday: number;
  after: string;
  sinceLoss: string | null;
  ofDay: string;
  size: string;
  sleep: string;
  followedPlan: boolean;
  emotion: string;
  rule: string;
  setup: string;
  symbol: string;
  /** Only some trades have labels. */
  isLabelled: boolean;
  groupId: string | null;
}

const MINUTE = 60_000;

/** A linear congruential generator (Numerical Recipes): the same trader each time. */
function generator(): () => number {
  let state = 20_261_120;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

export interface PlantedJournal {
  journal: Journal;
  planted: Planted[];
}

export function plantedJournal(): PlantedJournal {
  const random = generator();
  const planted: Planted[] = [];
  const trades: Trade[] = [];
  const entries: Entry[] = [];
  const sessions: Session[] = [];
  const groups: Group[] = [];

  /** Adds a trade and returns its closing time. */
  function add(
    facts: Omit<Planted, 'id' | 'date' | 'weekday'>,
    day: number,
    enteredAt: number,
    more: Partial<Trade>,
  ) {
    const id = `t${String(planted.length).padStart(4, '0')}`;
    const isWin = facts.cents > 0;
    // Losers are held three times as long.
    const closedAt = enteredAt + (isWin ? 4 : 12) * MINUTE;
    const rate = more.fx_rate ?? 1;
    const fees = 1.5;
    planted.push({ id, date: dateOf(day), weekday: ((day + 3) % 7) + 1, ...facts });
    trades.push(
      trade(id, {
        ...{
          account: facts.account,
          symbol: facts.symbol,
          setup: facts.setup,
          market: 'future',
          initial_risk: 100,
        },
        ...{
          executed_at: new Date(enteredAt).toISOString(),
          closed_at: new Date(closedAt).toISOString(),
        },
        ...{
          gross_pnl: facts.cents / 100 / rate + fees,
          fees,
          mistakes: facts.isLabelled ? ['revenge'] : [],
        },
        ...more,
      }),
    );
    const [rule, answer] = facts.rule.split(': ') as [string, string];
    const rules = [{ rule, followed: answer === 'kept' }];
    entries.push(
      entry(`j${id}`, id, {
        emotions: [facts.emotion],
        rules,
        followed_plan: facts.followedPlan,
      }),
    );
    return closedAt;
  }

  for (let day = 20_179; day < 20_179 + 426; day += 2) {
    const weekday = ((day + 3) % 7) + 1;
    if (weekday > 5) continue;
    const open = day * 86_400_000 - 9 * 60 * MINUTE + 8.5 * 60 * MINUTE;
    const isTired = random() < 0.25;
    const followedPlan = random() < 0.7;
    const habits = {
      sleep: isTired ? 'under_6h' : '7h_to_8h',
      followedPlan,
      groupId: null,
    };
    const session = {
      mood: isTired ? 'tired' : 'fresh',
      energy: isTired ? 2 : 4,
      sleep_hours: isTired ? 5.5 : 7.5,
    };
    sessions.push({
      id: `s${day}`,
      date: dateOf(day),
      started_at: null,
      ...session,
      followed_plan: followedPlan,
    });

    let at = open;
    let losses = 0;
    let lastLoss: number | null = null;
    let after = 'none';
    const inAll = 2 + Math.floor(random() * 10);
    for (let i = 1; i <= inAll; i++) {
      const isRevenge = losses > 0 && random() < 0.5;
      const isOversized = isRevenge && random() < 0.6;
      at += isRevenge ? 3 * MINUTE : 15 * MINUTE;
      const broken = isOversized || random() < 0.15;
      const isBad =
        isRevenge || weekday === 5 || i >= 8 || isTired || !followedPlan || broken;
      const isWin = random() < (isBad ? 0.3 : 0.62);
      const cents = Math.round(
        (isWin ? 4000 : -3000) * (0.5 + random()) * (isOversized ? 4 : 1),
      );
      const facts = {
        ...{ ...habits, account: 'main', cents, after, ofDay: i < 10 ? `${i}` : '10+' },
        sinceLoss: lastLoss === null ? null : stepOf((at - lastLoss) / MINUTE),
        size: isOversized ? 'over_3x' : 'half_to_1.5x',
        emotion: isRevenge ? 'angry' : 'calm',
        rule: `normal size: ${broken ? 'broken' : 'kept'}`,
        setup: random() < 0.5 ? 'opening range' : 'pullback',
        symbol: i % 3 === 0 ? 'MES' : 'MNQ',
        isLabelled: isRevenge && random() < 0.4,
      };
      const closedAt = add(facts, day, at, {
        account: i % 4 === 0 ? 'Main' : 'main',
        quantity: isOversized ? 8 : 2,
      });
      losses = isWin ? 0 : losses + 1;
      after = isWin ? 'win' : losses > 1 ? 'losses' : 'loss';
      if (!isWin) lastLoss = closedAt;
      at = closedAt;
    }

    // In another account, with a loss in between, which doesn't affect the first account.
    const calm = {
      ...habits,
      after: 'none',
      sinceLoss: null,
      ofDay: '1',
      size: 'half_to_1.5x',
      isLabelled: false,
    };
    const noted = { emotion: 'calm', rule: 'normal size: kept' };
    const euro = {
      ...calm,
      ...noted,
      account: 'euro',
      setup: 'swing',
      symbol: 'SAP',
      cents: random() < 0.5 ? 1100 : -2200,
    };
    add(euro, day, open + 10 * MINUTE, {
      market: 'stock',
      currency: 'EUR',
      fx_rate: 1.1,
    });
    if (day % 3 === 0) {
      const groupId = `g${day}`;
      const strategy = random() < 0.5 ? 'iron condor' : 'vertical';
      groups.push({
        id: groupId,
        underlying: 'SPX',
        strategy,
        market: 'option',
        currency: 'USD',
        initial_risk: 500,
        tags: [],
      });
      const legs = strategy === 'vertical' ? [2000, -4500] : [1500, 1500, -800, -700];
      for (const [i, cents] of legs.entries()) {
        const leg = {
          ...calm,
          ...noted,
          account: 'options',
          setup: strategy,
          symbol: `SPX${i}`,
          cents,
          groupId,
        };
        add(leg, day, open + 20 * MINUTE, {
          market: 'option',
          underlying: 'SPX',
          group_id: groupId,
        });
      }
    }
  }
  const person = {
    timezone: 'Asia/Tokyo',
    base_currency: 'USD',
    starting_balance: 25_000,
    breakeven_tolerance: 0,
  };
  return {
    planted,
    journal: { person, trades, entries, sessions, groups, groupEntries: [], missed: [] },
  };
}

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

function stepOf(minutes: number): string {
  if (minutes < 10) return 'under_10m';
  if (minutes < 15) return '10m_to_15m';
  if (minutes < 30) return '15m_to_30m';
  return minutes < 120 ? '30m_to_2h' : 'over_2h';
}
