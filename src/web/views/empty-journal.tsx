import { Command } from '../components/problem.tsx';

/** The first import, for a journal without trades. */
export function EmptyJournal() {
  return (
    <section class="problem">
      <h2>This journal has no trades yet</h2>
      <p>Import your platform's exports; the dashboard shows them within a minute. List what to export:</p>
      <Command text="journal-api import --formats" />
      <Command text="journal-api import Performance.csv" />
    </section>
  );
}
