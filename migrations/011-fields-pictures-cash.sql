-- Version 11: what rows state of exits, fields of the trader's own, pictures, cash flows.

-- Labels of positions: a person's, of a group as a whole.
ALTER TABLE trade_groups ADD COLUMN setup        TEXT COLLATE NOCASE;
ALTER TABLE trade_groups ADD COLUMN mistakes     TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(mistakes) THEN json_type(mistakes) = 'array' AND instr(mistakes, char(0)) = 0 ELSE 0 END);
ALTER TABLE trade_groups ADD COLUMN rating       INTEGER CHECK (rating BETWEEN 1 AND 5);
ALTER TABLE trade_groups ADD COLUMN is_whole     INTEGER AS (1);
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
-- What fills state that they realised, of all their rows together, and exits made from them.
ALTER TABLE fills ADD COLUMN stated_gross_pnl REAL;
ALTER TABLE fills ADD COLUMN stated_net_pnl REAL;
ALTER TABLE fills ADD COLUMN lots TEXT CHECK (lots IS NULL OR json_valid(lots));
ALTER TABLE import_fills ADD COLUMN lots TEXT;
ALTER TABLE executions ADD COLUMN stated_gross_pnl REAL;
ALTER TABLE executions ADD COLUMN stated_net_pnl REAL;
ALTER TABLE executions ADD COLUMN fx_rate REAL CHECK (fx_rate > 0 AND fx_rate < 1e12);

UPDATE fills AS f SET stated_gross_pnl = p.gross_pnl FROM import_fills AS p
  WHERE p.user_id = f.user_id AND p.fill_id = f.id AND p.gross_pnl IS NOT NULL;
UPDATE fills AS f SET stated_net_pnl = p.net_pnl FROM import_fills AS p
  WHERE p.user_id = f.user_id AND p.fill_id = f.id AND p.net_pnl IS NOT NULL;

UPDATE executions AS e SET stated_gross_pnl = s.gross, stated_net_pnl = s.net
  FROM (
    SELECT user_id, execution_id,
      CASE WHEN total(part IS NULL) > 0 THEN max(CASE WHEN part IS NULL THEN stated_gross_pnl END)
        WHEN count(*) = count(stated_gross_pnl) THEN sum(stated_gross_pnl) END AS gross,
      CASE WHEN total(part IS NULL) > 0 THEN max(CASE WHEN part IS NULL THEN stated_net_pnl END)
        WHEN count(*) = count(stated_net_pnl) THEN sum(stated_net_pnl) END AS net
    FROM fills GROUP BY user_id, execution_id
    HAVING count(stated_gross_pnl) + count(stated_net_pnl) > 0
  ) AS s, trades AS t
  WHERE s.user_id = e.user_id AND s.execution_id = e.fill_id
    AND t.user_id = e.user_id AND t.id = e.trade_id AND (e.side = 'buy') <> (t.side = 'long');
-- Pictures that the journal keeps, by the lines that state them and the records that show them.
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

ALTER TABLE trades ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(attachments) THEN json_type(attachments) = 'array' AND instr(attachments, char(0)) = 0 ELSE 0 END);
ALTER TABLE sessions ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(attachments) THEN json_type(attachments) = 'array' AND instr(attachments, char(0)) = 0 ELSE 0 END);
ALTER TABLE weekly_reviews ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(attachments) THEN json_type(attachments) = 'array' AND instr(attachments, char(0)) = 0 ELSE 0 END);


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
-- Fields of the trader's own.
ALTER TABLE trades ADD COLUMN fields TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END);
ALTER TABLE trade_groups ADD COLUMN fields TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END);
ALTER TABLE sessions ADD COLUMN fields TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END);
ALTER TABLE weekly_reviews ADD COLUMN fields TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END);
