-- Version 8: imports keep how they were read, exchange rates stay, accounts can be renamed.
ALTER TABLE imports ADD COLUMN of INTEGER;
ALTER TABLE imports ADD COLUMN options TEXT CHECK (options IS NULL OR json_valid(options));
ALTER TABLE imports ADD COLUMN mapping TEXT;
ALTER TABLE imports ADD COLUMN path TEXT;

-- What earlier files said is unknown: NULL.
ALTER TABLE import_fills ADD COLUMN account TEXT;
ALTER TABLE import_records ADD COLUMN place INTEGER;
ALTER TABLE import_records ADD COLUMN account TEXT;

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

CREATE TABLE former_trades (
  user_id  TEXT NOT NULL REFERENCES users (id),
  id       TEXT NOT NULL,
  trade_id TEXT NOT NULL, -- its id now
  PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;
