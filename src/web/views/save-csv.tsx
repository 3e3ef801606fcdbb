/** Saves all trades of the filters as CSV: loads the pages that are missing, then offers the file. */
import { useEffect, useState } from 'preact/hooks';
import { useSession } from '../session.ts';
import { csvOf } from './trade-csv.ts';
import type { TradeRecord } from './trade-table.tsx';
import type { Pages } from './use-pages.ts';

/** Trades in a file: 100 requests, which the default rate limit lets through in a minute. */
const MOST = 10_000;

export function SaveCsv({ pages }: { pages: Pages<TradeRecord> }) {
  const { me, format } = useSession();
  const [isSaving, setSaving] = useState(false);
  const [isCut, setCut] = useState(false);
  const { records, hasMore, failure, isLoading, more } = pages;
  useEffect(() => {
    if (!isSaving || isLoading) return;
    if (failure) {
      // The list itself tries again after a wait, such as that of the rate limit.
      if (failure.retryAfter === null) setSaving(false);
      return;
    }
    if (hasMore && records.length < MOST) return more();
    setSaving(false);
    setCut(hasMore);
    download(`trades-${me.user.id}.csv`, csvOf(records));
  });
  return (
    <div class="save-csv">
      {isSaving && (
        <span class="fine" role="status">
          {format.count(records.length)} trades loaded
        </span>
      )}
      {!isSaving && isCut && (
        <span class="fine" role="status">
          The first {format.count(records.length)} trades. For all: <code>journal-api get trades --all --csv</code>
        </span>
      )}
      <button
        type="button"
        class="quiet"
        title={`All trades of these filters (up to ${format.count(MOST)}), with amounts and times as in the API`}
        onClick={() => setSaving(!isSaving)}
      >
        {isSaving ? 'Cancel' : 'Save as CSV'}
      </button>
    </div>
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Later: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
