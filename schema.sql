-- The journal: one SQLite file with its users and all their records.
--
-- Any SQLite client may write it, as long as it keeps to what is declared here:
--   ids         letters, digits and . _ : ~ -, at most 128, unique per user and table, but not . or .., which no address can hold; every
--               reference stays within one user
--   times       text, RFC 3339 in UTC with milliseconds: 2026-11-20T14:30:00.000Z, in the years 0001 to 9998: no zone leads out of four digits
--   dates       text, 2026-11-20, a calendar day of the user's time zone, in the same years
--   booleans    0 or 1
--   lists       JSON text; '[]' if empty
--   money       a number in the record's own currency; fees are costs and positive. Divisors have a minimum, or a ratio would be infinite
-- Run "PRAGMA foreign_keys = ON" first: SQLite checks references only if a connection asks for it.
-- Tables hold facts. Derived values are computed: from one trade alone (net P&L, risk, R, holding time) by the table itself, from more
-- (outcome, group totals) by the views at the end.

PRAGMA application_id = 1785884268; -- 'jrnl'
PRAGMA user_version = 12;

CREATE TABLE users (
  id                  TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 128 AND id NOT GLOB '*[^A-Za-z0-9._:~-]*' AND instr(id, char(0)) = 0),
  name                TEXT,
  timezone            TEXT NOT NULL DEFAULT 'UTC', -- IANA name, such as America/New_York
  base_currency       TEXT NOT NULL DEFAULT 'USD' CHECK (length(base_currency) BETWEEN 2 AND 10 AND base_currency NOT GLOB '*[^A-Z0-9]*' AND instr(base_currency, char(0)) = 0),
  starting_balance    REAL CHECK (starting_balance >= 1e-8 AND starting_balance < 1e15),
  breakeven_tolerance REAL NOT NULL DEFAULT 0 CHECK (breakeven_tolerance >= 0 AND breakeven_tolerance < 1e15),
  created_at          TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (created_at IS strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+0 days') AND created_at BETWEEN '0001' AND '9999'),
  updated_at          TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (updated_at IS strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+0 days') AND updated_at BETWEEN '0001' AND '9999')
) STRICT, WITHOUT ROWID;

-- Legs analysed as one position. Leg count, ids and totals come from the trades: see trade_group_records.
CREATE TABLE trade_groups (
  user_id      TEXT NOT NULL REFERENCES users (id),
  id           TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 128 AND id NOT GLOB '*[^A-Za-z0-9._:~-]*' AND instr(id, char(0)) = 0 AND id NOT IN ('.', '..')),
  name         TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('multi_leg', 'scaled', 'rolled', 'hedge', 'custom')),
  strategy     TEXT,
  underlying   TEXT COLLATE NOCASE,
  market       TEXT NOT NULL CHECK (market IN ('stock', 'option', 'future', 'forex', 'crypto', 'cfd', 'other')),
  status       TEXT NOT NULL CHECK (status IN ('open', 'closed')),
  opened_at    TEXT NOT NULL CHECK (opened_at IS strftime('%Y-%m-%dT%H:%M:%fZ', opened_at, '+0 days') AND opened_at BETWEEN '0001' AND '9999'),
  closed_at    TEXT CHECK (closed_at IS strftime('%Y-%m-%dT%H:%M:%fZ', closed_at, '+0 days') AND closed_at BETWEEN '0001' AND '9999'),
  currency     TEXT NOT NULL CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0),
  initial_risk REAL CHECK (initial_risk >= 1e-8 AND initial_risk < 1e15),
  tags         TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(tags) THEN json_type(tags) = 'array' AND instr(tags, char(0)) = 0 ELSE 0 END),
  notes        TEXT,
  created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (created_at IS strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+0 days') AND created_at BETWEEN '0001' AND '9999'),
  updated_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (updated_at IS strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+0 days') AND updated_at BETWEEN '0001' AND '9999'),
  setup        TEXT COLLATE NOCASE,
  mistakes     TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(mistakes) THEN json_type(mistakes) = 'array' AND instr(mistakes, char(0)) = 0 ELSE 0 END),
  rating       INTEGER CHECK (rating BETWEEN 1 AND 5),
  is_whole     INTEGER AS (1), -- 0 if not all of its legs are visible, as a key may show only some
  fields       TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END), -- named by the trader: {"confluence": 3}
  PRIMARY KEY (user_id, id),
  CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
  CHECK (closed_at IS NULL OR closed_at >= opened_at)
) STRICT;
CREATE INDEX trade_groups_opened ON trade_groups (user_id, opened_at, id, kind);

-- One position, flat to flat. gross_pnl is the realised P&L before fees, so far if open. Net money is rounded to 8 decimals, so that
-- binary noise doesn't matter. Four columns are computed when read and not stored: an INSERT must name the other columns, and
-- the shell's .import needs an intermediate table. Without an initial_risk, the risk is the loss at the stop, if the stop is on the
-- losing side. mae and mfe with a bound are computed from candles, and those without are a platform's.
CREATE TABLE trades (
  user_id       TEXT NOT NULL REFERENCES users (id),
  id            TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 128 AND id NOT GLOB '*[^A-Za-z0-9._:~-]*' AND instr(id, char(0)) = 0 AND id NOT IN ('.', '..')),
  account       TEXT COLLATE NOCASE,
  symbol        TEXT NOT NULL COLLATE NOCASE CHECK (length(symbol) BETWEEN 1 AND 64 AND length(CAST(symbol AS BLOB)) <= 256 AND instr(symbol, char(0)) = 0),
  market        TEXT NOT NULL CHECK (market IN ('stock', 'option', 'future', 'forex', 'crypto', 'cfd', 'other')),
  side          TEXT NOT NULL CHECK (side IN ('long', 'short')),
  status        TEXT NOT NULL CHECK (status IN ('open', 'closed')),
  executed_at   TEXT NOT NULL CHECK (executed_at IS strftime('%Y-%m-%dT%H:%M:%fZ', executed_at, '+0 days') AND executed_at BETWEEN '0001' AND '9999'),
  closed_at     TEXT CHECK (closed_at IS strftime('%Y-%m-%dT%H:%M:%fZ', closed_at, '+0 days') AND closed_at BETWEEN '0001' AND '9999'),
  quantity      REAL NOT NULL CHECK (quantity > 0 AND quantity < 1e18),
  open_quantity REAL NOT NULL CHECK (open_quantity >= 0 AND open_quantity < 1e18),
  multiplier    REAL NOT NULL DEFAULT 1 CHECK (multiplier > 0 AND multiplier < 1e12),
  entry_price   REAL NOT NULL CHECK (abs(entry_price) < 1e15),
  exit_price    REAL CHECK (abs(exit_price) < 1e15),
  currency      TEXT NOT NULL CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0),
  fx_rate       REAL CHECK (fx_rate >= 1e-12 AND fx_rate < 1e12), -- 1 unit of currency in the user's base currency; NULL in that currency itself
  gross_pnl     REAL NOT NULL CHECK (abs(gross_pnl) < 1e15),
  fees          REAL NOT NULL DEFAULT 0 CHECK (fees >= 0 AND fees < 1e15),
  initial_risk  REAL CHECK (initial_risk >= 1e-8 AND initial_risk < 1e15),
  stop_loss     REAL CHECK (abs(stop_loss) < 1e15),
  take_profit   REAL CHECK (abs(take_profit) < 1e15),
  mae           REAL CHECK (abs(mae) < 1e15),
  mfe           REAL CHECK (abs(mfe) < 1e15),
  setup         TEXT COLLATE NOCASE,
  timeframe     TEXT,
  tags          TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(tags) THEN json_type(tags) = 'array' AND instr(tags, char(0)) = 0 ELSE 0 END),
  mistakes      TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(mistakes) THEN json_type(mistakes) = 'array' AND instr(mistakes, char(0)) = 0 ELSE 0 END),
  rating        INTEGER CHECK (rating BETWEEN 1 AND 5),
  notes         TEXT,
  group_id      TEXT,
  underlying    TEXT COLLATE NOCASE,
  expiration    TEXT CHECK (expiration IS date(expiration, '+0 days') AND expiration BETWEEN '0001' AND '9999-12-31'),
  strike        REAL CHECK (abs(strike) < 1e15),
  option_type   TEXT CHECK (option_type IN ('call', 'put')),
  source        TEXT,
  created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (created_at IS strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+0 days') AND created_at BETWEEN '0001' AND '9999'),
  updated_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (updated_at IS strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+0 days') AND updated_at BETWEEN '0001' AND '9999'),
  net_pnl       REAL AS (round(gross_pnl - fees, 8)),
  risk          REAL AS (coalesce(initial_risk, nullif(max(0, round(
                  CASE side WHEN 'long' THEN entry_price - stop_loss ELSE stop_loss - entry_price END * quantity * multiplier, 8)), 0))),
  r_multiple    REAL AS (CASE WHEN status = 'closed' THEN net_pnl / risk END),
  holding_seconds REAL AS (round((julianday(closed_at) - julianday(executed_at)) * 86400, 3)),
  mae_bound     REAL CHECK (abs(mae_bound) < 1e15),
  mfe_bound     REAL CHECK (abs(mfe_bound) < 1e15),
  has_time      INTEGER NOT NULL DEFAULT 1 CHECK (has_time IN (0, 1)), -- 0: the entry, or the exit, is a date without a time: the start of that day in the user's zone
  attachments   TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(attachments) THEN json_type(attachments) = 'array' AND instr(attachments, char(0)) = 0 ELSE 0 END), -- [{"url": "/v1/attachments/...", "caption": null, "width": 800, "height": 600}]
  fields        TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END), -- named by the trader: {"confluence": 3}
  dated_costs   TEXT CHECK (dated_costs IS NULL OR CASE WHEN json_valid(dated_costs) THEN json_type(dated_costs) = 'array' AND instr(dated_costs, char(0)) = 0 ELSE 0 END), -- those of its fees that have days of their own, such as funding: [["2026-11-20T08:00:00.000Z", 0.12, rate of the day of an open trade in another currency, or null], ...]
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, group_id) REFERENCES trade_groups (user_id, id),
  CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
  CHECK (closed_at IS NULL OR closed_at >= executed_at),
  CHECK (status = 'open' OR open_quantity = 0)
) STRICT;
CREATE INDEX trades_dated_costs ON trades (user_id, closed_at, id) WHERE dated_costs IS NOT NULL;
CREATE INDEX trades_pictures ON trades (user_id, attachments) WHERE instr(attachments, '/v1/attachments/') > 0;
CREATE INDEX trades_status ON trades (user_id, status, executed_at, id);
CREATE INDEX trades_executed ON trades (user_id, executed_at, id);
CREATE INDEX trades_closed ON trades (user_id, closed_at, id, executed_at);
CREATE INDEX trades_symbol ON trades (user_id, symbol, executed_at, id);
CREATE INDEX trades_group ON trades (user_id, group_id, executed_at, id);
CREATE INDEX trades_days ON trades (user_id, executed_at) WHERE has_time = 0;

CREATE TABLE executions (
  user_id     TEXT NOT NULL,
  trade_id    TEXT NOT NULL,
  position    INTEGER NOT NULL CHECK (position >= 0), -- the order within the trade, where times are equal
  executed_at TEXT NOT NULL CHECK (executed_at IS strftime('%Y-%m-%dT%H:%M:%fZ', executed_at, '+0 days') AND executed_at BETWEEN '0001' AND '9999'),
  side        TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
  quantity    REAL NOT NULL CHECK (quantity > 0 AND quantity < 1e18),
  price       REAL NOT NULL CHECK (abs(price) < 1e15),
  fees        REAL NOT NULL DEFAULT 0 CHECK (abs(fees) < 1e15),
  fill_id     TEXT, -- fills.execution_id, where a trade was made from fills
  has_time    INTEGER NOT NULL DEFAULT 1 CHECK (has_time IN (0, 1)), -- 0: a date without a time
  stated_gross_pnl REAL, -- of an exit made from a fill: P&L that the fill states before costs; NULL: none
  stated_net_pnl   REAL, -- the same after costs
  fx_rate     REAL CHECK (fx_rate > 0 AND fx_rate < 1e12), -- of an exit of an open trade in another currency: the rate of its day; NULL: the trade's
  PRIMARY KEY (user_id, trade_id, position),
  FOREIGN KEY (user_id, trade_id) REFERENCES trades (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX executions_further ON executions (user_id, trade_id) WHERE position >= 2; -- trades that may have several exits
CREATE INDEX executions_rated ON executions (user_id, trade_id) WHERE fx_rate IS NOT NULL;
CREATE INDEX executions_days ON executions (user_id, executed_at) WHERE has_time = 0;
CREATE INDEX executions_fill ON executions (user_id, fill_id) WHERE fill_id IS NOT NULL;

-- Tables of the import: files, and the fills that platforms state. "journal-api import" makes trades from fills, and updates them if
-- fills are added or removed. No other program needs these thirteen tables.
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
  of          INTEGER, -- of a change: the import that it changed
  options     TEXT CHECK (options IS NULL OR json_valid(options)), -- as typed: {"timezone": "America/Chicago"}; NULL: unknown, from an earlier version
  mapping     TEXT, -- contents of the file that --map named
  path        TEXT, -- of the file, with its folders
  timezone    TEXT, -- IANA name: the zone in which its times without one were read; NULL: its file states them all
  holder      TEXT, -- account of its rows without one: an earlier file holds some of them in it
  date_order  TEXT CHECK (date_order IN ('dmy', 'mdy')), -- of its dates, if they have the year last; NULL: the year first, or unknown
  stated      TEXT CHECK (stated IS NULL OR json_valid(stated)), -- fields of records that it states, by resource: {"trades": ["id", "setup"]}
  revision    INTEGER, -- of its format's reader
  cash        TEXT CHECK (cash IS NULL OR json_valid(cash)), -- ending cash that its file states: [{account, currency, amount, at}]
  PRIMARY KEY (user_id, id)
) STRICT;

-- Contents of imported files, each once, in pieces compressed with gzip: unpacked they follow each other.
CREATE TABLE kept_files (
  user_id TEXT NOT NULL REFERENCES users (id),
  sha256  TEXT NOT NULL CHECK (length(sha256) = 64), -- of the unpacked bytes
  piece   INTEGER NOT NULL CHECK (piece >= 0),
  bytes   BLOB NOT NULL,
  PRIMARY KEY (user_id, sha256, piece)
) STRICT;

-- What an import keeps: its file, or each of its notes. Of the files of one path, only the last three versions.
CREATE TABLE import_files (
  user_id   TEXT NOT NULL REFERENCES users (id),
  import_id INTEGER NOT NULL,
  place     INTEGER NOT NULL CHECK (place >= 0),
  kind      TEXT NOT NULL CHECK (kind IN ('file', 'note', 'printed')), -- printed: a day's note before it was edited
  file      TEXT, -- of a note, with its folders
  path      TEXT, -- of a note, within its vault
  sha256    TEXT NOT NULL,
  PRIMARY KEY (user_id, import_id, place),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id),
  CHECK ((kind = 'file') = (path IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX import_files_content ON import_files (user_id, sha256);

-- Pictures that lines of the list of imports state. Their bytes lie beside the journal's file, each once, named by their SHA-256.
CREATE TABLE import_pictures (
  user_id   TEXT NOT NULL,
  import_id INTEGER NOT NULL,
  path      TEXT NOT NULL, -- of the note that shows it, as import_records.path; '': of a command
  written   TEXT NOT NULL, -- how the note names it: img/chart.png
  sha256    TEXT NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
  type      TEXT NOT NULL CHECK (type IN ('png', 'jpg', 'webp', 'gif')),
  width     INTEGER NOT NULL CHECK (width > 0),
  height    INTEGER NOT NULL CHECK (height > 0),
  bytes     INTEGER NOT NULL CHECK (bytes > 0),
  PRIMARY KEY (user_id, import_id, path, written),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX import_pictures_content ON import_pictures (user_id, sha256);

-- Fills, or stated parts of fills. The parts of an execution share its execution_id.
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
  stated_gross_pnl REAL, -- P&L that its row states before costs; NULL: none
  stated_net_pnl   REAL, -- the same after costs
  lots          TEXT CHECK (lots IS NULL OR json_valid(lots)), -- what it closed, if its file states it: [["2025-11-03", units, cost with its costs], ...]
  PRIMARY KEY (user_id, id)
) STRICT;
CREATE INDEX fills_walk ON fills (user_id, platform, symbol, executed_at);
CREATE INDEX fills_days ON fills (user_id, executed_at) WHERE has_time = 0;
CREATE INDEX fills_execution ON fills (user_id, execution_id);
CREATE INDEX fills_order ON fills (user_id, platform, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX fills_symbol_change ON fills (user_id, platform) WHERE kind = 'symbol_change';

-- Statements of fills by files: what each wrote. A fill is what they add up to: the most digits, the highest fees, a named account.
CREATE TABLE import_fills (
  user_id     TEXT NOT NULL,
  fill_id     TEXT NOT NULL,
  import_id   INTEGER NOT NULL,
  place       INTEGER NOT NULL,
  fees        REAL NOT NULL,
  fees_stated INTEGER NOT NULL DEFAULT 1 CHECK (fees_stated IN (0, 1)),
  account     TEXT, -- as the file, or --account, names it, before renames; '': none; NULL: unknown, from an earlier version
  clock       TEXT, -- date and time as written, without a zone: 2026-11-20T09:31:05.000; '': the file states the zone; NULL: unknown, from an earlier version
  digits      INTEGER, -- most that the file has of the instrument: parts of times x 10000 + decimals of prices x 100 + of quantities; NULL: unknown
  executed_at TEXT, -- of this and the next three, NULL: as in the fill
  price       REAL,
  quantity    REAL,
  identity    TEXT, -- the platform's id of the execution, if the fill's id lacks it
  gross_pnl   REAL, -- P&L that the row states before costs; NULL: none
  net_pnl     REAL, -- the same after costs
  lots        TEXT, -- as in fills
  PRIMARY KEY (user_id, fill_id, import_id),
  FOREIGN KEY (user_id, fill_id) REFERENCES fills (user_id, id),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX import_fills_import ON import_fills (user_id, import_id);

-- Closes whose opening no file states, so that they belong to no trade.
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

-- Totals that files state, and that differed for no known reason when the file was imported, compared anew after each change of fills.
CREATE TABLE stated_totals (
  user_id      TEXT NOT NULL,
  import_id    INTEGER NOT NULL,
  place        INTEGER NOT NULL CHECK (place >= 0), -- among the totals of its file
  file         TEXT NOT NULL, -- its name, without folders
  what         TEXT NOT NULL CHECK (what IN ('gross', 'net', 'fees', 'position')), -- position: open units, below 0 if short
  currency     TEXT NOT NULL CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0),
  symbol       TEXT COLLATE NOCASE CHECK (length(symbol) BETWEEN 1 AND 64), -- NULL: of all symbols
  amount       REAL NOT NULL CHECK (abs(amount) < 1e15), -- that the file states
  of_rows      REAL CHECK (abs(of_rows) < 1e15), -- that its rows add up to, if that is another amount
  is_total     INTEGER NOT NULL CHECK (is_total IN (0, 1)), -- 0: the sum of what its rows state
  is_realised  INTEGER NOT NULL CHECK (is_realised IN (0, 1)), -- 1: without the costs of open positions
  with_options INTEGER NOT NULL CHECK (with_options IN (0, 1)), -- 1: options on the symbol included
  here         REAL NOT NULL, -- of the file's trades and unmatched closes
  cause        TEXT CHECK (cause IN ('unmatched_closes', 'no_trades', 'unknown')), -- NULL: it is settled
  account      TEXT COLLATE NOCASE, -- of the file's trades; NULL: they have none, or several
  opened_at    TEXT, -- when the first of these trades was opened; NULL: unknown, as with an unmatched close
  closed_at    TEXT, -- when the last of them was closed, or opened
  PRIMARY KEY (user_id, import_id, place),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;

-- Statements of records by lines of the list of imports. A record is what they add up to: of a field the latest, of a list all items.
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
CREATE INDEX import_records_import ON import_records (user_id, import_id);
CREATE INDEX import_records_path ON import_records (user_id, path) WHERE path <> '';

-- Trades made from fills that something was said about, by the execution that opened them then: trades merge and part. The trade that has
-- most of what that trade held shows it.
CREATE TABLE stated_trades (
  user_id  TEXT NOT NULL REFERENCES users (id),
  id       TEXT NOT NULL, -- fills.execution_id
  trade_id TEXT NOT NULL, -- the trade that shows it now
  held     TEXT NOT NULL CHECK (json_valid(held)), -- [{"fill": "...", "quantity": 1}] when it was said
  PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX stated_trades_trade ON stated_trades (user_id, trade_id);

-- The trader's own fees, for fills without stated fees: the row of the latest import counts, and one without amounts ends the fee.
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
CREATE INDEX fee_rates_import ON fee_rates (user_id, import_id);

-- Exchange rates that users set or imported, of trades whose files state none.
CREATE TABLE exchange_rates (
  user_id   TEXT NOT NULL,
  import_id INTEGER NOT NULL,
  currency  TEXT NOT NULL,
  base      TEXT NOT NULL, -- the user's base currency then: with another one they are unused
  kind      TEXT NOT NULL CHECK (kind IN ('set', 'table', 'removed')), -- removed: earlier set ones end
  days      TEXT NOT NULL CHECK (json_valid(days)), -- {"2026-11-20": 1.09}: 1 unit of currency in base; of a set one from that day, '' for all days
  PRIMARY KEY (user_id, import_id, currency),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;

-- The trades whose fx_rate is from these rates. Any other writer's fx_rate is the trade's own.
CREATE TABLE rated_trades (
  user_id  TEXT NOT NULL,
  trade_id TEXT NOT NULL,
  PRIMARY KEY (user_id, trade_id),
  FOREIGN KEY (user_id, trade_id) REFERENCES trades (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Renamed accounts: files that name one lead to its new name. The row of the latest import counts.
CREATE TABLE account_names (
  user_id   TEXT NOT NULL,
  import_id INTEGER NOT NULL,
  name      TEXT NOT NULL COLLATE NOCASE, -- '': no account
  renamed   TEXT NOT NULL,
  PRIMARY KEY (user_id, import_id),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;

-- Limits of accounts as their firms state them. The row of the latest import counts; one without rules ends the limits.
CREATE TABLE account_limits (
  user_id        TEXT NOT NULL,
  import_id      INTEGER NOT NULL,
  account        TEXT NOT NULL COLLATE NOCASE CHECK (length(account) BETWEEN 1 AND 200 AND instr(account, char(0)) = 0),
  balance        REAL CHECK (balance >= 0 AND balance < 1e12), -- at the start; amounts are in currency
  max_loss       REAL CHECK (max_loss >= 1e-8 AND max_loss < 1e12),
  trailing       TEXT CHECK (trailing IN ('static', 'eod', 'intraday')),
  locks_at       REAL CHECK (abs(locks_at) < 1e12), -- the floor never rises above it
  daily_loss     REAL CHECK (daily_loss >= 1e-8 AND daily_loss < 1e12),
  target         REAL CHECK (target >= 1e-8 AND target < 1e12), -- profit
  best_day       REAL CHECK (best_day >= 0.0001 AND best_day <= 1), -- maximum share of the best day in the profit
  min_days       INTEGER CHECK (min_days BETWEEN 1 AND 1000),
  min_day_profit REAL CHECK (min_day_profit >= 1e-8 AND min_day_profit < 1e12), -- of a day that counts
  day_ends       TEXT CHECK (day_ends GLOB '[0-2][0-9]:[0-5][0-9]' AND day_ends < '24' AND instr(day_ends, char(0)) = 0), -- local time; NULL: midnight
  timezone       TEXT CHECK (length(timezone) <= 100), -- IANA name; NULL: the user's
  since          TEXT CHECK (since IS date(since, '+0 days') AND since BETWEEN '0001' AND '9999'), -- first day
  currency       TEXT CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0), -- NULL: that of its trades
  PRIMARY KEY (user_id, import_id, account),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id),
  CHECK ((balance IS NULL) = (max_loss IS NULL) AND (balance IS NULL) = (trailing IS NULL))
) STRICT, WITHOUT ROWID;

-- Ids that trades had before their file was read again, or their account renamed: notes may name them.
CREATE TABLE former_trades (
  user_id  TEXT NOT NULL REFERENCES users (id),
  id       TEXT NOT NULL,
  trade_id TEXT NOT NULL, -- its id now
  PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

-- The group that an import found for the trade opened by a fill. If the trade is in another group, or in none, the user decided so, and
-- imports keep it. The row outlives the fill, which may be imported again.
CREATE TABLE found_groups (
  user_id      TEXT NOT NULL REFERENCES users (id),
  execution_id TEXT NOT NULL, -- fills.execution_id
  group_id     TEXT NOT NULL,
  PRIMARY KEY (user_id, execution_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX found_groups_group ON found_groups (user_id, group_id);

CREATE TABLE trade_journals (
  user_id          TEXT NOT NULL,
  id               TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 128 AND id NOT GLOB '*[^A-Za-z0-9._:~-]*' AND instr(id, char(0)) = 0 AND id NOT IN ('.', '..')),
  trade_id         TEXT NOT NULL,
  phase            TEXT NOT NULL CHECK (phase IN ('pre_trade', 'during', 'post_trade', 'review')),
  title            TEXT,
  body             TEXT, -- Markdown
  went_well        TEXT,
  went_wrong       TEXT,
  lesson           TEXT,
  emotions         TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(emotions) THEN json_type(emotions) = 'array' AND instr(emotions, char(0)) = 0 ELSE 0 END),
  confidence       INTEGER CHECK (confidence BETWEEN 1 AND 5),
  execution_rating INTEGER CHECK (execution_rating BETWEEN 1 AND 5),
  followed_plan    INTEGER CHECK (followed_plan IN (0, 1)),
  rules            TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(rules) THEN json_type(rules) = 'array' AND instr(rules, char(0)) = 0 ELSE 0 END), -- [{"rule": "...", "followed": true}]
  mistakes         TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(mistakes) THEN json_type(mistakes) = 'array' AND instr(mistakes, char(0)) = 0 ELSE 0 END),
  tags             TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(tags) THEN json_type(tags) = 'array' AND instr(tags, char(0)) = 0 ELSE 0 END),
  attachments      TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(attachments) THEN json_type(attachments) = 'array' AND instr(attachments, char(0)) = 0 ELSE 0 END), -- [{"url": "https://...", "caption": null}]
  created_at       TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (created_at IS strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+0 days') AND created_at BETWEEN '0001' AND '9999'),
  updated_at       TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (updated_at IS strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+0 days') AND updated_at BETWEEN '0001' AND '9999'),
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, trade_id) REFERENCES trades (user_id, id)
) STRICT;
CREATE INDEX trade_journals_pictures ON trade_journals (user_id, attachments) WHERE instr(attachments, '/v1/attachments/') > 0;
CREATE INDEX trade_journals_created ON trade_journals (user_id, created_at, id);
CREATE INDEX trade_journals_trade ON trade_journals (user_id, trade_id, created_at, id);

CREATE TABLE group_journals (
  user_id          TEXT NOT NULL,
  id               TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 128 AND id NOT GLOB '*[^A-Za-z0-9._:~-]*' AND instr(id, char(0)) = 0 AND id NOT IN ('.', '..')),
  group_id         TEXT NOT NULL,
  phase            TEXT NOT NULL CHECK (phase IN ('pre_trade', 'during', 'post_trade', 'review')),
  title            TEXT,
  body             TEXT, -- Markdown
  went_well        TEXT,
  went_wrong       TEXT,
  lesson           TEXT,
  emotions         TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(emotions) THEN json_type(emotions) = 'array' AND instr(emotions, char(0)) = 0 ELSE 0 END),
  confidence       INTEGER CHECK (confidence BETWEEN 1 AND 5),
  execution_rating INTEGER CHECK (execution_rating BETWEEN 1 AND 5),
  followed_plan    INTEGER CHECK (followed_plan IN (0, 1)),
  rules            TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(rules) THEN json_type(rules) = 'array' AND instr(rules, char(0)) = 0 ELSE 0 END),
  mistakes         TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(mistakes) THEN json_type(mistakes) = 'array' AND instr(mistakes, char(0)) = 0 ELSE 0 END),
  tags             TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(tags) THEN json_type(tags) = 'array' AND instr(tags, char(0)) = 0 ELSE 0 END),
  attachments      TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(attachments) THEN json_type(attachments) = 'array' AND instr(attachments, char(0)) = 0 ELSE 0 END),
  created_at       TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (created_at IS strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+0 days') AND created_at BETWEEN '0001' AND '9999'),
  updated_at       TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (updated_at IS strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+0 days') AND updated_at BETWEEN '0001' AND '9999'),
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, group_id) REFERENCES trade_groups (user_id, id)
) STRICT;
CREATE INDEX group_journals_pictures ON group_journals (user_id, attachments) WHERE instr(attachments, '/v1/attachments/') > 0;
CREATE INDEX group_journals_created ON group_journals (user_id, created_at, id);
CREATE INDEX group_journals_group ON group_journals (user_id, group_id, created_at, id);

CREATE TABLE sessions (
  user_id        TEXT NOT NULL REFERENCES users (id),
  id             TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 128 AND id NOT GLOB '*[^A-Za-z0-9._:~-]*' AND instr(id, char(0)) = 0 AND id NOT IN ('.', '..')),
  date           TEXT NOT NULL CHECK (date IS date(date, '+0 days') AND date BETWEEN '0001' AND '9999'),
  name           TEXT,
  started_at     TEXT CHECK (started_at IS strftime('%Y-%m-%dT%H:%M:%fZ', started_at, '+0 days') AND started_at BETWEEN '0001' AND '9999'),
  ended_at       TEXT CHECK (ended_at IS strftime('%Y-%m-%dT%H:%M:%fZ', ended_at, '+0 days') AND ended_at BETWEEN '0001' AND '9999'),
  plan           TEXT,
  notes          TEXT,
  goals          TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(goals) THEN json_type(goals) = 'array' AND instr(goals, char(0)) = 0 ELSE 0 END), -- [{"text": "...", "met": null}]
  mood           TEXT,
  energy         INTEGER CHECK (energy BETWEEN 1 AND 5),
  sleep_hours    REAL CHECK (sleep_hours BETWEEN 0 AND 24),
  -- {"bias", "condition", "key_levels": [{"symbol", "price", "kind", "note"}], "news": ["..."], "notes"}
  market_context TEXT CHECK (market_context IS NULL OR CASE WHEN json_valid(market_context) THEN
                   json_type(market_context, '$.key_levels') IS 'array' AND json_type(market_context, '$.news') IS 'array'
                   AND instr(market_context, char(0)) = 0 ELSE 0 END),
  -- {"went_well", "went_wrong", "lesson", "followed_plan", "rating", "mistakes": ["..."], "reviewed_at"}
  review         TEXT CHECK (review IS NULL OR CASE WHEN json_valid(review) THEN json_type(review, '$.mistakes') IS 'array' AND instr(review, char(0)) = 0 ELSE 0 END),
  tags           TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(tags) THEN json_type(tags) = 'array' AND instr(tags, char(0)) = 0 ELSE 0 END),
  created_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (created_at IS strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+0 days') AND created_at BETWEEN '0001' AND '9999'),
  updated_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (updated_at IS strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+0 days') AND updated_at BETWEEN '0001' AND '9999'),
  attachments    TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(attachments) THEN json_type(attachments) = 'array' AND instr(attachments, char(0)) = 0 ELSE 0 END),
  fields         TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END), -- named by the trader: {"confluence": 3}
  PRIMARY KEY (user_id, id),
  CHECK (started_at IS NULL OR ended_at IS NULL OR ended_at >= started_at)
) STRICT;
CREATE INDEX sessions_pictures ON sessions (user_id, attachments) WHERE instr(attachments, '/v1/attachments/') > 0;
CREATE INDEX sessions_date ON sessions (user_id, date, id);

CREATE TABLE weekly_reviews (
  user_id        TEXT NOT NULL REFERENCES users (id),
  id             TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 128 AND id NOT GLOB '*[^A-Za-z0-9._:~-]*' AND instr(id, char(0)) = 0 AND id NOT IN ('.', '..')),
  period_start   TEXT NOT NULL CHECK (period_start IS date(period_start, '+0 days') AND period_start BETWEEN '0001' AND '9999'),
  period_end     TEXT NOT NULL CHECK (period_end IS date(period_end, '+0 days') AND period_end BETWEEN '0001' AND '9999'),
  summary        TEXT,
  went_well      TEXT,
  went_wrong     TEXT,
  lesson         TEXT,
  focus          TEXT,
  goals          TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(goals) THEN json_type(goals) = 'array' AND instr(goals, char(0)) = 0 ELSE 0 END), -- [{"text": "...", "met": null}]
  next_goals     TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(next_goals) THEN json_type(next_goals) = 'array' AND instr(next_goals, char(0)) = 0 ELSE 0 END),
  best_trade_id  TEXT,
  worst_trade_id TEXT,
  rating         INTEGER CHECK (rating BETWEEN 1 AND 5),
  mistakes       TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(mistakes) THEN json_type(mistakes) = 'array' AND instr(mistakes, char(0)) = 0 ELSE 0 END),
  reviewed_at    TEXT CHECK (reviewed_at IS strftime('%Y-%m-%dT%H:%M:%fZ', reviewed_at, '+0 days') AND reviewed_at BETWEEN '0001' AND '9999'),
  created_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (created_at IS strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+0 days') AND created_at BETWEEN '0001' AND '9999'),
  updated_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (updated_at IS strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+0 days') AND updated_at BETWEEN '0001' AND '9999'),
  attachments    TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(attachments) THEN json_type(attachments) = 'array' AND instr(attachments, char(0)) = 0 ELSE 0 END),
  fields         TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END), -- named by the trader: {"confluence": 3}
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, best_trade_id) REFERENCES trades (user_id, id),
  FOREIGN KEY (user_id, worst_trade_id) REFERENCES trades (user_id, id),
  CHECK (period_end >= period_start)
) STRICT;
CREATE INDEX weekly_reviews_pictures ON weekly_reviews (user_id, attachments) WHERE instr(attachments, '/v1/attachments/') > 0;
CREATE INDEX weekly_reviews_period ON weekly_reviews (user_id, period_start, id);

CREATE TABLE missed_trades (
  user_id              TEXT NOT NULL REFERENCES users (id),
  id                   TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 128 AND id NOT GLOB '*[^A-Za-z0-9._:~-]*' AND instr(id, char(0)) = 0 AND id NOT IN ('.', '..')),
  missed_at            TEXT NOT NULL CHECK (missed_at IS strftime('%Y-%m-%dT%H:%M:%fZ', missed_at, '+0 days') AND missed_at BETWEEN '0001' AND '9999'),
  symbol               TEXT NOT NULL COLLATE NOCASE CHECK (length(symbol) BETWEEN 1 AND 64 AND length(CAST(symbol AS BLOB)) <= 256 AND instr(symbol, char(0)) = 0),
  market               TEXT NOT NULL CHECK (market IN ('stock', 'option', 'future', 'forex', 'crypto', 'cfd', 'other')),
  side                 TEXT NOT NULL CHECK (side IN ('long', 'short')),
  setup                TEXT COLLATE NOCASE,
  miss_type            TEXT NOT NULL CHECK (miss_type IN ('hesitated', 'almost_took', 'cancelled', 'away', 'not_filled', 'rule_block', 'other')),
  reason               TEXT,
  planned_entry        REAL CHECK (abs(planned_entry) < 1e15),
  planned_stop         REAL CHECK (abs(planned_stop) < 1e15),
  planned_target       REAL CHECK (abs(planned_target) < 1e15),
  planned_quantity     REAL CHECK (planned_quantity > 0 AND planned_quantity < 1e18),
  hypothetical_outcome TEXT NOT NULL DEFAULT 'unknown' CHECK (hypothetical_outcome IN ('would_win', 'would_lose', 'would_breakeven', 'unknown')),
  hypothetical_r       REAL CHECK (abs(hypothetical_r) < 1e9),
  hypothetical_pnl     REAL CHECK (abs(hypothetical_pnl) < 1e15),
  currency             TEXT NOT NULL CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0),
  emotions             TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(emotions) THEN json_type(emotions) = 'array' AND instr(emotions, char(0)) = 0 ELSE 0 END),
  lesson               TEXT,
  notes                TEXT,
  tags                 TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(tags) THEN json_type(tags) = 'array' AND instr(tags, char(0)) = 0 ELSE 0 END),
  created_at           TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (created_at IS strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+0 days') AND created_at BETWEEN '0001' AND '9999'),
  updated_at           TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (updated_at IS strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+0 days') AND updated_at BETWEEN '0001' AND '9999'),
  PRIMARY KEY (user_id, id)
) STRICT;
CREATE INDEX missed_trades_missed ON missed_trades (user_id, missed_at, id);

-- Money that came to an account or went without a trade, and income and costs that belong to none. Recorded by hand, it counts once with
-- the same of a file: see cash_flow_records.
CREATE TABLE cash_flows (
  user_id     TEXT NOT NULL REFERENCES users (id),
  id          TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 128 AND id NOT GLOB '*[^A-Za-z0-9._:~-]*' AND instr(id, char(0)) = 0 AND id NOT IN ('.', '..')),
  account     TEXT COLLATE NOCASE,
  at          TEXT NOT NULL CHECK (at IS strftime('%Y-%m-%dT%H:%M:%fZ', at, '+0 days') AND at BETWEEN '0001' AND '9999'),
  has_time    INTEGER NOT NULL DEFAULT 1 CHECK (has_time IN (0, 1)), -- 0: a date without a time: the start of that day in the user's zone
  kind        TEXT NOT NULL CHECK (kind IN ('deposit', 'withdrawal', 'dividend', 'interest', 'fee', 'tax', 'payout', 'transfer', 'other')),
  amount      REAL NOT NULL CHECK (amount <> 0 AND abs(amount) < 1e15), -- above 0: money in
  currency    TEXT NOT NULL CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0),
  fx_rate     REAL CHECK (fx_rate >= 1e-12 AND fx_rate < 1e12), -- as stated: 1 unit of currency in the user's base currency
  day_rate    REAL CHECK (day_rate >= 1e-12 AND day_rate < 1e12), -- the user's exchange rate of its day, unless fx_rate is stated
  symbol      TEXT COLLATE NOCASE CHECK (length(symbol) BETWEEN 1 AND 64 AND length(CAST(symbol AS BLOB)) <= 256 AND instr(symbol, char(0)) = 0),
  description TEXT CHECK (length(description) <= 200 AND instr(description, char(0)) = 0),
  by_hand     INTEGER NOT NULL DEFAULT 0 CHECK (by_hand IN (0, 1)), -- 1: recorded by "cash add"
  created_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (created_at IS strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+0 days') AND created_at BETWEEN '0001' AND '9999'),
  updated_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CHECK (updated_at IS strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+0 days') AND updated_at BETWEEN '0001' AND '9999'),
  PRIMARY KEY (user_id, id)
) STRICT;
CREATE INDEX cash_flows_at ON cash_flows (user_id, at, id);
CREATE INDEX cash_flows_alike ON cash_flows (user_id, currency, amount, at);

-- What an account started with, each statement with its line; the latest counts.
CREATE TABLE account_balances (
  user_id          TEXT NOT NULL,
  import_id        INTEGER NOT NULL,
  account          TEXT NOT NULL COLLATE NOCASE CHECK (length(account) BETWEEN 1 AND 200 AND instr(account, char(0)) = 0),
  starting_balance REAL CHECK (abs(starting_balance) < 1e12), -- NULL: none any more
  currency         TEXT NOT NULL CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0),
  PRIMARY KEY (user_id, import_id, account),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;

-- Sets updated_at for rows edited by hand.
CREATE TRIGGER users_touch AFTER UPDATE ON users WHEN NEW.updated_at IS OLD.updated_at
  BEGIN UPDATE users SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = NEW.id; END;
CREATE TRIGGER trade_groups_touch AFTER UPDATE ON trade_groups WHEN NEW.updated_at IS OLD.updated_at
  BEGIN UPDATE trade_groups SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE user_id = NEW.user_id AND id = NEW.id; END;
CREATE TRIGGER trades_touch AFTER UPDATE ON trades WHEN NEW.updated_at IS OLD.updated_at
  BEGIN UPDATE trades SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE user_id = NEW.user_id AND id = NEW.id; END;
CREATE TRIGGER trades_own_rate AFTER UPDATE OF fx_rate ON trades WHEN NEW.fx_rate IS NOT OLD.fx_rate
  BEGIN DELETE FROM rated_trades WHERE user_id = NEW.user_id AND trade_id = NEW.id; END;
CREATE TRIGGER trade_journals_touch AFTER UPDATE ON trade_journals WHEN NEW.updated_at IS OLD.updated_at
  BEGIN UPDATE trade_journals SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE user_id = NEW.user_id AND id = NEW.id; END;
CREATE TRIGGER group_journals_touch AFTER UPDATE ON group_journals WHEN NEW.updated_at IS OLD.updated_at
  BEGIN UPDATE group_journals SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE user_id = NEW.user_id AND id = NEW.id; END;
CREATE TRIGGER sessions_touch AFTER UPDATE ON sessions WHEN NEW.updated_at IS OLD.updated_at
  BEGIN UPDATE sessions SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE user_id = NEW.user_id AND id = NEW.id; END;
CREATE TRIGGER weekly_reviews_touch AFTER UPDATE ON weekly_reviews WHEN NEW.updated_at IS OLD.updated_at
  BEGIN UPDATE weekly_reviews SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE user_id = NEW.user_id AND id = NEW.id; END;
CREATE TRIGGER missed_trades_touch AFTER UPDATE ON missed_trades WHEN NEW.updated_at IS OLD.updated_at
  BEGIN UPDATE missed_trades SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE user_id = NEW.user_id AND id = NEW.id; END;
CREATE TRIGGER cash_flows_touch AFTER UPDATE ON cash_flows WHEN NEW.updated_at IS OLD.updated_at
  BEGIN UPDATE cash_flows SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE user_id = NEW.user_id AND id = NEW.id; END;

-- Lists of words may contain only text.
CREATE TRIGGER trade_groups_words_insert BEFORE INSERT ON trade_groups WHEN EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'tags and mistakes of trade_groups must be JSON lists of strings'); END;
CREATE TRIGGER trade_groups_words_update BEFORE UPDATE OF tags, mistakes ON trade_groups WHEN EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'tags and mistakes of trade_groups must be JSON lists of strings'); END;
CREATE TRIGGER trades_words_insert BEFORE INSERT ON trades WHEN EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'tags and mistakes of trades must be JSON lists of strings'); END;
CREATE TRIGGER trades_words_update BEFORE UPDATE OF tags, mistakes ON trades WHEN EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'tags and mistakes of trades must be JSON lists of strings'); END;
CREATE TRIGGER trade_journals_words_insert BEFORE INSERT ON trade_journals WHEN EXISTS (SELECT 1 FROM json_each(NEW.emotions) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'emotions, mistakes and tags of trade_journals must be JSON lists of strings'); END;
CREATE TRIGGER trade_journals_words_update BEFORE UPDATE OF emotions, mistakes, tags ON trade_journals WHEN EXISTS (SELECT 1 FROM json_each(NEW.emotions) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'emotions, mistakes and tags of trade_journals must be JSON lists of strings'); END;
CREATE TRIGGER group_journals_words_insert BEFORE INSERT ON group_journals WHEN EXISTS (SELECT 1 FROM json_each(NEW.emotions) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'emotions, mistakes and tags of group_journals must be JSON lists of strings'); END;
CREATE TRIGGER group_journals_words_update BEFORE UPDATE OF emotions, mistakes, tags ON group_journals WHEN EXISTS (SELECT 1 FROM json_each(NEW.emotions) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'emotions, mistakes and tags of group_journals must be JSON lists of strings'); END;
CREATE TRIGGER sessions_words_insert BEFORE INSERT ON sessions WHEN EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'tags of sessions must be JSON lists of strings'); END;
CREATE TRIGGER sessions_words_update BEFORE UPDATE OF tags ON sessions WHEN EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'tags of sessions must be JSON lists of strings'); END;
CREATE TRIGGER weekly_reviews_words_insert BEFORE INSERT ON weekly_reviews WHEN EXISTS (SELECT 1 FROM json_each(NEW.next_goals) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'next_goals and mistakes of weekly_reviews must be JSON lists of strings'); END;
CREATE TRIGGER weekly_reviews_words_update BEFORE UPDATE OF next_goals, mistakes ON weekly_reviews WHEN EXISTS (SELECT 1 FROM json_each(NEW.next_goals) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.mistakes) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'next_goals and mistakes of weekly_reviews must be JSON lists of strings'); END;
CREATE TRIGGER missed_trades_words_insert BEFORE INSERT ON missed_trades WHEN EXISTS (SELECT 1 FROM json_each(NEW.emotions) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'emotions and tags of missed_trades must be JSON lists of strings'); END;
CREATE TRIGGER missed_trades_words_update BEFORE UPDATE OF emotions, tags ON missed_trades WHEN EXISTS (SELECT 1 FROM json_each(NEW.emotions) WHERE type <> 'text') OR EXISTS (SELECT 1 FROM json_each(NEW.tags) WHERE type <> 'text')
  BEGIN SELECT RAISE(ABORT, 'emotions and tags of missed_trades must be JSON lists of strings'); END;

-- A trade as the API returns it. The tolerance is slightly enlarged, so that binary noise doesn't matter.
-- A trade in the base currency has rate 1; one without a rate is judged in its own currency.
-- The user's row comes first, once per query: a subselect would look it up for each trade. Comparing gross with fees gives the sign of
-- net_pnl without its slow rounding.
-- realised_pnl of an open trade is its gross P&L less all costs but those of the units still open: the first opened are the first closed,
-- and costs that no execution has are shared by quantity.
CREATE VIEW trade_records AS
SELECT
  u.id AS user_id, t.id, t.account, t.symbol, t.market, t.side, t.status,
  CASE
    WHEN t.status = 'open' THEN NULL
    WHEN abs(t.net_pnl * CASE WHEN t.currency = u.base_currency THEN 1.0 ELSE coalesce(t.fx_rate, 1.0) END)
         <= u.breakeven_tolerance * 1.000000000001 THEN 'breakeven'
    WHEN t.gross_pnl > t.fees THEN 'win'
    ELSE 'loss'
  END AS outcome,
  t.executed_at, t.closed_at, t.holding_seconds, t.has_time, t.quantity, t.open_quantity, t.multiplier, t.entry_price, t.exit_price, t.currency,
  CASE WHEN t.currency = u.base_currency THEN 1.0 ELSE t.fx_rate END AS fx_rate,
  t.gross_pnl, t.fees, t.dated_costs, t.net_pnl,
  t.net_pnl * CASE WHEN t.currency = u.base_currency THEN 1.0 ELSE t.fx_rate END AS net_pnl_base,
  CASE t.status WHEN 'closed' THEN t.net_pnl ELSE (
    SELECT round(t.gross_pnl - t.fees + total(CASE WHEN is_opening THEN fees * min(quantity, max(0, opened - closed)) / quantity END)
                 + (t.fees - max(0, total(fees) + (SELECT total(CASE WHEN type = 'array' THEN CASE WHEN abs(value ->> 1) < 1e15 AND typeof(value ->> 1) <> 'text' THEN value ->> 1 END END) FROM json_each(t.dated_costs)))) * min(1.0, t.open_quantity / t.quantity), 8)
    FROM (SELECT e.quantity, e.fees, (e.side = 'buy') = (t.side = 'long') AS is_opening,
            total(CASE WHEN (e.side = 'buy') = (t.side = 'long') THEN e.quantity END) OVER (ORDER BY e.executed_at, e.position) AS opened,
            total(CASE WHEN (e.side = 'buy') <> (t.side = 'long') THEN e.quantity END) OVER () AS closed
          FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id)
  ) END AS realised_pnl,
  t.initial_risk, t.risk, t.r_multiple, t.stop_loss, t.take_profit, t.mae, t.mfe,
  t.mae_bound, t.mfe_bound, t.setup, t.timeframe, t.tags, t.mistakes, t.rating, t.notes, t.fields, t.attachments, t.group_id, t.underlying, t.expiration, t.strike, t.option_type,
  t.source, t.created_at, t.updated_at
FROM users AS u CROSS JOIN trades AS t ON t.user_id = u.id;

-- Totals are in the group's own currency; a leg in another currency makes them NULL. symbols is for filters.
CREATE VIEW trade_group_records AS
SELECT
  s.*,
  CASE WHEN s.status = 'closed' THEN s.net_pnl / s.initial_risk END AS r_multiple
FROM (
  SELECT
    g.*,
    (SELECT json_group_array(id) FROM (SELECT id FROM trades WHERE user_id = g.user_id AND group_id = g.id ORDER BY executed_at, id)) AS trade_ids,
    (SELECT count(*) FROM trades WHERE user_id = g.user_id AND group_id = g.id) AS leg_count,
    (SELECT CASE WHEN total(currency <> g.currency) = 0 THEN round(total(gross_pnl), 8) END FROM trades WHERE user_id = g.user_id AND group_id = g.id) AS gross_pnl,
    (SELECT CASE WHEN total(currency <> g.currency) = 0 THEN round(total(fees), 8) END FROM trades WHERE user_id = g.user_id AND group_id = g.id) AS fees,
    (SELECT CASE WHEN total(currency <> g.currency) = 0 THEN round(total(net_pnl), 8) END FROM trades WHERE user_id = g.user_id AND group_id = g.id) AS net_pnl,
    (SELECT CASE WHEN total(currency <> g.currency) = 0 THEN round(total(realised_pnl), 8) END FROM trade_records WHERE user_id = g.user_id AND group_id = g.id) AS realised_pnl,
    (SELECT json_group_array(symbol) FROM (SELECT g.underlying AS symbol WHERE g.underlying IS NOT NULL
                                           UNION SELECT symbol FROM trades WHERE user_id = g.user_id AND group_id = g.id)) AS symbols
  FROM trade_groups AS g
) AS s;

-- A trade group as a position. Money is in its own currency, and NULL if a leg has another. Its side is that of the cash at its opening, if it
-- has options. Its quantity is the number of spreads: the largest that divides the quantity of each leg, by Euclid's algorithm; shares next to
-- options count by the options' contract size.
-- Statistics of a journal with few groups would make SQLite scan all trades for the legs of one: hence unlikely().
CREATE VIEW group_positions AS
SELECT
  t.user_id, t.id, t.kind, CAST(CASE WHEN t.is_whole THEN t.name END AS TEXT) AS name, CAST(NULL AS TEXT) AS description,
  CAST(t.strategy AS TEXT) AS strategy,
  CAST((SELECT CASE WHEN count(account) = count(*) AND count(DISTINCT lower(account)) = 1 THEN min(account COLLATE BINARY) END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)) AS TEXT) AS account,
  CAST(coalesce(t.underlying, (SELECT CASE WHEN count(coalesce(underlying, symbol)) = count(*) AND count(DISTINCT coalesce(underlying, symbol)) = 1 THEN min(coalesce(underlying, symbol)) END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id))) AS TEXT) AS underlying,
  CAST(coalesce((SELECT CASE WHEN count(market) = count(*) AND count(DISTINCT market) = 1 THEN min(market) END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)), t.market) AS TEXT) AS market,
  CAST((SELECT min(expiration) FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)) AS TEXT) AS expiration,
  CAST(CASE WHEN t.is_whole THEN (
    SELECT CASE
      WHEN options = 0 THEN side
      WHEN cash > 0 THEN 'credit'
      WHEN cash < 0 THEN 'debit'
    END
    FROM (
      SELECT
        total(market = 'option') AS options,
        CASE WHEN count(DISTINCT side) = 1 THEN min(side) END AS side,
        round(total(CASE WHEN market NOT IN ('future', 'forex', 'cfd') THEN iif(side = 'short', 1, -1) * entry_price * quantity * multiplier END), 8) AS cash
      FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)
    )
  ) END AS TEXT) AS side,
  CAST(coalesce((SELECT iif(count(*) = count(closed_at), 'closed', 'open') FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id) HAVING count(*) > 0), t.status) AS TEXT) AS status,
  CAST((
    SELECT CASE
      WHEN abs(net) <= (SELECT breakeven_tolerance FROM users WHERE id = t.user_id) * 1.000000000001 THEN 'breakeven'
      WHEN net > 0 THEN 'win'
      ELSE 'loss'
    END
    FROM (
      SELECT round(total(net_pnl * coalesce(fx_rate, 1.0)), 12) AS net
      FROM trade_records AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)
      HAVING count(*) > 0 AND count(*) = count(closed_at)
    )
  ) AS TEXT) AS outcome,
  t.opened_at,
  CAST(CASE WHEN EXISTS (SELECT 1 FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)) THEN (SELECT CASE WHEN count(*) = count(closed_at) THEN max(closed_at) END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)) ELSE t.closed_at END AS TEXT) AS closed_at,
  CAST((
    SELECT json_group_array(json(leg)) FROM (
      SELECT json_object(
        'symbol', symbol, 'market', market, 'side', side, 'quantity', quantity, 'underlying', underlying,
        'expiration', expiration, 'strike', strike, 'option_type', option_type, 'id', id) AS leg
      FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id) ORDER BY executed_at, id)
  ) AS TEXT) AS legs,
  CAST(CASE WHEN t.kind = 'multi_leg' AND t.is_whole THEN (
    WITH RECURSIVE
      units(list) AS (
        SELECT json_group_array(CAST(units AS INTEGER))
        FROM (
          SELECT quantity / CASE WHEN market = 'stock' THEN coalesce((SELECT max(multiplier) FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id) AND leg.market = 'option'), 1) ELSE 1 END AS units
          FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id))
        HAVING min(units = CAST(units AS INTEGER))
      ),
      steps(i, divisor, rest) AS (
        SELECT 1, 0, list ->> 0 FROM units
        UNION ALL
        SELECT iif(rest = 0, i + 1, i), iif(rest = 0, divisor, rest), iif(rest = 0, list ->> i, divisor % rest)
        FROM steps, units WHERE rest > 0 OR i < json_array_length(list)
      )
    SELECT divisor FROM steps, units WHERE rest = 0 AND i = json_array_length(list)
  ) END AS REAL) AS quantity,
  CAST((SELECT sum(quantity) FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id) AND leg.market IN ('option', 'future')) AS REAL) AS contracts,
  CAST(t.currency AS TEXT) AS currency,
  CAST((SELECT CASE WHEN total(currency <> t.currency) = 0 THEN round(total(gross_pnl), 8) END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)) AS REAL) AS gross_pnl,
  CAST((SELECT CASE WHEN total(currency <> t.currency) = 0 THEN round(total(fees), 8) END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)) AS REAL) AS fees,
  CAST((SELECT CASE WHEN total(currency <> t.currency) = 0 THEN round(total(net_pnl), 8) END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)) AS REAL) AS net_pnl,
  CAST((
    SELECT CASE WHEN total(currency <> t.currency) = 0 THEN round(total(realised_pnl), 8) END
    FROM trade_records AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)
  ) AS REAL) AS realised_pnl,
  CAST(t.initial_risk AS REAL) AS initial_risk, CAST(t.initial_risk AS REAL) AS risk,
  CAST((
    SELECT CASE WHEN total(currency <> t.currency) = 0 AND count(*) = count(closed_at) THEN round(sum(net_pnl), 8) / t.initial_risk END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)
  ) AS REAL) AS r_multiple,
  CAST(CASE WHEN t.is_whole THEN coalesce(t.setup, (SELECT CASE WHEN count(setup) = count(*) AND count(DISTINCT setup) = 1 THEN min(setup) END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id))) END AS TEXT) AS setup,
  CAST((
    SELECT json_group_array(label) FROM (
      SELECT min(value) AS label FROM (
        SELECT value FROM json_each(t.tags)
        UNION ALL SELECT l.value FROM trades AS leg, json_each(leg.tags) AS l WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id))
      GROUP BY value COLLATE NOCASE)
  ) AS TEXT) AS tags,
  CAST((
    SELECT json_group_array(label) FROM (
      SELECT min(value) AS label FROM (
        SELECT value FROM json_each(t.mistakes)
        UNION ALL SELECT l.value FROM trades AS leg, json_each(leg.mistakes) AS l WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id))
      GROUP BY value COLLATE NOCASE)
  ) AS TEXT) AS mistakes,
  CAST(CASE WHEN t.is_whole THEN coalesce(t.rating, (SELECT CASE WHEN count(rating) = count(*) AND count(DISTINCT rating) = 1 THEN min(rating) END FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id))) END AS INTEGER) AS rating,
  CAST((SELECT coalesce(min(has_time), 1) FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)) AS INTEGER) AS has_time,
  CAST((
    SELECT CASE WHEN count(*) = count(closed_at) THEN round((julianday(max(closed_at)) - julianday(min(executed_at))) * 86400, 3) END
    FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)
  ) AS REAL) AS holding_seconds,
  CAST(NULL AS REAL) AS entry_price, CAST(NULL AS REAL) AS exit_price,
  CAST((
    SELECT CASE WHEN count(*) = count(net_pnl_base) THEN round(total(net_pnl_base), 8) END
    FROM trade_records AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)
  ) AS REAL) AS net_pnl_base,
  CAST(t.fields AS TEXT) AS fields, CAST(t.created_at AS TEXT) AS created_at,
  CAST(max(t.updated_at, coalesce((SELECT max(updated_at) FROM trades AS leg WHERE leg.user_id = t.user_id AND unlikely(leg.group_id = t.id)), '')) AS TEXT) AS updated_at
FROM trade_groups AS t;

-- What a trader calls a trade: each trade in no group, and each group of legs. The API adds the names. SQLite merges the two by their indexes
-- only if their columns have the same types: hence the casts.
CREATE VIEW position_records AS
SELECT
  t.user_id, t.id, CAST('trade' AS TEXT) AS kind, CAST(NULL AS TEXT) AS name, CAST(NULL AS TEXT) AS description, CAST(NULL AS TEXT) AS strategy,
  CAST(t.account AS TEXT) AS account, CAST(coalesce(t.underlying, t.symbol) AS TEXT) AS underlying, CAST(t.market AS TEXT) AS market,
  CAST(t.expiration AS TEXT) AS expiration, CAST(t.side AS TEXT) AS side, CAST(t.status AS TEXT) AS status, CAST(t.outcome AS TEXT) AS outcome,
  t.executed_at AS opened_at, CAST(t.closed_at AS TEXT) AS closed_at,
  CAST(json_array(json_object(
    'symbol', t.symbol, 'market', t.market, 'side', t.side, 'quantity', t.quantity, 'underlying', t.underlying,
    'expiration', t.expiration, 'strike', t.strike, 'option_type', t.option_type, 'id', t.id)) AS TEXT) AS legs,
  CAST(t.quantity AS REAL) AS quantity, CAST(CASE WHEN t.market IN ('option', 'future') THEN t.quantity END AS REAL) AS contracts,
  CAST(t.currency AS TEXT) AS currency, CAST(t.gross_pnl AS REAL) AS gross_pnl, CAST(t.fees AS REAL) AS fees, CAST(t.net_pnl AS REAL) AS net_pnl,
  CAST(t.realised_pnl AS REAL) AS realised_pnl, CAST(t.initial_risk AS REAL) AS initial_risk, CAST(t.risk AS REAL) AS risk,
  CAST(t.r_multiple AS REAL) AS r_multiple, CAST(t.setup AS TEXT) AS setup, CAST(t.tags AS TEXT) AS tags, CAST(t.mistakes AS TEXT) AS mistakes,
  CAST(t.rating AS INTEGER) AS rating, CAST(t.has_time AS INTEGER) AS has_time, CAST(t.holding_seconds AS REAL) AS holding_seconds,
  CAST(t.entry_price AS REAL) AS entry_price, CAST(t.exit_price AS REAL) AS exit_price, CAST(t.net_pnl_base AS REAL) AS net_pnl_base,
  CAST(t.fields AS TEXT) AS fields, CAST(t.created_at AS TEXT) AS created_at, CAST(t.updated_at AS TEXT) AS updated_at
FROM trade_records AS t WHERE t.group_id IS NULL
UNION ALL
SELECT t.* FROM group_positions AS t;

-- A cash flow as the API returns it. One recorded by hand is left out if a file states the same: account, kind, currency, amount and day; the
-- first one by hand with the first of files, and so on. Rows are so short that statistics would make SQLite scan and sort them all: hence unlikely().
CREATE VIEW cash_flow_records AS
SELECT
  u.id AS user_id, c.id, c.account, c.at, c.has_time, c.kind, c.amount, c.currency,
  CASE WHEN c.currency = u.base_currency THEN 1.0 ELSE coalesce(c.fx_rate, c.day_rate) END AS fx_rate,
  c.symbol, c.description, c.by_hand, c.created_at, c.updated_at
FROM users AS u CROSS JOIN cash_flows AS c ON unlikely(c.user_id = u.id)
WHERE c.by_hand = 0 OR (
  SELECT count(*) FROM cash_flows AS f
  WHERE f.user_id = c.user_id AND f.currency = c.currency AND f.amount = c.amount AND f.at >= c.at
    AND f.at < strftime('%Y-%m-%dT%H:%M:%fZ', c.at, '+1 day') AND f.kind = c.kind AND f.account IS c.account AND f.by_hand = 0
) <= (
  SELECT count(*) FROM cash_flows AS h
  WHERE h.user_id = c.user_id AND h.currency = c.currency AND h.amount = c.amount AND h.at = c.at
    AND h.kind = c.kind AND h.account IS c.account AND h.by_hand = 1 AND h.id < c.id
);

-- Trade and group journals in one feed. With a scalar subselect instead of a join, SQLite merges the two by their indexes.
CREATE VIEW journal_rows AS
SELECT
  user_id, id, 'trade' AS type, trade_id, CAST(NULL AS TEXT) AS group_id,
  (SELECT symbol FROM trades AS t WHERE t.user_id = j.user_id AND t.id = j.trade_id) AS symbol,
  phase, title, body, went_well, went_wrong, lesson, emotions, confidence, execution_rating, followed_plan, rules, mistakes, tags,
  attachments, created_at, updated_at
FROM trade_journals AS j
UNION ALL
SELECT
  user_id, id, 'group', CAST(NULL AS TEXT), group_id,
  (SELECT underlying FROM trade_groups AS g WHERE g.user_id = j.user_id AND g.id = j.group_id),
  phase, title, body, went_well, went_wrong, lesson, emotions, confidence, execution_rating, followed_plan, rules, mistakes, tags,
  attachments, created_at, updated_at
FROM group_journals AS j;
