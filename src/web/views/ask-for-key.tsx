/** Without a key there is nothing to see: asks for one. */
import { useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { Command, Problem } from '../components/problem.tsx';

interface AskForKeyProps {
  /** Why the key that was there doesn't do. */
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
          <p>This page shows a journal to whoever has a key to it. This command opens it with a key of its own:</p>
          <Command text="journal-api open" />
        </section>
      )}
      <form class="key-form" onSubmit={submit}>
        <label>
          Or paste a key
          {/* No password field: the browser would offer to store it. */}
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
        <button type="submit">Look</button>
      </form>
      <p class="fine">The key stays in this page's memory. It is gone when the page is closed or reloaded.</p>
    </main>
  );
}
