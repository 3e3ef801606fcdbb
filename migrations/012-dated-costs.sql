-- Version 12: trades keep costs with days of their own, such as funding. Older trades get theirs once their files are read again.
ALTER TABLE trades ADD COLUMN dated_costs TEXT CHECK (dated_costs IS NULL OR CASE WHEN json_valid(dated_costs) THEN json_type(dated_costs) = 'array' AND instr(dated_costs, char(0)) = 0 ELSE 0 END);
