-- Version 11: what rows state of exits, fields of the trader's own, pictures, cash flows.

-- Fields of the trader's own.
ALTER TABLE trades ADD COLUMN fields TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END);
ALTER TABLE trade_groups ADD COLUMN fields TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END);
ALTER TABLE sessions ADD COLUMN fields TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END);
ALTER TABLE weekly_reviews ADD COLUMN fields TEXT NOT NULL DEFAULT '{}' CHECK (CASE WHEN json_valid(fields) THEN json_type(fields) = 'object' AND instr(fields, char(0)) = 0 ELSE 0 END);
