/** Times without a zone in files of platforms that always write one, or whose files imply it. */
import { describe, expect, test } from 'vitest';
import { pathOf } from './exports.ts';
import { ImportHome } from './home.ts';

const homeOf = () => new ImportHome().withUser('me', { timezone: 'Europe/Rome' });
const firstOf = (home: ImportHome) =>
  home.rows('SELECT min(executed_at) AS at FROM trades')[0]?.['at'];

const EXPORTS = [
  ['made-up trading212/export.csv'],
  ['made-up etoro/etoro-account-statement.xlsx'],
];

describe.each(EXPORTS)('%s', (label) => {
  test('is in UTC, unless --timezone names another zone', () => {
    const [own, utc, typed] = [homeOf(), homeOf(), homeOf()];
    own.import(pathOf(label));
    utc.import(pathOf(label), { timeZone: 'UTC' });
    typed.import(pathOf(label), { timeZone: 'Asia/Tokyo' });
    expect(firstOf(own)).toBe(firstOf(utc));
    expect(firstOf(own)).not.toBe(firstOf(typed));
    expect(own.notes.join()).toContain('using UTC, that of');
  });
});

describe('a statement of thinkorswim', () => {
  const statement = (
    begins: string,
  ) => `Account Statement for 1 since 11/20/26 through 11/20/26

Cash Balance
DATE,TIME,TYPE,REF #,DESCRIPTION,Misc Fees,Commissions & Fees,AMOUNT,BALANCE
${begins},BAL,,Cash balance at the start of business day 20.11 CST,,,,"1,000.00"
11/20/26,09:31:05,TRD,="1",BOT +10 ABC @10.00,,,-100.00,900.00

Account Trade History
,Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Order Type
,11/20/26 09:31:05,STOCK,BUY,+10,TO OPEN,ABC,,,STOCK,10.00,10.00,MKT
`;

  test.each([
    ['11/20/26,01:00:00', 'America/New_York', '2026-11-20T14:31:05.000Z'],
    ['11/20/26,00:00:00', 'America/Chicago', '2026-11-20T15:31:05.000Z'],
    ['11/19/26,22:00:00', 'America/Los_Angeles', '2026-11-20T17:31:05.000Z'],
    // No zone that is known here: the user's.
    ['11/20/26,06:30:00', 'Europe/Rome', '2026-11-20T08:31:05.000Z'],
    ['11/20/26,07:00:00', 'Europe/Rome', '2026-11-20T08:31:05.000Z'],
  ])('whose business day begins at %s is in %s', (begins, zone, at) => {
    const home = homeOf();
    home.import(home.file('statement.csv', statement(begins)));
    expect(firstOf(home)).toBe(at);
    expect(home.notes.join()).toContain(`using ${zone}, `);
  });

  test.each([
    ['11/20/26,01:00:00', 'shows its zone', false],
    ['11/20/26,06:30:00', 'shows none', true],
  ])(
    'whose business day begins at %s %s: noticed for a user without one %s',
    (begins, _, isNoticed) => {
      const home = new ImportHome().withUser();
      const { notices } = home.import(home.file('statement.csv', statement(begins)));
      const codes = notices.map(({ code }) => code);
      expect(codes.includes('assumed_zone')).toBe(isNoticed);
    },
  );

  test('is in the zone of --timezone', () => {
    const home = homeOf();
    home.import(home.file('statement.csv', statement('11/20/26,01:00:00')), {
      timeZone: 'UTC',
    });
    expect(firstOf(home)).toBe('2026-11-20T09:31:05.000Z');
  });
});
