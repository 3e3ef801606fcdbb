/** The record shapes in every form they may be written in, and the lines that errors name. */
import { describe, expect, test } from 'vitest';
import { ImportHome, TRADE } from './home.ts';

const SECOND = { ...TRADE, id: 't2' };

describe('JSON', () => {
  test.each([
    ['a list', [TRADE, SECOND], 2],
    [
      'a page',
      {
        data: [TRADE, SECOND],
        pagination: { limit: 50, has_more: false, next_cursor: null },
      },
      2,
    ],
    ['one record in its envelope', { data: TRADE }, 1],
    ['one record', TRADE, 1],
    ['no record', [], 0],
  ])('%s', (_, content, added) => {
    const home = new ImportHome().withUser();
    expect(
      home.import(home.file('trades.json', JSON.stringify(content))).files[0],
    ).toMatchObject({
      format: 'json',
      added,
    });
    expect(home.notes).toEqual([]);
  });

  test("a page that isn't the last one is reported", () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'trades.json',
        JSON.stringify({ data: [TRADE], pagination: { has_more: true } }),
      ),
    );
    expect(home.notes.join()).toContain('one page of several');
  });

  test('an error names the line on which the record begins', () => {
    const home = new ImportHome().withUser();
    const bad = { ...SECOND, rating: 9, tags: ['a]"},{', '\\'] };
    const page = JSON.stringify(
      {
        pagination: { limit: 1, x: [1, { y: [] }] },
        data: [{ ...TRADE, tags: ['x', 'y'] }, bad],
      },
      null,
      2,
    );
    const line = page.slice(0, page.indexOf('"t2"')).split('\n').length - 1;
    expect(home.refusalOf(home.file('trades.json', page))).toMatch(
      new RegExp(`^${line}: rating: `),
    );
    expect(
      home.refusalOf(home.file('trades.json', JSON.stringify([TRADE, bad], null, 1))),
    ).toMatch(/^14: rating: /);
    expect(
      home.refusalOf(home.file('trades.json', `\n[\n${JSON.stringify(TRADE)},\n\n7]`)),
    ).toMatch(/^5: a record must be an object/);
  });

  test('invalid JSON is an error with its line', () => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('trades.json', '[\n{"id": 1},\n{"id" 2}]'))).toMatch(
      /^3: not valid JSON/,
    );
    expect(home.refusalOf(home.file('trades.json', '[\n{"id": 1}\n'))).toMatch(
      /^3: not valid JSON/,
    );
    expect(home.refusalOf(home.file('trades.jsonl', '\n\n{"id"}\n'))).toMatch(
      /^3: not valid JSON/,
    );
    expect(
      home.refusalOf(home.file('trades.jsonl', Buffer.from([0x7b, 0xe9, 0x7d]))),
    ).toContain('save it as UTF-8');
  });

  test.each([
    ['trades.jsonl', '', '1: the file is empty; it must have a record per line'],
    ['trades.jsonl', ' \n\n', '1: the file is empty'],
    ['trades.json', '\n', '1: the file is empty; write [] for no records'],
    ['trades.csv', '', '1: the file is empty; its first line must name the fields'],
  ])('an empty file is an error: %s %j', (name, content, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file(name, content))).toContain(message);
  });

  test('JSON Lines may have a BOM, CRLF and empty lines', () => {
    const home = new ImportHome().withUser();
    const text = `\uFEFF${JSON.stringify(TRADE)}\r\n\r\n${JSON.stringify(SECOND)}`;
    expect(home.import(home.file('trades.jsonl', text)).files[0]).toMatchObject({
      added: 2,
    });
  });

  test('UTF-16 with a byte order mark is read too', () => {
    const home = new ImportHome().withUser();
    const text = Buffer.from(`\uFEFF${JSON.stringify(TRADE)}\n`, 'utf16le');
    expect(home.import(home.file('trades.jsonl', text)).files[0]).toMatchObject({
      added: 1,
    });
    expect(
      home.import(home.file('export', text), { as: 'trades' }).files[0],
    ).toMatchObject({
      unchanged: 1,
    });
  });

  test('a file with an unknown name is detected by its beginning', () => {
    const home = new ImportHome().withUser();
    expect(
      home.import(home.file('export', JSON.stringify([TRADE])), { as: 'trades' })
        .files[0],
    ).toMatchObject({
      format: 'json',
    });
    expect(
      home.import(home.file('export', JSON.stringify(TRADE)), { as: 'trades' }).files[0],
    ).toMatchObject({
      format: 'jsonl',
    });
    const page = JSON.stringify({ data: [TRADE], pagination: { has_more: false } });
    expect(
      home.import(home.file('export', page), { as: 'trades' }).files[0],
    ).toMatchObject({
      format: 'json',
    });
  });
});

describe('CSV', () => {
  const HEADER =
    'id,symbol,market,side,status,executed_at,closed_at,quantity,entry_price,exit_price,fees,tags,notes,executions,outcome';
  const ROW =
    't1,AAPL,stock,long,closed,2026-11-02T14:30:00Z,2026-11-02T15:30:00Z,10,100,103.5';

  test('has JSON in cells for lists, and empty cells for null and omitted values', () => {
    const home = new ImportHome().withUser();
    home.import(
      home.file(
        'trades.csv',
        `${HEADER},fx_rate,gross_pnl,currency\n${ROW},,"[""a"", ""b""]","two\nlines, ""quoted""",,win,,,\n`,
      ),
    );
    expect(home.everything()['trades']?.[0]).toMatchObject({
      fees: 0,
      tags: ['a', 'b'],
      notes: 'two\nlines, "quoted"',
      gross_pnl: 35,
      currency: 'USD',
    });
    home.import(home.file('trades.csv', 'id,tags,notes\nt1,,\n'));
    // A list of a file adds its items; an empty one adds none.
    expect(home.everything()['trades']?.[0]).toMatchObject({
      tags: ['a', 'b'],
      notes: null,
      symbol: 'AAPL',
    });
  });

  test('an empty cell is no value: a new trade gets computed values, a stored one keeps its own', () => {
    const home = new ImportHome().withUser();
    const header =
      'id,symbol,market,side,status,executed_at,quantity,entry_price,open_quantity,multiplier,fees';
    const open = 't1,AAPL,stock,long,open,2026-11-02T14:30:00Z,5,100';
    home.import(home.file('trades.csv', `${header}\n${open},,,\n`));
    expect(home.everything()['trades']?.[0]).toMatchObject({
      open_quantity: 5,
      multiplier: 1,
      fees: 0,
    });
    home.import(home.file('trades.csv', `${header}\n${open},3,50,2.5\n`));
    expect(
      home.import(home.file('trades.csv', `${header}\n${open},,,\n`)).files[0],
    ).toMatchObject({
      unchanged: 1,
    });
    expect(home.everything()['trades']?.[0]).toMatchObject({
      open_quantity: 3,
      multiplier: 50,
      fees: 2.5,
    });
  });

  test('may be separated by semicolons, begin with a BOM, end lines in CRLF and have empty rows', () => {
    const home = new ImportHome().withUser();
    const text = `\uFEFF${HEADER.replaceAll(',', ';')}\r\n${ROW.replaceAll(',', ';')};1.5;[];a, b;;\r\n\r\n;;;;;;;;;;;;;;\r\n`;
    expect(home.import(home.file('trades.csv', text)).files[0]).toMatchObject({
      added: 1,
      skipped: [{ reason: 'empty row', count: 1 }],
    });
    expect(home.everything()['trades']?.[0]).toMatchObject({ fees: 1.5, notes: 'a, b' });
  });

  test('may end lines in CR, even within quotes', () => {
    const home = new ImportHome().withUser();
    const text = `${HEADER}\r${ROW},1.5,[],"two\rlines",,\r`;
    expect(home.import(home.file('trades.csv', text)).files[0]).toMatchObject({
      added: 1,
    });
    expect(home.everything()['trades']?.[0]).toMatchObject({
      fees: 1.5,
      notes: 'two\rlines',
    });
    expect(
      home.refusalOf(home.file('trades.csv', `${text}\rt2${ROW.slice(2)},x,,,,\r`)),
    ).toContain('5: fees: must be a number');
    const semicolons = text.replaceAll(',', ';');
    expect(home.import(home.file('trades.csv', semicolons)).files[0]).toMatchObject({
      unchanged: 1,
    });
  });

  test.each([
    ['tags', '["a", "b"]'],
    ['goals', '[{"text": "..."}]'],
    ['review', '{"went_well": "..."}'],
    ['metrics', '{"trades": 1}'],
  ])('an error in a cell of JSON shows a valid example: %s', (name, example) => {
    const home = new ImportHome().withUser();
    expect(
      home.refusalOf(home.file('sessions.csv', `id,date,${name}\ns,2026-11-20,{x\n`)),
    ).toBe(`2: ${name}: must be JSON, such as ${example}; got "{x"`);
  });

  test('reads true and false', () => {
    const home = new ImportHome().withUser();
    home.import(home.lines('trades.jsonl', TRADE));
    home.import(
      home.file(
        'trade-journals.csv',
        'id,trade_id,phase,followed_plan\n1,t1,review,true\n2,t1,review,false\n3,t1,review,\n',
      ),
    );
    expect(
      home
        .rows('SELECT id, followed_plan FROM trade_journals ORDER BY id')
        .map((row) => row['followed_plan']),
    ).toEqual([1, 0, null]);
    expect(
      home.refusalOf(home.file('trade-journals.csv', 'id,followed_plan\n1,perhaps\n')),
    ).toBe('2: followed_plan: must be true or false, yes or no; got "perhaps"');
  });

  test.each([
    [`${HEADER}\n${ROW},1,[],a,,\nt2,AAPL`, '3: has 2 cells, but the header has 15'],
    [
      `${HEADER}\n${ROW},"1,5",[],a,,`,
      '2: fees: must be a number, such as 1234.5; got "1,5"',
    ],
    [
      `${HEADER}\n${ROW},,[a b,,,`,
      '2: tags: must be JSON, such as ["a", "b"]; got "[a b"',
    ],
    [
      `${HEADER}\n${ROW},,,"1\r\n2\r\n3",,\r\n\r\nt2${ROW.slice(2)},x,,,,`,
      '6: fees: must be a number',
    ],
    [`${HEADER},colour\n${ROW},,,,,,`, '1: colour: unknown field'],
    ['id,symbl\n', '1: symbl: unknown field; did you mean symbol?'],
    ['\n\nid,colour\n', '3: colour: unknown field'],
    ['id,symbol,\nt1,AAPL,\n', '1: column 3 has no name; add the name of a field'],
    ['id,,,symbol\n', '1: column 2 has no name'],
    [
      'id,executions\nt1,x\n',
      '2: executions: must be JSON, such as [{"executed_at": "..."}]; got "x"',
    ],
    ['id,id\n1,1\n', '1: id: appears twice in the header'],
    ['', '1: the file is empty'],
    ['id,notes\nt1,"a" b\n', '2: not valid CSV'],
  ])('an error names its line: %j', (text, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('trades.csv', text))).toContain(message);
  });
});
