-- Version 11: what rows state of exits, fields of the trader's own, pictures, cash flows.

-- Labels of positions: a person's, of a group as a whole.
ALTER TABLE trade_groups ADD COLUMN setup        TEXT COLLATE NOCASE;
ALTER TABLE trade_groups ADD COLUMN mistakes     TEXT NOT NULL DEFAULT '[]' CHECK (CASE WHEN json_valid(mistakes) THEN json_type(mistakes) = 'array' AND instr(mistakes, char(0)) = 0 ELSE 0 END);
ALTER TABLE trade_groups ADD COLUMN rating       INTEGER CHECK (rating BETWEEN 1 AND 5);
ALTER TABLE trade_groups ADD COLUMN is_whole     INTEGER AS (1);
