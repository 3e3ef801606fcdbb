-- Version 8: imports keep how they were read, exchange rates stay, accounts can be renamed and have limits, trades have bounds of mae and mfe.
ALTER TABLE imports ADD COLUMN of INTEGER;
ALTER TABLE imports ADD COLUMN options TEXT CHECK (options IS NULL OR json_valid(options));
ALTER TABLE imports ADD COLUMN mapping TEXT;
ALTER TABLE imports ADD COLUMN path TEXT;

-- What earlier files said is unknown: NULL.
ALTER TABLE import_fills ADD COLUMN account TEXT;
ALTER TABLE import_records ADD COLUMN place INTEGER;
ALTER TABLE import_records ADD COLUMN account TEXT;

ALTER TABLE trades ADD COLUMN mae_bound     REAL CHECK (abs(mae_bound) < 1e15);
ALTER TABLE trades ADD COLUMN mfe_bound     REAL CHECK (abs(mfe_bound) < 1e15);

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

CREATE TABLE rated_trades (
  user_id  TEXT NOT NULL,
  trade_id TEXT NOT NULL,
  PRIMARY KEY (user_id, trade_id),
  FOREIGN KEY (user_id, trade_id) REFERENCES trades (user_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE account_names (
  user_id   TEXT NOT NULL,
  import_id INTEGER NOT NULL,
  name      TEXT NOT NULL COLLATE NOCASE, -- '': no account
  renamed   TEXT NOT NULL,
  PRIMARY KEY (user_id, import_id),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE former_trades (
  user_id  TEXT NOT NULL REFERENCES users (id),
  id       TEXT NOT NULL,
  trade_id TEXT NOT NULL, -- its id now
  PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;
