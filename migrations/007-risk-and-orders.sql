-- Version 7: a stop gives a risk; orders and stated fees of fills; the trader's own fees; groups that imports find; removed records.
ALTER TABLE trades DROP COLUMN r_multiple;
ALTER TABLE trades ADD COLUMN
  risk          REAL AS (coalesce(initial_risk, nullif(max(0, round(
                  CASE side WHEN 'long' THEN entry_price - stop_loss ELSE stop_loss - entry_price END * quantity * multiplier, 8)), 0)));
ALTER TABLE trades ADD COLUMN r_multiple REAL AS (CASE WHEN status = 'closed' THEN net_pnl / risk END);

-- Which exports state no fees was known by their format only.
ALTER TABLE import_fills ADD COLUMN fees_stated INTEGER NOT NULL DEFAULT 1 CHECK (fees_stated IN (0, 1));
UPDATE import_fills SET fees_stated = 0 WHERE fees = 0 AND EXISTS (
  SELECT 1 FROM imports AS i WHERE i.user_id = import_fills.user_id AND i.id = import_fills.import_id AND i.format IN (
    'binance-orders', 'thinkorswim-activity', 'topstepx-orders', 'tradovate', 'tradovate-orders', 'webull', 'zerodha', 'zerodha-orders'));
ALTER TABLE fills ADD COLUMN order_id TEXT;
ALTER TABLE fills ADD COLUMN fees_stated INTEGER NOT NULL DEFAULT 1;
UPDATE fills SET fees_stated = 0 WHERE (
  SELECT max(p.fees_stated) FROM import_fills AS p WHERE p.user_id = fills.user_id AND p.fill_id = fills.id) = 0;

CREATE TABLE fills_new (
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
  kind          TEXT NOT NULL CHECK (kind IN ('trade', 'expiration', 'assignment', 'exercise', 'delivery', 'split', 'symbol_change', 'transfer', 'unclear', 'cost')),
  side          TEXT CHECK (side IN ('buy', 'sell')), -- NULL: closes what is open; of a cost: none
  quantity      REAL CHECK (quantity > 0 AND quantity < 1e18), -- NULL: all that is open; of a split: units that come or go, without a side new units for one old
  price         REAL NOT NULL CHECK (abs(price) < 1e15),
  fees          REAL NOT NULL CHECK (abs(fees) < 1e15),
  fee_quantity  REAL NOT NULL CHECK (abs(fee_quantity) < 1e18), -- a fee paid in what was traded
  effect        TEXT CHECK (effect IN ('open', 'close', 'close_then_open')), -- the last: opens only what it has beyond an open position
  may_short     INTEGER NOT NULL CHECK (may_short IN (0, 1)),
  rate_base     TEXT,
  rate          REAL CHECK (rate > 0 AND rate < 1e12), -- 1 unit of currency in rate_base
  former_symbol TEXT,
  has_time      INTEGER NOT NULL DEFAULT 1 CHECK (has_time IN (0, 1)), -- 0: executed_at is the start of a day
  order_id      TEXT, -- the platform's
  fees_stated   INTEGER NOT NULL DEFAULT 1 CHECK (fees_stated IN (0, 1)), -- 0: no file that states the fill states its fees
  PRIMARY KEY (user_id, id)
) STRICT;

CREATE TABLE import_records_new (
  user_id   TEXT NOT NULL,
  resource  TEXT NOT NULL,
  record_id TEXT NOT NULL,
  import_id INTEGER NOT NULL,
  change    TEXT NOT NULL CHECK (change IN ('added', 'changed', 'unchanged', 'removed')),
  before    TEXT CHECK (CASE change WHEN 'changed' THEN json_valid(before) WHEN 'removed' THEN before IS NOT NULL AND json_valid(before) ELSE 1 END),
  after     TEXT CHECK (change <> 'changed' OR json_valid(after)),
  path      TEXT, -- of the note that holds the record
  PRIMARY KEY (user_id, resource, record_id, import_id),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE fee_rates (
  user_id      TEXT NOT NULL,
  import_id    INTEGER NOT NULL,
  account      TEXT NOT NULL COLLATE NOCASE, -- '': every account
  symbol       TEXT NOT NULL COLLATE NOCASE CHECK (length(symbol) <= 64), -- a symbol, or an underlying; '': every symbol
  per_contract REAL CHECK (per_contract >= 0 AND per_contract < 1e9), -- per unit and side, in the trade's currency
  per_order    REAL CHECK (per_order >= 0 AND per_order < 1e9),
  percent      REAL CHECK (percent >= 0 AND percent < 100), -- of the traded value
  PRIMARY KEY (user_id, account, symbol, import_id),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE found_groups (
  user_id      TEXT NOT NULL REFERENCES users (id),
  execution_id TEXT NOT NULL, -- fills.execution_id
  group_id     TEXT NOT NULL,
  PRIMARY KEY (user_id, execution_id)
) STRICT, WITHOUT ROWID;
