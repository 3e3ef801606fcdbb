/** The form for a key. */
import { useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { Command, Problem } from '../components/problem.tsx';

interface AskForKeyProps {
  /** Why the last key was refused. */
  failure: Failure | undefined;
  onKey: (key: string) => void;
}

export function AskForKey({ failure, onKey }: AskForKeyProps) {
  const [text, setText] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    const key = text.trim();
    setText('');
    if (key !== '') onKey(key);
  };
  return (
    <main class="gate">
      {failure ? (
        <Problem failure={failure} />
      ) : (
        <section class="problem">
          <h1>Trading journal</h1>
          <p>The dashboard needs a key to your journal. This command creates one and opens the dashboard:</p>
          <Command text="journal-api open" />
        </section>
      )}
      <form class="key-form" onSubmit={submit}>
        <label>
          Or paste a key
          {/* Not a password field: the browser would offer to store the key. */}
          <input
            class="secret"
            name="key"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            placeholder="jak_…"
          />
        </label>
        <button type="submit">Open journal</button>
      </form>
      <p class="fine">The key stays in memory only. It is gone after a reload or when the tab is closed.</p>
    </main>
  );
}
