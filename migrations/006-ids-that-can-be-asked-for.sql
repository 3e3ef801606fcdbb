-- Version 6: no record is named . or .., since no client can ask for /v1/trades/..; such a record gets dot: before its id,
-- or dot2:, dot3: if the journal has such an id already.

CREATE TEMP TABLE dot (prefix TEXT NOT NULL);
INSERT INTO dot WITH RECURSIVE
taken (id) AS MATERIALIZED (
  SELECT id FROM trade_groups WHERE id GLOB 'dot*:.*' UNION ALL
  SELECT id FROM trades WHERE id GLOB 'dot*:.*' UNION ALL
  SELECT id FROM trade_journals WHERE id GLOB 'dot*:.*' UNION ALL
  SELECT id FROM group_journals WHERE id GLOB 'dot*:.*' UNION ALL
  SELECT id FROM sessions WHERE id GLOB 'dot*:.*' UNION ALL
  SELECT id FROM weekly_reviews WHERE id GLOB 'dot*:.*' UNION ALL
  SELECT id FROM missed_trades WHERE id GLOB 'dot*:.*'
),
tried (n, prefix) AS (
  SELECT 1, 'dot:' UNION ALL
  SELECT n + 1, 'dot' || (n + 1) || ':' FROM tried WHERE EXISTS (SELECT 1 FROM taken WHERE id IN (prefix || '.', prefix || '..'))
)
SELECT prefix FROM tried ORDER BY n DESC LIMIT 1;

INSERT INTO notes SELECT 'the id of ' || count(*) || ' of the trade groups was . or .. and begins with ' || (SELECT prefix FROM dot) || ' now' FROM trade_groups WHERE id IN ('.', '..') HAVING count(*) > 0;
UPDATE trade_groups SET id = (SELECT prefix FROM dot) || id WHERE id IN ('.', '..');

INSERT INTO notes SELECT 'the id of ' || count(*) || ' of the trades was . or .. and begins with ' || (SELECT prefix FROM dot) || ' now' FROM trades WHERE id IN ('.', '..') HAVING count(*) > 0;
UPDATE trades SET id = (SELECT prefix FROM dot) || id WHERE id IN ('.', '..');

INSERT INTO notes SELECT 'the id of ' || count(*) || ' of the trade journals was . or .. and begins with ' || (SELECT prefix FROM dot) || ' now' FROM trade_journals WHERE id IN ('.', '..') HAVING count(*) > 0;
UPDATE trade_journals SET id = (SELECT prefix FROM dot) || id WHERE id IN ('.', '..');

INSERT INTO notes SELECT 'the id of ' || count(*) || ' of the group journals was . or .. and begins with ' || (SELECT prefix FROM dot) || ' now' FROM group_journals WHERE id IN ('.', '..') HAVING count(*) > 0;
UPDATE group_journals SET id = (SELECT prefix FROM dot) || id WHERE id IN ('.', '..');

INSERT INTO notes SELECT 'the id of ' || count(*) || ' of the sessions was . or .. and begins with ' || (SELECT prefix FROM dot) || ' now' FROM sessions WHERE id IN ('.', '..') HAVING count(*) > 0;
UPDATE sessions SET id = (SELECT prefix FROM dot) || id WHERE id IN ('.', '..');

INSERT INTO notes SELECT 'the id of ' || count(*) || ' of the weekly reviews was . or .. and begins with ' || (SELECT prefix FROM dot) || ' now' FROM weekly_reviews WHERE id IN ('.', '..') HAVING count(*) > 0;
UPDATE weekly_reviews SET id = (SELECT prefix FROM dot) || id WHERE id IN ('.', '..');

INSERT INTO notes SELECT 'the id of ' || count(*) || ' of the missed trades was . or .. and begins with ' || (SELECT prefix FROM dot) || ' now' FROM missed_trades WHERE id IN ('.', '..') HAVING count(*) > 0;
UPDATE missed_trades SET id = (SELECT prefix FROM dot) || id WHERE id IN ('.', '..');

UPDATE trades SET group_id = (SELECT prefix FROM dot) || group_id WHERE group_id IN ('.', '..');
UPDATE group_journals SET group_id = (SELECT prefix FROM dot) || group_id WHERE group_id IN ('.', '..');
UPDATE executions SET trade_id = (SELECT prefix FROM dot) || trade_id WHERE trade_id IN ('.', '..');
UPDATE trade_journals SET trade_id = (SELECT prefix FROM dot) || trade_id WHERE trade_id IN ('.', '..');
UPDATE weekly_reviews SET best_trade_id = (SELECT prefix FROM dot) || best_trade_id WHERE best_trade_id IN ('.', '..');
UPDATE weekly_reviews SET worst_trade_id = (SELECT prefix FROM dot) || worst_trade_id WHERE worst_trade_id IN ('.', '..');
UPDATE import_records SET record_id = (SELECT prefix FROM dot) || record_id WHERE record_id IN ('.', '..');
DROP TABLE dot;

CREATE TABLE trade_groups_new (
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
  PRIMARY KEY (user_id, id),
  CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
  CHECK (closed_at IS NULL OR closed_at >= opened_at)
) STRICT;

CREATE TABLE trades_new (
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
  r_multiple    REAL AS (CASE WHEN status = 'closed' THEN net_pnl / initial_risk END),
  holding_seconds REAL AS (round((julianday(closed_at) - julianday(executed_at)) * 86400, 3)),
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, group_id) REFERENCES trade_groups (user_id, id),
  CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
  CHECK (closed_at IS NULL OR closed_at >= executed_at),
  CHECK (status = 'open' OR open_quantity = 0)
) STRICT;

CREATE TABLE trade_journals_new (
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

CREATE TABLE group_journals_new (
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

CREATE TABLE sessions_new (
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
  PRIMARY KEY (user_id, id),
  CHECK (started_at IS NULL OR ended_at IS NULL OR ended_at >= started_at)
) STRICT;

CREATE TABLE weekly_reviews_new (
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
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, best_trade_id) REFERENCES trades (user_id, id),
  FOREIGN KEY (user_id, worst_trade_id) REFERENCES trades (user_id, id),
  CHECK (period_end >= period_start)
) STRICT;

CREATE TABLE missed_trades_new (
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

-- Fills of formats with days only, which are walked day by day from now on.
ALTER TABLE fills ADD COLUMN has_time INTEGER NOT NULL DEFAULT 1;
UPDATE fills SET has_time = 0 WHERE format IN ('ibkr-transactions', 'robinhood', 'schwab');

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
  kind          TEXT NOT NULL CHECK (kind IN ('trade', 'expiration', 'assignment', 'exercise', 'delivery', 'split', 'symbol_change', 'transfer', 'unclear')),
  side          TEXT CHECK (side IN ('buy', 'sell')), -- NULL: closes what is open
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
  PRIMARY KEY (user_id, id)
) STRICT;
