/**
 * In place of a response: an error in a sentence, with the command that helps, or a
 * placeholder.
 */
import type { ComponentChildren } from 'preact';
import type { Failure } from '../api.ts';

interface Help {
  title: string;
  text: string;
  command?: string;
}

const HELP: Record<string, Help> = {
  unreachable: {
    title: 'The service does not respond',
    text: "It has stopped, or this computer can't reach it. The dashboard tries again by itself. Start the service with:",
    command: 'journal-api serve',
  },
  missing_key: {
    title: 'A key is needed',
    text: 'Open the dashboard with a new key:',
    command: 'journal-api open',
  },
  invalid_key: {
    title: 'This key is not valid',
    text: 'It is incomplete, or it belongs to another journal. Open the dashboard with a new key:',
    command: 'journal-api open',
  },
  expired_key: {
    title: 'This key has expired',
    text: 'Keys expire by themselves. Open the dashboard with a new key:',
    command: 'journal-api open',
  },
  revoked_key: {
    title: 'This key was revoked',
    text: 'Open the dashboard with a new key:',
    command: 'journal-api open',
  },
  unused_link: {
    title: "This link doesn't open the journal",
    text: 'Show a new code on the computer with:',
    command: 'journal-api open --phone',
  },
  journal_unavailable: {
    title: "The journal can't be read right now",
    text: 'The dashboard tries again by itself. Check the file with:',
    command: 'journal-api check',
  },
  rate_limited: {
    title: 'Too many requests',
    text: 'This key has reached its rate limit. The dashboard tries again by itself.',
  },
  not_found: { title: 'Not found', text: 'It was deleted, or the address is wrong.' },
};

export function Problem({
  failure,
  children,
}: {
  failure: Failure;
  children?: ComponentChildren;
}) {
  const { title, text, command } = HELP[failure.code] ?? helpFor(failure);
  return (
    <section class="problem box" role="alert">
      <h2>{title}</h2>
      <p>{text}</p>
      {command && <Command text={command} />}
      {children}
      {failure.code !== 'unreachable' && <p class="fine">Response: {failure.message}</p>}
    </section>
  );
}

function helpFor(failure: Failure): Help {
  if (failure.code !== 'insufficient_scope')
    return { title: 'The request failed', text: 'The service rejected it.' };
  return {
    title: "This key can't read that",
    text: 'It lacks the scope for this view. Open the dashboard with a key for all scopes:',
    command: 'journal-api open',
  };
}

export function Command({ text }: { text: string }) {
  return (
    <pre class="command sunken">
      <code>{text}</code>
    </pre>
  );
}

/** In place of a response that failed, or is awaited. */
export function Awaited({
  failure,
  lines = 6,
}: {
  failure: Failure | undefined;
  lines?: number;
}) {
  return failure ? <Problem failure={failure} /> : <Loading lines={lines} />;
}

/** Placeholder of a response. */
export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div class="loading stack" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="loading-line" />
      ))}
    </div>
  );
}
