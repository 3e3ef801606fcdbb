/** OFX statements whose list of securities lacks terms, or whose transactions have another kind than their security. */
import { expect, test } from 'vitest';
import { ImportHome } from './home.ts';

/** @param securities elements of SECLIST */
const statement = (transactions: readonly string[], securities: readonly string[]) =>
  `OFXHEADER:100
DATA:OFXSGML

<OFX><INVSTMTMSGSRSV1><INVSTMTTRNRS><INVSTMTRS><CURDEF>USD
<INVACCTFROM><BROKERID>example.com<ACCTID>1</INVACCTFROM>
<INVTRANLIST>
${transactions.join('\n')}
</INVTRANLIST></INVSTMTRS></INVSTMTTRNRS></INVSTMTMSGSRSV1>
<SECLISTMSGSRSV1><SECLIST>
${securities.join('\n')}
</SECLIST></SECLISTMSGSRSV1>
</OFX>
`;

const traded = (name: string, id: string, day: string, parts: string) =>
  `<${name}><INVTRAN><FITID>${id}<DTTRADE>202609${day}100000.000[-4:EDT]</INVTRAN><SECID><UNIQUEID>${id.slice(0, 2)}</SECID>${parts}</${name}>`;

const BOUGHT = traded(
  'BUYSTOCK',
  'AA1',
  '01',
  '<UNITS>10<UNITPRICE>100<FEES>1<TOTAL>-1001<BUYTYPE>BUY',
);
const SOLD = traded(
  'SELLSTOCK',
  'AA2',
  '02',
  '<UNITS>-10<UNITPRICE>105<FEES>1<TOTAL>1049<SELLTYPE>SELL',
);
const SHARE =
  '<STOCKINFO><SECINFO><SECID><UNIQUEID>AA</SECID><TICKER>ACME</SECINFO></STOCKINFO>';

const shown =
  'SELECT symbol, side, status, gross_pnl, fees, multiplier FROM trades ORDER BY symbol';
const tradesIn = (home: ImportHome) =>
  home.rows(shown).map((row) => Object.values(row).join(' '));

test('an option without terms is named, and the other transactions are imported', () => {
  const home = new ImportHome().withUser();
  const lacking = traded(
    'SELLOPT',
    'ZZ1',
    '02',
    '<UNITS>-1<UNITPRICE>8<TOTAL>800<OPTSELLTYPE>SELLTOCLOSE<SHPERCTRCT>0',
  );
  const [file] = home.import(
    home.file('a.ofx', statement([BOUGHT, SOLD, lacking], [SHARE])),
  ).files;
  expect(file?.rows).toEqual({
    read: 3,
    used: 2,
    skipped: { 'option without its terms in SECLIST': 1 },
  });
  expect(file?.notes).toContain(
    'the option ZZ on line 9 is skipped: SECLIST lacks its underlying, expiration, strike or type',
  );
  expect(tradesIn(home)).toEqual(['ACME long closed 50 2 1']);
});

test('an option with a contract size of 0 has the usual one', () => {
  const home = new ImportHome().withUser();
  const terms = '<OPTTYPE>PUT<STRIKEPRICE>95<DTEXPIRE>20261218<SHPERCTRCT>0';
  const listed = `<OPTINFO><SECINFO><SECID><UNIQUEID>ZZ</SECID><TICKER>ACME</SECINFO>${terms}</OPTINFO>`;
  const bought = traded(
    'BUYOPT',
    'ZZ1',
    '01',
    '<UNITS>1<UNITPRICE>2<TOTAL>-200<OPTBUYTYPE>BUYTOOPEN',
  );
  const sold = traded(
    'SELLOPT',
    'ZZ2',
    '02',
    '<UNITS>-1<UNITPRICE>3<TOTAL>300<OPTSELLTYPE>SELLTOCLOSE',
  );
  home.import(home.file('a.ofx', statement([bought, sold], [listed])));
  expect(tradesIn(home)).toEqual(['ACME 2026-12-18 P95 long closed 100 0 100']);
});

test('a bond that is redeemed as another kind of security has its price in its total', () => {
  const home = new ImportHome().withUser();
  const bond =
    '<DEBTINFO><SECINFO><SECID><UNIQUEID>BB</SECID><TICKER>BOND</SECINFO></DEBTINFO>';
  const bought = traded('BUYDEBT', 'BB1', '01', '<UNITS>1000<UNITPRICE>99<TOTAL>-990');
  const redeemed = traded(
    'SELLOTHER',
    'BB2',
    '02',
    '<UNITS>-1000<UNITPRICE>100<TOTAL>1000',
  );
  home.import(home.file('a.ofx', statement([bought, redeemed], [bond])));
  expect(tradesIn(home)).toEqual(['BOND long closed 10 0 1']);
});

test("an option of Interactive Brokers, whose ticker isn't OCC's, has its underlying", () => {
  const home = new ImportHome().withUser();
  const terms = '<OPTTYPE>PUT<STRIKEPRICE>200<DTEXPIRE>20261218<SHPERCTRCT>100';
  const listed = `<OPTINFO><SECINFO><SECID><UNIQUEID>ZZ</SECID><TICKER>P SAP  20261218 200 M</SECINFO>${terms}</OPTINFO>`;
  const sold = traded(
    'SELLOPT',
    'ZZ1',
    '01',
    '<UNITS>-1<UNITPRICE>3<TOTAL>300<OPTSELLTYPE>SELLTOOPEN',
  );
  home.import(home.file('a.ofx', statement([sold], [listed])));
  expect(home.rows('SELECT symbol, underlying FROM fills')).toEqual([
    { symbol: 'SAP 2026-12-18 P200', underlying: 'SAP' },
  ]);
});
