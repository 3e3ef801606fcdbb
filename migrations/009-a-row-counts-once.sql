-- Version 9: imports keep what their files wrote: clocks, digits, ids, the order of dates. Trades and executions say whether they have a time.
-- Imports also keep their files.
ALTER TABLE imports ADD COLUMN timezone TEXT;
ALTER TABLE imports ADD COLUMN holder TEXT;
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
) STRICT;

-- Earlier versions kept the zone only if it was typed: else it was the user's.
UPDATE imports SET timezone = coalesce(options ->> '$.timezone', (SELECT timezone FROM users WHERE users.id = user_id))
  WHERE sha256 IS NOT NULL;

-- Executions made from fills with a date alone.
UPDATE executions SET has_time = 0 WHERE EXISTS (
  SELECT 1 FROM fills AS f WHERE f.user_id = executions.user_id AND f.execution_id = executions.fill_id AND f.has_time = 0);

-- Closed trades of files with dates alone: of formats that may lack times, those in which every trade begins and ends when a day starts.
CREATE TEMP TABLE closed_days AS
  SELECT r.user_id, r.record_id FROM imports AS i
  JOIN import_records AS r ON r.user_id = i.user_id AND r.import_id = i.id AND r.resource = 'trades' AND r.change = 'added'
  WHERE (i.format IN ('groww', 'tradingview') OR i.format LIKE 'map:%') AND (i.user_id, i.id) NOT IN (
    SELECT o.user_id, o.id FROM imports AS o
    JOIN import_records AS n ON n.user_id = o.user_id AND n.import_id = o.id AND n.resource = 'trades' AND n.change = 'added'
    JOIN trades AS t ON t.user_id = n.user_id AND t.id = n.record_id
    WHERE (o.format IN ('groww', 'tradingview') OR o.format LIKE 'map:%') AND (NOT starts_day(t.executed_at, o.timezone, o.format)
      OR NOT starts_day(coalesce(t.closed_at, t.executed_at), o.timezone, o.format)));
UPDATE executions SET has_time = 0 WHERE fill_id IS NULL AND (user_id, trade_id) IN (SELECT user_id, record_id FROM closed_days);
UPDATE trades SET has_time = 0 WHERE (user_id, id) IN (SELECT user_id, record_id FROM closed_days)
  AND NOT EXISTS (SELECT 1 FROM executions AS e WHERE e.user_id = trades.user_id AND e.trade_id = trades.id);
DROP TABLE closed_days;

-- The ends of a trade are its first and, once it is closed, its last execution.
UPDATE trades SET has_time = 0 WHERE (user_id, id) IN (SELECT user_id, trade_id FROM executions WHERE has_time = 0)
  AND 0 IN (
    (SELECT e.has_time FROM executions AS e WHERE e.user_id = trades.user_id AND e.trade_id = trades.id ORDER BY executed_at, position LIMIT 1),
    (SELECT e.has_time FROM executions AS e WHERE e.user_id = trades.user_id AND e.trade_id = trades.id AND trades.status = 'closed'
      ORDER BY executed_at DESC, position DESC LIMIT 1));
