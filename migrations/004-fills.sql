-- Version 4: fills are kept, and trades are made from them.
ALTER TABLE executions ADD COLUMN fill_id TEXT;

CREATE TABLE imports (
  user_id     TEXT NOT NULL REFERENCES users (id),
  id          INTEGER NOT NULL CHECK (id >= 0), -- 0: what was there before fills were kept
  imported_at TEXT NOT NULL CHECK (imported_at IS strftime('%Y-%m-%dT%H:%M:%fZ', imported_at, '+0 days') AND imported_at BETWEEN '0001' AND '9999'),
  file        TEXT NOT NULL, -- its name, without folders
  sha256      TEXT CHECK (length(sha256) = 64), -- of its bytes
  format      TEXT NOT NULL,
  resource    TEXT NOT NULL,
  account     TEXT, -- as --account named it
  rows        INTEGER NOT NULL CHECK (rows >= 0),
  fills       INTEGER NOT NULL CHECK (fills >= 0),
  records     INTEGER NOT NULL CHECK (records >= 0),
  trades      INTEGER NOT NULL CHECK (trades >= 0), -- made from its fills
  skipped     TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(skipped) THEN json_type(skipped) = 'object' ELSE 0 END), -- {"deposit": 2}
  PRIMARY KEY (user_id, id)
) STRICT;

-- One fill each, or the part of one that a file states. The parts of an execution share its execution_id.
CREATE TABLE fills (
  user_id       TEXT NOT NULL REFERENCES users (id),
  id            TEXT NOT NULL,
  execution_id  TEXT NOT NULL,
  part          TEXT,
  platform      TEXT NOT NULL,
  format        TEXT NOT NULL,
  account       TEXT COLLATE NOCASE,
  symbol        TEXT NOT NULL COLLATE NOCASE CHECK (length(symbol) BETWEEN 1 AND 64),
  market        TEXT NOT NULL CHECK (market IN ('stock', 'option', 'future', 'forex', 'crypto', 'cfd', 'other')),
  currency      TEXT NOT NULL CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0),
  underlying    TEXT,
  expiration    TEXT CHECK (expiration IS date(expiration, '+0 days') AND expiration BETWEEN '0001' AND '9999-12-31'),
  strike        REAL CHECK (abs(strike) < 1e15),
  option_type   TEXT CHECK (option_type IN ('call', 'put')),
  multiplier    REAL NOT NULL CHECK (multiplier > 0 AND multiplier < 1e12),
  executed_at   TEXT NOT NULL CHECK (executed_at IS strftime('%Y-%m-%dT%H:%M:%fZ', executed_at, '+0 days') AND executed_at BETWEEN '0001' AND '9999'),
  kind          TEXT NOT NULL CHECK (kind IN ('trade', 'expiration', 'assignment', 'exercise', 'delivery', 'split', 'symbol_change')),
  side          TEXT CHECK (side IN ('buy', 'sell')), -- NULL: closes what is open
  quantity      REAL CHECK (quantity > 0 AND quantity < 1e18), -- NULL: all that is open; of a split: new units for one old
  price         REAL NOT NULL CHECK (abs(price) < 1e15),
  fees          REAL NOT NULL CHECK (abs(fees) < 1e15),
  fee_quantity  REAL NOT NULL CHECK (abs(fee_quantity) < 1e18), -- a fee paid in what was traded
  effect        TEXT CHECK (effect IN ('open', 'close')),
  may_short     INTEGER NOT NULL CHECK (may_short IN (0, 1)),
  rate_base     TEXT,
  rate          REAL CHECK (rate > 0 AND rate < 1e12), -- 1 unit of currency in rate_base
  former_symbol TEXT,
  PRIMARY KEY (user_id, id)
) STRICT;

-- Which file stated which fill, in which place, and with which fees: files that overlap may say more or less of them.
CREATE TABLE import_fills (
  user_id   TEXT NOT NULL,
  fill_id   TEXT NOT NULL,
  import_id INTEGER NOT NULL,
  place     INTEGER NOT NULL,
  fees      REAL NOT NULL,
  PRIMARY KEY (user_id, fill_id, import_id),
  FOREIGN KEY (user_id, fill_id) REFERENCES fills (user_id, id),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;

-- Which file brought which record, and what it changed: fields by name, as JSON objects.
CREATE TABLE import_records (
  user_id   TEXT NOT NULL,
  resource  TEXT NOT NULL,
  record_id TEXT NOT NULL,
  import_id INTEGER NOT NULL,
  change    TEXT NOT NULL CHECK (change IN ('added', 'changed', 'unchanged')),
  before    TEXT CHECK (change <> 'changed' OR json_valid(before)),
  after     TEXT CHECK (change <> 'changed' OR json_valid(after)),
  PRIMARY KEY (user_id, resource, record_id, import_id),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;

-- Trades of Tradovate's exports were made from fills whose ids only the opening one kept. They are fills from here on, and give
-- way to those of a file that states them.
CREATE TEMP TABLE adopted AS
SELECT e.user_id, e.trade_id, e.position, e.trade_id || CASE WHEN e.position = 0 THEN '' ELSE '~' || e.position END AS execution_id,
  row_number() OVER (PARTITION BY e.user_id ORDER BY t.executed_at, t.closed_at, length(t.id), t.id, e.position) AS place
FROM trades AS t JOIN executions AS e ON e.user_id = t.user_id AND e.trade_id = t.id
WHERE t.source = 'tradovate' AND t.id GLOB 'tradovate:*' AND length(t.id) <= 110;
INSERT INTO imports (user_id, id, imported_at, file, format, resource, rows, fills, records, trades)
SELECT user_id, 0, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'trades of an earlier version', 'tradovate', 'trades', count(*), count(*), 0, count(DISTINCT trade_id)
FROM temp.adopted GROUP BY user_id;
INSERT INTO fills (user_id, id, execution_id, part, platform, format, account, symbol, market, currency, underlying, expiration, strike, option_type,
  multiplier, executed_at, kind, side, quantity, price, fees, fee_quantity, may_short)
SELECT a.user_id, a.execution_id || '~adopted', a.execution_id, 'adopted', 'tradovate', 'tradovate', t.account, t.symbol, t.market, t.currency,
  t.underlying, t.expiration, t.strike, t.option_type, t.multiplier, e.executed_at, 'trade', e.side, e.quantity, e.price, e.fees, 0, 1
FROM temp.adopted AS a JOIN trades AS t ON t.user_id = a.user_id AND t.id = a.trade_id
JOIN executions AS e ON e.user_id = a.user_id AND e.trade_id = a.trade_id AND e.position = a.position;
INSERT INTO import_fills (user_id, fill_id, import_id, place, fees)
SELECT a.user_id, a.execution_id || '~adopted', 0, a.place, f.fees
FROM temp.adopted AS a JOIN fills AS f ON f.user_id = a.user_id AND f.id = a.execution_id || '~adopted';
UPDATE executions SET fill_id = a.execution_id FROM temp.adopted AS a
WHERE executions.user_id = a.user_id AND executions.trade_id = a.trade_id AND executions.position = a.position;
DROP TABLE temp.adopted;
