-- Version 11: what rows state of exits, fields of the trader's own, pictures, cash flows.

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
