import { Command } from '../components/problem.tsx';

/** A journal without a trade: how the first ones get in. */
export function EmptyJournal() {
  return (
    <section class="problem">
      <h2>This journal has no trades yet</h2>
      <p>Import what your platform exports; this page shows it within a minute. What to export where:</p>
      <Command text="journal-api import --formats" />
      <Command text="journal-api import Performance.csv" />
    </section>
  );
}
