-- Version 9: imports keep what their files wrote: clocks, digits, ids, the order of dates. Trades and executions say whether they have a time.
ALTER TABLE imports ADD COLUMN timezone TEXT;
ALTER TABLE imports ADD COLUMN date_order TEXT CHECK (date_order IN ('dmy', 'mdy'));

ALTER TABLE import_fills ADD COLUMN clock TEXT;
ALTER TABLE import_fills ADD COLUMN digits INTEGER;
ALTER TABLE import_fills ADD COLUMN executed_at TEXT;
ALTER TABLE import_fills ADD COLUMN price REAL;
ALTER TABLE import_fills ADD COLUMN quantity REAL;
ALTER TABLE import_fills ADD COLUMN identity TEXT;

ALTER TABLE import_records ADD COLUMN clock TEXT;
ALTER TABLE import_records ADD COLUMN digits INTEGER;

ALTER TABLE trades ADD COLUMN has_time INTEGER NOT NULL DEFAULT 1 CHECK (has_time IN (0, 1));
ALTER TABLE executions ADD COLUMN has_time INTEGER NOT NULL DEFAULT 1 CHECK (has_time IN (0, 1));

-- Earlier versions kept the zone only if it was typed: else it was the user's.
UPDATE imports SET timezone = coalesce(options ->> '$.timezone', (SELECT timezone FROM users WHERE users.id = user_id))
  WHERE sha256 IS NOT NULL;

-- Trades made from fills with a date alone.
UPDATE executions SET has_time = 0 WHERE EXISTS (
  SELECT 1 FROM fills AS f WHERE f.user_id = executions.user_id AND f.execution_id = executions.fill_id AND f.has_time = 0);
UPDATE trades SET has_time = 0 WHERE (user_id, id) IN (SELECT user_id, trade_id FROM executions WHERE has_time = 0);
