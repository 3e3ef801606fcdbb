-- Version 11: what rows state of exits, fields of the trader's own, pictures, cash flows.

-- Cash flows, starting balances of accounts, and the ending cash that files state.
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
CREATE TABLE account_balances (
  user_id          TEXT NOT NULL,
  import_id        INTEGER NOT NULL,
  account          TEXT NOT NULL COLLATE NOCASE CHECK (length(account) BETWEEN 1 AND 200 AND instr(account, char(0)) = 0),
  starting_balance REAL CHECK (abs(starting_balance) < 1e12), -- NULL: none any more
  currency         TEXT NOT NULL CHECK (length(currency) BETWEEN 2 AND 10 AND currency NOT GLOB '*[^A-Z0-9]*' AND instr(currency, char(0)) = 0),
  PRIMARY KEY (user_id, import_id, account),
  FOREIGN KEY (user_id, import_id) REFERENCES imports (user_id, id)
) STRICT, WITHOUT ROWID;
ALTER TABLE imports ADD COLUMN cash TEXT CHECK (cash IS NULL OR json_valid(cash));
