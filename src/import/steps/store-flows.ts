/** Stores the cash flows of a platform's file, as records that its line states. */
import { FileErrors, RowError } from '../../errors.ts';
import { cashFlows } from '../../journal/resources/cash-flows.ts';
import { type Change, RecordWriter } from '../../journal-write/record-writer.ts';
import { keepCash } from '../../statements/account-settings.ts';
import { LineStatements } from '../../statements/line.ts';
import { platformOf } from '../fills/incoming.ts';
import { knownFlows } from '../write/known-flows.ts';
import type { FileSettings } from './file-settings.ts';
import type { ReadJob } from './read-job.ts';

export interface StoredFlows {
  counts: Record<Change, number>;
  notes: string[];
}

/**
 * Call it once fills are stored: rows without an account are in that of the file's fills.
 * @param isRepeated whether the same bytes were imported before
 */
export function storeFlows(
  { job, reading, journal, times }: ReadJob,
  importId: number,
  { write, rows, again }: FileSettings,
  isRepeated: boolean,
): StoredFlows {
  const counts = { added: 0, changed: 0, unchanged: 0 };
  const { imports, names, stated, db } = journal;
  const keep = (holder: string | null) => {
    const account = write.account ?? holder ?? imports.find(importId)?.holder ?? null;
    keepCash(db, write.user.id, importId, { cash: reading.cash, account });
  };
  if (reading.flows.length === 0) {
    keep(null);
    return { counts, notes: [] };
  }

  const { records, holder } = knownFlows(reading.flows, {
    platform: platformOf(job.format),
    imports,
    names,
    account: write.account ?? imports.find(importId)?.holder ?? null,
    userZone: write.user.timezone,
    baseCurrency: write.user.base_currency,
    zone: times.zone,
    allowDuplicates: rows.allowDuplicates || again !== undefined,
  });

  if (holder !== null) imports.setHolder(importId, holder);

  const line = new LineStatements(stated, importId, again?.before);
  let written: Pick<(typeof records)[number], 'clock' | 'account'> = {
    clock: '',
    account: undefined,
  };
  const writer = new RecordWriter(
    db,
    cashFlows,
    { ...write, account: undefined, timeZone: undefined },
    {
      onChange: (...change) => {
        const { clock, account } = written;
        line.note(cashFlows, ...change, {
          clock,
          ...(account !== undefined && { account }),
        });
      },
    },
  );

  const errors = new FileErrors();
  for (const record of records) {
    written = record;
    try {
      counts[writer.put(record.values)]++;
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      errors.add(error, job.file, record.line);
    }
  }

  errors.refuse();
  imports.statements.write();
  keep(holder);
  if (isRepeated) counts.added -= line.removeRevived(write.user.id);

  return { counts, notes: byHandNotes(db, write.user.id, importId) };
}

/** Flows by hand that a file's flows of the same day hide. */
const BY_HAND = `SELECT (SELECT min(import_id) FROM import_records AS l
    WHERE l.user_id = h.user_id AND l.resource = 'cash-flows' AND l.record_id = h.id) AS line,
    count(*) AS flows
  FROM cash_flows AS h WHERE h.user_id = @user AND h.by_hand = 1
    AND NOT EXISTS (SELECT 1 FROM cash_flow_records AS v
      WHERE v.user_id = h.user_id AND v.id = h.id)
    AND EXISTS (SELECT 1 FROM cash_flows AS f JOIN import_records AS r
        ON r.user_id = f.user_id AND r.resource = 'cash-flows' AND r.record_id = f.id
      WHERE f.user_id = h.user_id AND f.currency = h.currency AND f.amount = h.amount
        AND f.kind = h.kind AND f.account IS h.account AND f.at >= h.at
        AND f.at < strftime('%Y-%m-%dT%H:%M:%fZ', h.at, '+1 day') AND r.import_id = @importId)
  GROUP BY line`;

function byHandNotes(
  db: ReadJob['journal']['db'],
  user: string,
  importId: number,
): string[] {
  const found = db.prepare(BY_HAND).all({ user, importId }) as {
    line: number;
    flows: number;
  }[];
  return found.map(({ line, flows }) =>
    flows === 1
      ? `1 cash flow was recorded by hand, too (import ${line}); it counts once`
      : `${flows} cash flows were recorded by hand, too (import ${line}); each counts once`,
  );
}
