/** What went wrong, each in a sentence and with the command that helps. */
import type { ComponentChildren } from 'preact';
import type { Failure } from '../api.ts';

interface Help {
  title: string;
  says: string;
  command?: string;
}

const HELP: Record<string, Help> = {
  unreachable: {
    title: 'The service does not answer',
    says: 'It has stopped, or this computer lost its way to it. This page tries again by itself. To start it:',
    command: 'journal-api serve',
  },
  missing_key: { title: 'A key is needed', says: 'This opens the page with a new one:', command: 'journal-api open' },
  invalid_key: {
    title: 'This key is not valid',
    says: 'The service does not know it: part of it may be missing, or it belongs to another journal. This opens the page with a new one:',
    command: 'journal-api open',
  },
  expired_key: {
    title: 'This key has expired',
    says: 'Keys end by themselves. This opens the page with a new one:',
    command: 'journal-api open',
  },
  revoked_key: {
    title: 'This key was revoked',
    says: 'It no longer works. This opens the page with a new one:',
    command: 'journal-api open',
  },
  journal_unavailable: {
    title: 'The journal cannot be read right now',
    says: 'This page tries again by itself. To see what is wrong with the file:',
    command: 'journal-api check',
  },
  rate_limited: {
    title: 'Too many requests',
    says: 'This key has used up its requests for the moment. This page tries again by itself.',
  },
  not_found: { title: 'There is nothing here', says: 'It may have been deleted, or the address is wrong.' },
};

export function Problem({ failure, children }: { failure: Failure; children?: ComponentChildren }) {
  const { title, says, command } = HELP[failure.code] ?? helpFor(failure);
  return (
    <section class="problem" role="alert">
      <h2>{title}</h2>
      <p>{says}</p>
      {command && <Command text={command} />}
      {children}
      {failure.code !== 'unreachable' && <p class="fine">The service says: {failure.message}</p>}
    </section>
  );
}

function helpFor(failure: Failure): Help {
  if (failure.code !== 'insufficient_scope') return { title: 'That did not work', says: 'The service refused it.' };
  return {
    title: 'This key may not read that',
    says: 'It was made without the scope that this part needs. This opens the page with a key for everything:',
    command: 'journal-api open',
  };
}

export function Command({ text }: { text: string }) {
  return (
    <pre class="command">
      <code>{text}</code>
    </pre>
  );
}
