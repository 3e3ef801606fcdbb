/** `summary`: the API's figures and pictures of them in a terminal. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  calendarLines,
  curveLines,
  painterFor,
  resultsOf,
} from '../../src/commands/shared/pictures.ts';
import { generateKeyId } from '../../src/keys/format.ts';
import { formatsOf } from '../../src/web/format.ts';
import { setRules } from '../account-limits.ts';
import { addRecord, addUnmatched, tradeRow, World } from '../helpers.ts';
import { run, runHere } from '../program.ts';

let world: World;
let home: string[];

beforeEach(() => {
  world = new World({ timezone: 'America/New_York' });
  // The program uses the real clock.
  world.now = Date.now();
  home = ['--home', world.files.home];
});

/** A trade that closed at noon in New York, a number of days ago. */
function trade(id: string, daysAgo: number, net: number): void {
  const at = new Date(world.now - daysAgo * 86_400_000)
    .toISOString()
    .replace(/T.*/, 'T17:00:00.000Z');
  world.insert(
    'trades',
    tradeRow(id, { executed_at: at, closed_at: at, gross_pnl: net }),
  );
}

const ENGLISH = { env: { LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' } };

describe('summary', () => {
  test("shows the API's figures, needs no key and leaves none", async () => {
    trade('t-1', 3, 250.5);
    trade('t-2', 2, -100);
    const { code, stdout, stderr } = await run(
      ['summary', '--period', '7d', ...home],
      ENGLISH,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/in USD, America\/New_York\n/);
    expect(stdout).toMatch(/^Realised P&L +\+\$150\.50$/m);
    expect(stdout).toMatch(/^Win rate +50% {3}95%: 9% to 91%$/m);
    expect(stdout).toMatch(/^Profit factor +2\.51$/m);
    expect(stdout).toMatch(/^Max drawdown +-\$100\.00$/m);
    expect(stdout).toContain('█');
    expect(stdout).not.toContain('\x1b');
    expect((await runHere(['key', 'list', '--json', ...home])).stdout.trim()).toBe('[]');
  });

  test('counts a spread as one unless asked for its legs', async () => {
    addRecord(
      world,
      'trade-groups',
      'g',
      new Date(world.now - 3 * 86_400_000).toISOString(),
    );
    trade('long', 3, 250.5);
    trade('short', 2, -100);
    world.db.exec(`UPDATE trades SET group_id = 'g'`);
    const by = async (...unit: string[]) =>
      (await runHere(['summary', '--period', '7d', ...unit, ...home])).stdout;
    const line = 'Legs of a spread count as one; --unit trade for legs.';
    expect(await by()).toMatch(/^Win rate +100%$/m);
    expect(await by()).toContain(`\n${line}\n`);
    expect(await by('--unit', 'trade')).toMatch(/^Win rate +50% /m);
    expect(await by('--unit', 'trade')).not.toContain(line);
    expect(JSON.parse(await by('--json')).data.performance.trades).toBe(1);
    const refused = await runHere(['summary', '--unit', 'leg', ...home]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('Allowed choices are trade, position.'),
    ]);
  });

  test('names what exits made, if closed trades made another amount', async () => {
    trade('t-1', 3, 250.5);
    const all = ['summary', '--period', '7d', ...home];
    expect((await run(all, ENGLISH)).stdout).not.toContain('Closed trades');
    trade('t-2', 2, 30);
    world.db.exec(`
      UPDATE trades SET status = 'open', closed_at = NULL, quantity = 2, open_quantity = 1 WHERE id = 't-2';
      INSERT INTO executions (user_id, trade_id, position, executed_at, side, quantity, price)
      SELECT user_id, id, 0, executed_at, 'buy', 2, 70 FROM trades WHERE id = 't-2'
      UNION ALL SELECT user_id, id, 1, executed_at, 'sell', 1, 100 FROM trades WHERE id = 't-2'`);
    const { stdout } = await run(all, ENGLISH);
    expect(stdout).toMatch(/^Realised P&L +\+\$280\.50$/m);
    expect(stdout).toContain('\nClosed trades: +$250.50; exits of open trades +$30.00\n');
  });

  test('lists closes without an opening, with the command that records it, also without a trade', async () => {
    const at = new Date(world.now - 2 * 86_400_000).toISOString();
    addUnmatched(world, 'ONDS', 18.3, at);
    const { code, stdout, stderr } = await run(
      ['summary', '--period', '7d', ...home],
      ENGLISH,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Realised P&L +\+\$18\.30$/m);
    expect(stdout).toContain('\nClosed trades: $0.00; unmatched closes +$18.30\n');
    expect(stdout).toMatch(
      /^Not reconciled: 1 unmatched close of ONDS: .*\n {2}journal-api fill "DATE TIME SIDE QUANTITY ONDS PRICE"$/m,
    );
  });

  test.each([
    [null, 'journal-api account rename "(none)" main'],
    ['my IBKR', "journal-api account set 'my IBKR' --starting-balance 25000"],
  ])(
    'an unknown start of the account %j has the command that ends it',
    async (account, line) => {
      const at = new Date(world.now - 86_400_000).toISOString();
      const flow = { id: 'f', at, account, kind: 'deposit', amount: 5, currency: 'USD' };
      world.insert('cash_flows', flow);
      const { stdout } = await run(['summary', ...home], ENGLISH);
      expect(stdout).toContain(`: start unknown, deposits $5.00\n  ${line}\n`);
    },
  );

  test.each([
    [['USD', 'EUR'], ''],
    [['EUR', 'GBP'], ' --currency EUR'],
  ])(
    'an unknown start of an account in %j has one command',
    async (currencies, currency) => {
      const at = new Date(world.now - 86_400_000).toISOString();
      for (const unit of currencies) {
        const flow = {
          id: unit,
          at,
          account: 'main',
          kind: 'deposit',
          amount: 5,
          currency: unit,
        };
        world.insert('cash_flows', flow);
      }
      const { stdout } = await run(['summary', ...home], ENGLISH);
      expect(stdout.match(/journal-api account set .*/g)).toEqual([
        `journal-api account set main --starting-balance 25000${currency}`,
      ]);
    },
  );

  test('with --json it prints the response of /v1/summary', async () => {
    trade('t-1', 3, 250.5);
    const { stdout } = await runHere(['summary', '--period', '90d', '--json', ...home]);
    const reply = await world.ask('/v1/summary?period=90d', { key: world.key() });
    expect(JSON.parse(stdout)).toEqual(reply.body);
  });

  test('shows two lines for each account with limits, whatever the period', async () => {
    trade('t-1', 3, 250.5);
    world.db.exec("UPDATE trades SET account = 'main'");
    setRules(world, 'main', {
      daily_loss: 500,
      target: 1000,
      min_days: 5,
      best_day: 0.5,
    });
    setRules(world, 'other', { trailing: 'intraday' });
    const lines = async (...args: string[]) =>
      (await run(['summary', ...args, ...home], ENGLISH)).stdout
        .split('\n')
        .slice(-5, -1);
    const shown = await lines('--period', 'today');
    expect(shown[0]).toMatch(
      /^Limits of main: \$2,250\.50 buffer; \$500\.00 left today; balance \$50,250\.50, max loss limit \$48,000\.00; the day ends .+$/,
    );
    expect(shown.slice(1)).toEqual([
      '  $749.50 left to the target; 1 of 5 days; best day 100% of the profit (at most 50%). By realised P&L, exit by exit; firms count open positions, too; payouts are not known.',
      'Limits of other: $2,000.00 buffer; balance $50,000.00, max loss limit $48,000.00',
      '  By realised P&L, exit by exit; firms count open positions, too; payouts are not known.',
    ]);
    const key = world.key(undefined, 'me', undefined, {
      accounts: ['main'],
      since: null,
      hides: ['money'],
    });
    const { stdout } = await run(['summary', ...home], {
      env: { ...ENGLISH.env, JOURNAL_API_KEY: key },
    });
    expect(stdout.split('\n').slice(-3, -1)).toEqual([
      'Limits of main: amounts are hidden',
      '  1 of 5 days; best day 100% of the profit (at most 50%). By realised P&L, exit by exit; firms count open positions, too; payouts are not known.',
    ]);
  });

  test('--account takes the figures, the balance and the limits of one account', async () => {
    trade('t-1', 3, 250);
    trade('t-2', 2, -100);
    world.db.exec(`UPDATE trades SET account = iif(id = 't-1', 'Main', 'Firm 50K')`);
    for (const account of ['Main', 'Firm 50K'])
      setRules(world, account, { trailing: 'static' });
    const by = (...more: string[]) =>
      run(['summary', '--period', '7d', ...more, ...home], ENGLISH);

    const { stdout, stderr } = await by('--account', 'Firm 50K');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Realised P&L +-\$100\.00$/m);
    expect(stdout).toContain('Limits of Firm 50K: ');
    expect(stdout).not.toContain('Main');
    const asJson = JSON.parse((await by('--account', 'Main', '--json')).stdout);
    expect(asJson.data.performance.net_pnl).toBe(250);

    const unknown = await by('--account', 'Firm');
    expect(unknown.stderr).toContain('No trades have the account "Firm"');
    trade('t-3', 20, 5);
    world.db.exec(`UPDATE trades SET account = 'Old one' WHERE id = 't-3'`);
    expect((await by('--account', 'Old one')).stderr).toBe(
      'No trades of Old one were closed in this period; ' +
        "see: journal-api summary --period all --account 'Old one'\n",
    );
    expect(await by('--account', '')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("an account's name is one line"),
    });
  });

  test.each([
    [['--period', '3q'], 2, /--period must be a length such as 7d.*last_month.*got "3q"/],
    [['--user', 'anna'], 1, /there is no user "anna"/],
  ])('%j is refused with a valid example', async (args, expected, words) => {
    const { code, stdout, stderr } = await runHere(['summary', ...args, ...home]);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(words);
  });

  test('an empty journal is no error', async () => {
    const { code, stdout, stderr } = await run(['summary', ...home], ENGLISH);
    const next =
      'The journal has no closed trades yet; import some with: journal-api import FILE';
    expect([code, stderr]).toEqual([
      0,
      `No trades were closed in this period. ${next}\n`,
    ]);
    expect(stdout.split('\n')).toHaveLength(2);
    const all = await runHere(['summary', '--period', 'all', ...home]);
    expect(all.stdout).toBe('All time, in USD, America/New_York\n');
  });

  test('an empty period shows the dates of all trades, and --period all shows the trades', async () => {
    for (const [id, day] of [
      ['t-1', '2025-03-03'],
      ['t-2', '2025-10-20'],
    ] as const) {
      const at = `${day}T17:00:00.000Z`;
      world.insert(
        'trades',
        tradeRow(id, { executed_at: at, closed_at: at, gross_pnl: 50 }),
      );
    }
    const { code, stderr } = await run(['summary', ...home], ENGLISH);
    expect([code, stderr]).toEqual([
      0,
      'No trades were closed in this period. The journal has 2 closed trades from Mon, Mar 3, 2025 to Mon, Oct 20, 2025; see: journal-api summary --period all\n',
    ]);
    const all = await run(['summary', '--period', 'all', ...home], ENGLISH);
    expect([all.code, all.stderr, all.stdout]).toEqual([
      0,
      '',
      expect.stringMatching(
        /^Mon, Mar 3, 2025 – Mon, Oct 20, 2025, in USD[\s\S]*^Realised P&L +\+\$100\.00$/m,
      ),
    ]);
  });

  test('--start and --end set the period', async () => {
    trade('t-1', 40, 250.5);
    trade('t-2', 35, -100);
    const day = (ago: number) =>
      new Date(world.now - ago * 86_400_000).toISOString().slice(0, 10);
    const days = ['--start', day(37), '--end', day(33)];
    const { code, stdout } = await runHere(['summary', ...days, ...home]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Realised P&L +-\$100\.00 {3}previous period: /m),
    ]);
    const asked = JSON.parse(
      (await runHere(['summary', '--start', day(41), '--json', ...home])).stdout,
    );
    expect(asked.data.performance.net_pnl).toBe(150.5);
    const both = await runHere(['summary', '--period', '7d', ...days, ...home]);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining('send either period, or start and end'),
    ]);
  });

  const withoutMoney = () =>
    world.key(['analytics:read', 'agent_summary:read'], 'me', generateKeyId(), {
      accounts: null,
      since: null,
      hides: ['money'],
    });

  test('with a key that hides money every figure, the curve and the calendar are in R', async () => {
    for (const [n, net] of [150, -50, 0].entries()) trade(`t-${n}`, 3 - n, net);
    world.db.exec("UPDATE trades SET initial_risk = 100 WHERE id <> 't-2'");
    const env = { ...ENGLISH.env, JOURNAL_API_KEY: withoutMoney() };
    const { code, stdout, stderr } = await run(['summary', '--period', '7d', ...home], {
      env,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/, in R, America\/New_York\n/);
    expect(stdout).toMatch(/^Total R +\+1\.00 R$/m);
    expect(stdout).toMatch(/^\+1\.50 R .*█/m);
    expect(stdout).toMatch(/^\w{3} \d{4} +[+-]\d\.\d\d R/m);
    expect(stdout).not.toMatch(/NaN|undefined|\$|–\n/);
  });

  test('with such a key and no risk it says what R needs', async () => {
    trade('t-1', 3, 250.5);
    const env = { ...ENGLISH.env, JOURNAL_API_KEY: withoutMoney() };
    const { code, stdout, stderr } = await run(['summary', '--period', '7d', ...home], {
      env,
    });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^No trade .* has a risk.*journal-api annotate/),
    ]);
    expect(stdout).toMatch(/^Win rate +100%/m);
    expect(stdout).not.toMatch(/NaN|undefined|\$|█|–$/m);
  });

  test('trades without an exchange rate are below the figures of the others, with their currencies', async () => {
    trade('t-1', 3, 250.5);
    const all = ['summary', '--period', '7d', ...home];
    expect((await run(all, ENGLISH)).stdout).not.toContain('Not counted');
    for (const [n, currency] of ['EUR', 'GBP'].entries()) {
      trade(`t-${n + 2}`, 2, 40);
      world.db
        .prepare('UPDATE trades SET currency = ? WHERE id = ?')
        .run(currency, `t-${n + 2}`);
    }
    const words =
      'Not counted: 2 trades in EUR, GBP without an exchange rate to USD; set one: journal-api rates set EUR GBP\n';
    const { stdout } = await run(all, ENGLISH);
    expect(stdout).toMatch(/^Realised P&L +\+\$250\.50$/m);
    expect(stdout).toMatch(/^Trades +1$/m);
    expect(stdout.endsWith(`\n${words}`)).toBe(true);
    trade('t-4', 2, 40);
    world.db.exec(
      "UPDATE trades SET market = 'option', expiration = '2026-11-18', status = 'open', closed_at = NULL WHERE id = 't-4'",
    );
    expect((await run(all, ENGLISH)).stdout).toContain(
      '\n1 option is still open after expiration; to close: journal-api expire --all\n',
    );
    world.db.exec("DELETE FROM trades WHERE id = 't-4'");
    world.db.exec("DELETE FROM trades WHERE id = 't-1'");
    const others = await run(all, ENGLISH);
    expect([others.code, others.stderr, others.stdout]).toEqual([
      0,
      '',
      expect.stringContaining(words),
    ]);
  });

  test('with a key it shows only what the key can read', async () => {
    trade('t-1', 3, 250.5);
    const env = { JOURNAL_API_KEY: world.key(['trades:read']) };
    const { code, stderr } = await runHere(['summary', ...home], { env });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('403 insufficient_scope'),
    ]);
  });
});

describe('pictures', () => {
  const format = formatsOf({ timezone: 'UTC', base_currency: 'USD' }, 'en');
  const plain = (_tone: string, text: string) => text;
  const day = (date: string, net_pnl: number, cumulative_net_pnl: number) => ({
    date,
    net_pnl,
    cumulative_net_pnl,
    trades: 1,
    total_r: null,
    r_sample: 0,
    drawdown: 0,
  });

  test('a calendar shows each day in its place, with a sign', () => {
    const daily = [
      day('2026-10-30', -5, -5),
      day('2026-11-02', 20, 15),
      day('2026-11-30', 0, 15),
    ];
    expect(calendarLines(resultsOf(daily, format), 80, format, plain)).toEqual([
      '',
      'Oct 2026                -$5    Nov 2026               +$20',
      'Mon Tue Wed Thu Fri Sat Sun    Mon Tue Wed Thu Fri Sat Sun',
      '              1   2   3   4                              1',
      '  5   6   7   8   9  10  11    + 2   3   4   5   6   7   8',
      ' 12  13  14  15  16  17  18      9  10  11  12  13  14  15',
      ' 19  20  21  22  23  24  25     16  17  18  19  20  21  22',
      ' 26  27  28  29 -30  31         23  24  25  26  27  28  29',
      '                               =30',
    ]);
    // As many months side by side as fit.
    expect(
      calendarLines(resultsOf(daily, format), 40, format, plain).filter((line) =>
        line.startsWith('Mon'),
      ),
    ).toHaveLength(2);
    for (const columns of [28, 59, 80, 200]) {
      const widest = Math.max(
        ...calendarLines(resultsOf(daily, format), columns, format, plain).map(
          (line) => line.length,
        ),
      );
      expect(widest).toBeLessThanOrEqual(columns);
    }
  });

  test('a curve keeps its height at any width', () => {
    const daily = [
      day('2026-11-02', 100, 100),
      day('2026-11-03', -150, -50),
      day('2026-11-04', 50, 0),
    ];
    for (const columns of [30, 80, 300]) {
      const lines = curveLines(resultsOf(daily, format), columns, plain);
      expect(lines).toHaveLength(5);
      expect(lines[0]).toMatch(/^\+\$100 .*█/);
      expect(lines[4]).toMatch(/^ -\$50 /);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
    }
    expect(
      curveLines(resultsOf([day('2026-11-02', 0, 0)], format), 80, plain)[4],
    ).toMatch(/\$0 ▁+$/);
  });

  test.each([
    [
      'a terminal with colours',
      { isTTY: true, hasColors: () => true },
      '\x1b[32m+1\x1b[39m',
    ],
    ['a terminal with NO_COLOR', { isTTY: true, hasColors: () => false }, '+1'],
    ['a pipe', { isTTY: false }, '+1'],
  ])('%s', (_name, stream, written) => {
    expect(painterFor(stream as never)('gain', '+1')).toBe(written);
  });
});
