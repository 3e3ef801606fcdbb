-- Records are what lines of the list state of them. The rows of import_records become statements in a step of the program, which reads
-- them from import_changes.

ALTER TABLE imports ADD COLUMN stated TEXT CHECK (stated IS NULL OR json_valid(stated));
ALTER TABLE imports ADD COLUMN revision INTEGER;

DROP INDEX IF EXISTS import_records_import;
ALTER TABLE import_records RENAME TO import_changes;

CREATE TABLE import_records (
  user_id   TEXT NOT NULL,
  resource  TEXT NOT NULL,
  record_id TEXT NOT NULL, -- of a trade made from fills: the execution that opened it then, see stated_trades
  import_id INTEGER NOT NULL,
  kind      TEXT NOT NULL CHECK (kind IN ('stated', 'removed', 'foreign')), -- foreign: what another program had written before this line
  path      TEXT NOT NULL DEFAULT '', -- of the note that states it
  fields    TEXT CHECK (fields IS NULL OR json_valid(fields)), -- values by name; or names, of fields with the record's values; NULL: those that imports.stated names, else all. A foreign null: the record was removed
  place     INTEGER, -- of a trade: its place in the file; in a note: the line
  account   TEXT, -- of a trade: as the file, or --account, names it, before renames; '': none; NULL: unknown
  clock     TEXT, -- of a closed trade: entry and exit as written, without a zone: 2026-11-20T09:31:05.000/2026-11-20T09:45:00.000; '': the file states the zone; NULL: unknown
  digits    INTEGER, -- of a closed trade: as in import_fills
  PRIMARY KEY (user_id, resource, record_id, import_id, kind, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE stated_trades (
  user_id  TEXT NOT NULL REFERENCES users (id),
  id       TEXT NOT NULL, -- fills.execution_id
  trade_id TEXT NOT NULL, -- the trade that shows it now
  held     TEXT NOT NULL CHECK (json_valid(held)), -- [{"fill": "...", "quantity": 1}] when it was said
  PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

-- What rows state that they realised is known once their files are read again.
ALTER TABLE import_fills ADD COLUMN gross_pnl REAL;
ALTER TABLE import_fills ADD COLUMN net_pnl REAL;

CREATE TABLE unmatched_closes (
  user_id    TEXT NOT NULL,
  fill_id    TEXT NOT NULL,
  account    TEXT COLLATE NOCASE,
  symbol     TEXT NOT NULL COLLATE NOCASE CHECK (length(symbol) BETWEEN 1 AND 64),
  market     TEXT NOT NULL CHECK (market IN ('stock', 'option', 'future', 'forex', 'crypto', 'cfd', 'other')),
  underlying TEXT COLLATE NOCASE,
  currency   TEXT NOT NULL CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0),
  closed_at  TEXT NOT NULL CHECK (closed_at IS strftime('%Y-%m-%dT%H:%M:%fZ', closed_at, '+0 days') AND closed_at BETWEEN '0001' AND '9999'),
  has_time   INTEGER NOT NULL CHECK (has_time IN (0, 1)),
  quantity   REAL CHECK (quantity >= 0 AND quantity < 1e18), -- without an opening; NULL: all that was open
  fees       REAL NOT NULL CHECK (abs(fees) < 1e15), -- of this quantity
  net_pnl    REAL CHECK (abs(net_pnl) < 1e15), -- that the row states of it; NULL: nothing
  fx_rate    REAL CHECK (fx_rate > 0 AND fx_rate < 1e12), -- 1 unit of currency in the user's base currency; NULL: unknown
  opened_on  TEXT CHECK (opened_on IS date(opened_on, '+0 days') AND opened_on BETWEEN '0001' AND '9999-12-31'), -- the day of the opening, if the row states it
  PRIMARY KEY (user_id, fill_id),
  FOREIGN KEY (user_id, fill_id) REFERENCES fills (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX unmatched_closes_closed ON unmatched_closes (user_id, closed_at);

INSERT INTO unmatched_closes
SELECT f.user_id, f.id, f.account, f.symbol, f.market, f.underlying, f.currency, f.executed_at, f.has_time, f.quantity, f.fees, NULL,
  iif(f.rate_base = u.base_currency, f.rate, NULL), NULL
FROM fills AS f JOIN users AS u ON u.id = f.user_id
WHERE f.kind IN ('trade', 'expiration', 'assignment', 'exercise', 'delivery') AND f.part IS NULL
  AND (f.kind <> 'trade' OR f.effect IN ('close', 'close_then_open') OR f.effect IS NULL AND f.side = 'sell' AND f.may_short = 0)
  AND NOT EXISTS (SELECT 1 FROM executions AS e WHERE e.user_id = f.user_id AND e.fill_id = f.execution_id);
