import * as fc from 'fast-check';
import { test } from 'vitest';
import { sequence } from './commands.ts';
import { differencesOf } from './compare.ts';
import { GivenJournal } from './journals.ts';
import { reasonsOf } from './known-differences.ts';
test('collect', { timeout: 3_600_000 }, () => {
  const counts: Record<string, number> = {};
  const count = (k: string) => { counts[k] = (counts[k] ?? 0) + 1; };
  const shown: string[] = [];
  const end = Date.now() + 1000 * Number(process.env['BUDGET'] ?? 100);
  for (const drawn of fc.sample(sequence, { numRuns: 3000, seed: Number(process.env['PSEED'] ?? 1) })) {
    if (Date.now() > end) break;
    const journal = new GivenJournal(drawn);
    for (const line of journal.lines.filter(l=>l.id>0).slice(0, 4)) {
      let undone, without;
      try { undone = journal.undone(line); } catch (e) { count('THROWN ' + (e as Error).message.slice(0, 100)); shown.push('THROWN ' + JSON.stringify(journal.lines.map(l => [l.id, l.given])) + ' undo ' + line.id + (e as Error).stack?.slice(0, 600)); continue; }
      without = journal.without(line);
      if (typeof undone === 'string') { count(typeof without === 'string' ? 'both refuse' : 'undo refuses'); if (typeof without !== 'string') shown.push('REFUSED ' + undone + ' undo ' + line.id + (/another program/.test(undone) ? '' : journal.lines.map(l => l.id + JSON.stringify(l.given)).join('\n'))); continue; }
      if (typeof without === 'string') { count('fold refuses'); continue; }
      const f = undone.findings(); if (f.length) { count('FINDINGS'); shown.push('FINDINGS ' + JSON.stringify(f)); }
      const d = differencesOf(undone, without);
      if (d.length === 0) { count('equal'); continue; }
      const r = reasonsOf(d, { lines: journal.lines, undone: line });
      count(r ? 'known ' + r.join().slice(0, 60) : 'DIFFERENT');
      if (!r) shown.push('DIFF ' + journal.lines.map(l => (l.id === line.id ? 'undone ' : '') + l.id + ' ' + JSON.stringify(l.given)).join('\n') + '\n   ' + d.map(x => x.table + ' ' + (x.undone?.['id'] ?? x.replayed?.['id'] ?? '') + ' ' + JSON.stringify(x.undone && (x.fields.length ? Object.fromEntries(x.fields.map(n => [n, x.undone![n]])) : 'EXTRA')) + ' | ' + JSON.stringify(x.replayed && (x.fields.length ? Object.fromEntries(x.fields.map(n => [n, x.replayed![n]])) : 'MISSING'))).join('\n   '));
    }
  }
  console.log(JSON.stringify(counts, null, 1) + '\n' + shown.slice(0, 12).join('\n').slice(0, 9000));
});
