/** Names of positions: as a trader says them, from the facts of their legs. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GROUP_KINDS } from '../../src/journal/resources/trade-groups.ts';
import {
  isNameOfImport,
  type NamedLeg,
  namesOf,
  positionName,
  STRATEGIES,
} from '../../src/journal/strategies.ts';

/** An option, such as "2026-06-19 540 P"; else a symbol. */
function leg(text: string, underlying: string): NamedLeg {
  const [, expiration, strike, type] = /^(\S+) (\S+) ([CP])$/.exec(text) ?? [];
  if (type === undefined)
    return {
      symbol: text,
      underlying: null,
      expiration: null,
      strike: null,
      option_type: null,
    };
  return {
    symbol: `${underlying} ${expiration} ${type}${strike}`,
    underlying,
    expiration: expiration as string,
    strike: Number(strike),
    option_type: type === 'C' ? 'call' : 'put',
  };
}

const JUN = '2026-06-19';
const JUL = '2026-07-17';
const STRIKES = [510, 520, 530, 540, 550, 560, 570];

const CASES: [
  name: string,
  underlying: string,
  kind: string,
  strategy: string | null,
  legs: string[],
][] = [
  ['HOOD 2026-05-15 145 call', 'HOOD', 'trade', null, ['2026-05-15 145 C']],
  ['SPXW 2026-06-19 5950.5 put', 'SPXW', 'trade', null, [`${JUN} 5950.5 P`]],
  ['AAPL', 'AAPL', 'trade', null, ['AAPL']],
  ['MNQM6', 'MNQ', 'trade', null, ['MNQM6']],
  [
    'SPY 2026-06-19 iron condor 540/545/560/565',
    'SPY',
    'multi_leg',
    'iron condor',
    [`${JUN} 540 P`, `${JUN} 545 P`, `${JUN} 560 C`, `${JUN} 565 C`],
  ],
  [
    'SPY 2026-06-19 iron condor 540/545/560/565',
    'SPY',
    'multi_leg',
    'iron condor',
    [`${JUN} 565 C`, `${JUN} 545 P`, `${JUN} 540 P`, `${JUN} 560 C`],
  ],
  [
    'SPX 2026-06-19 iron butterfly 5900/5950/6000',
    'SPX',
    'multi_leg',
    'iron butterfly',
    [`${JUN} 5900 P`, `${JUN} 5950 P`, `${JUN} 5950 C`, `${JUN} 6000 C`],
  ],
  [
    'AMD 2026-06-19 put vertical 155/160',
    'AMD',
    'multi_leg',
    'vertical',
    [`${JUN} 160 P`, `${JUN} 155 P`],
  ],
  [
    'META 2026-06-19 call vertical 715/720',
    'META',
    'multi_leg',
    'vertical',
    [`${JUN} 715 C`, `${JUN} 720 C`],
  ],
  [
    'F 2026-06-19 put vertical 9.5/10',
    'F',
    'multi_leg',
    'vertical',
    [`${JUN} 9.5 P`, `${JUN} 10 P`],
  ],
  [
    'QQQ 2026-06-19 put ratio 470/480',
    'QQQ',
    'multi_leg',
    'ratio',
    [`${JUN} 480 P`, `${JUN} 470 P`],
  ],
  [
    'IWM 2026-06-19/2026-07-17 put calendar 210',
    'IWM',
    'multi_leg',
    'calendar',
    [`${JUL} 210 P`, `${JUN} 210 P`],
  ],
  [
    'IWM 2026-06-19/2026-07-17 call diagonal 220/215',
    'IWM',
    'multi_leg',
    'diagonal',
    [`${JUN} 220 C`, `${JUL} 215 C`],
  ],
  [
    'TSLA 2026-06-19 straddle 300',
    'TSLA',
    'multi_leg',
    'straddle',
    [`${JUN} 300 P`, `${JUN} 300 C`],
  ],
  [
    'TSLA 2026-06-19 strangle 280/320',
    'TSLA',
    'multi_leg',
    'strangle',
    [`${JUN} 280 P`, `${JUN} 320 C`],
  ],
  [
    'NVDA 2026-06-19 call butterfly 120/125/130',
    'NVDA',
    'multi_leg',
    'butterfly',
    [`${JUN} 120 C`, `${JUN} 125 C`, `${JUN} 130 C`],
  ],
  [
    'NVDA 2026-06-19 put butterfly 110/115/120',
    'NVDA',
    'multi_leg',
    'butterfly',
    [`${JUN} 110 P`, `${JUN} 115 P`, `${JUN} 120 P`],
  ],
  [
    'KO 2026-06-19 covered call 70',
    'KO',
    'multi_leg',
    'covered call',
    ['KO', `${JUN} 70 C`],
  ],
  ['KO 2026-06-19 2 legs 65', 'KO', 'multi_leg', 'custom', ['KO', `${JUN} 65 P`]],
  [
    'SPY 2026-06-19 3 put legs 540/545/550',
    'SPY',
    'multi_leg',
    'custom',
    [`${JUN} 550 P`, `${JUN} 545 P`, `${JUN} 540 P`],
  ],
  [
    'SPY 2026-06-19 3 legs 540/545/560',
    'SPY',
    'multi_leg',
    null,
    [`${JUN} 540 P`, `${JUN} 545 P`, `${JUN} 560 C`],
  ],
  [
    '/ESM6 2026-06-19 strangle 5400/6200',
    '/ESM6',
    'multi_leg',
    'strangle',
    [`${JUN} 5400 P`, `${JUN} 6200 C`],
  ],
  [
    'SPY 2026-06-19 broken wing put butterfly 530/545/550',
    'SPY',
    'multi_leg',
    'broken wing put butterfly',
    [`${JUN} 530 P`, `${JUN} 545 P`, `${JUN} 550 P`],
  ],
  [
    'SPY 2026-06-19 jade lizard 530/560/565',
    'SPY',
    'multi_leg',
    'jade lizard',
    [`${JUN} 530 P`, `${JUN} 560 C`, `${JUN} 565 C`],
  ],
  [
    'SPY 2026-06-19 call backspread 560/565',
    'SPY',
    'multi_leg',
    'backspread',
    [`${JUN} 560 C`, `${JUN} 565 C`],
  ],
  [
    'SPY 2026-06-19/2026-07-17 put rolled 540/535',
    'SPY',
    'rolled',
    null,
    [`${JUN} 540 P`, `${JUL} 535 P`],
  ],
  ['SPY 2026-06-19 hedge 540', 'SPY', 'hedge', null, ['SPY', `${JUN} 540 P`]],
  ['AAPL scaled', 'AAPL', 'scaled', null, ['AAPL', 'AAPL', 'AAPL']],
  ['KO pair', 'KO', 'custom', 'pair', ['KO', 'PEP']],
  [
    'SPY 2026-06-19 put ladder 510/…/570',
    'SPY',
    'custom',
    'ladder',
    STRIKES.map((strike) => `${JUN} ${strike} P`),
  ],
  ['SPY 1 leg', 'SPY', 'multi_leg', null, ['SPY']],
  ['SPY 0 legs', 'SPY', 'multi_leg', null, []],
];

test.each(CASES)('%s', (name, underlying, kind, strategy, texts) => {
  const legs = texts.map((text) => leg(text, underlying));
  expect(positionName({ kind, underlying, strategy, legs })).toBe(name);
});

test('without an underlying of its own, a group is named after its legs', () => {
  const legs = ['KO', 'PEP', 'KO'].map((text) => leg(text, text));
  const group = { kind: 'custom', underlying: null, strategy: 'pair', legs };
  expect(positionName(group)).toBe('KO/PEP pair');
});

describe('a name of the trader stays, and the other one describes it', () => {
  const legs = [leg(`${JUN} 155 P`, 'AMD'), leg(`${JUN} 160 P`, 'AMD')];
  const group = { kind: 'multi_leg', underlying: 'AMD', strategy: 'vertical', legs };
  const name = 'AMD 2026-06-19 put vertical 155/160';

  test.each([
    ['', name, null],
    [name, name, null],
    // Imports of this and of older versions made these, perhaps before a leg came or went.
    ['AMD 2026-06-19 iron condor 150/155/160/165', name, null],
    ['AMD 2026-06-19/2026-07-17 put calendar 155', name, null],
    ['AMD 19 Jun 2026 155/160 put vertical', name, null],
    ['AMD 19 Jun 2026/17 Jul 2026 155 call calendar', name, null],
    ['AMD 5 Jun 2026 160 short straddle', name, null],
    ['AMD 5 Jun 2026 3 legs', name, null],
    ['Earnings lotto', 'Earnings lotto', name],
    ['AMD put vertical', 'AMD put vertical', name],
    [
      'AMD 2026-06-19 put vertical 155/160, too big',
      'AMD 2026-06-19 put vertical 155/160, too big',
      name,
    ],
    ['My AMD trade of 19 Jun 2026', 'My AMD trade of 19 Jun 2026', name],
  ])('%s', (stored, shown, description) => {
    expect(namesOf(stored, group)).toEqual({ name: shown, description });
  });
});

test('what an import names is known to be its own', () => {
  const option = fc.tuple(
    fc.constantFrom(JUN, JUL, '2027-01-15'),
    fc.integer({ min: 1, max: 20_000 }).map((cents) => cents / 4),
    fc.constantFrom('C', 'P'),
  );
  const legs = fc.array(
    option.map(([day, strike, type]) => leg(`${day} ${strike} ${type}`, 'BRK.B')),
    { minLength: 1, maxLength: 9 },
  );
  const strategy = fc.constantFrom(...STRATEGIES);
  fc.assert(
    fc.property(legs, strategy, (legs, strategy) => {
      const name = positionName({
        kind: 'multi_leg',
        underlying: 'BRK.B',
        strategy,
        legs,
      });
      expect(isNameOfImport(name)).toBe(true);
    }),
  );
});

test('every kind of group has a name without a strategy', () => {
  for (const kind of GROUP_KINDS) {
    const name = positionName({
      kind,
      underlying: 'KO',
      strategy: null,
      legs: [leg('KO', 'KO')],
    });
    expect(name).toMatch(/^KO (1 leg|scaled|rolled|hedge)$/);
  }
});
