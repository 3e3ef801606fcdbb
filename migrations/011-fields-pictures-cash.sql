-- Version 11: what rows state of exits, fields of the trader's own, pictures, cash flows.

-- What fills state that they realised, of all their rows together, and exits made from them.
ALTER TABLE fills ADD COLUMN stated_gross_pnl REAL;
ALTER TABLE fills ADD COLUMN stated_net_pnl REAL;
ALTER TABLE fills ADD COLUMN lots TEXT CHECK (lots IS NULL OR json_valid(lots));
ALTER TABLE import_fills ADD COLUMN lots TEXT;
ALTER TABLE executions ADD COLUMN stated_gross_pnl REAL;
ALTER TABLE executions ADD COLUMN stated_net_pnl REAL;

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
