import { expect, test } from 'vitest';
import { SymbolsInLabels } from '../../src/journal/pseudonyms.ts';

const symbols = new SymbolsInLabels();
for (const symbol of [
  'AAPL',
  'ES',
  'F',
  'BTC/USDT',
  'SPY 261218C600',
  'BRK.B',
  '7203',
  'ÄÖ',
  'TSLA Call',
  '$$',
])
  symbols.add(symbol);

test.each([
  'AAPL fade',
  'aapl',
  'xaaplx',
  'A-A.P L',
  'es open',
  'the ES trade',
  'ESscalp',
  'F runner',
  'f',
  'btcusdt news',
  'usdt',
  'BTC',
  'spy gap',
  'spyscalp',
  'ＡＡＰＬ',
  'aa\u200bpl',
  'BRKB',
  'brk b',
  '7203 dip',
  'äö day',
  'A\u0308O\u0308',
  'for $$',
  'x'.repeat(1001),
])('"%s" contains a symbol', (label) => expect(symbols.areIn(label)).toBe(true));

test.each([
  'yes',
  'chased',
  'fomo',
  'breakout',
  'call',
  'b',
  'a c',
  'apple',
  '600',
  '',
  'news $',
])('"%s" contains no symbol', (label) => expect(symbols.areIn(label)).toBe(false));
