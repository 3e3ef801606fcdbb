/**
 * The two pages of an authorization, and the page of an error: without scripts, in the
 * dashboard's style.
 */
import { html } from 'hono/html';
import type * as z from 'zod';
import { SCOPES, type Scope } from '../../keys/scopes.ts';
import type { meRecord } from '../endpoints/me.ts';
import type { Problem } from '../problem.ts';

export type Me = z.infer<typeof meRecord>;

type Content = ReturnType<typeof html>;

/** Who asks, and where the answer goes. */
export interface Asking {
  /** The client's own claim; null for none. */
  name: string | null;
  redirect: string;
}

/**
 * With no-referrer, a browser would send the form with the origin null.
 * @param formTargets where the page's form may end
 */
function page(content: Content, problem?: Problem, formTargets = "'self'"): Response {
  const whole = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Access to the trading journal</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/assets/page.css">
  </head>
  <body>
    <main class="gate">${content}</main>
  </body>
</html>
`;
  return new Response(String(whole), {
    status: problem?.status ?? 200,
    headers: {
      ...problem?.headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action ${formTargets}; frame-ancestors 'none'`,
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    },
  });
}

function named({ name }: Asking): Content {
  if (name === null) return html`A client without a name`;
  return html`A client that calls itself <strong>${name}</strong> (its own claim: anyone can use any name)`;
}

function destination({ redirect }: Asking): Content {
  const { host, protocol } = new URL(redirect);
  return html`<strong>${host}</strong>${protocol === 'http:' ? ' (a program on this computer)' : ''}`;
}

/**
 * The first page: takes a key.
 * @param refusal why the key typed before was refused
 */
export function keyPage(asking: Asking, refusal?: Problem): Response {
  const content = html`
      <section class="problem">
        <h1>A client asks to read your trading journal</h1>
        <p>${named(asking)} asks for access.</p>
        <p>The answer goes to ${destination(asking)}.</p>
        <p>Continue only if you have just started this there. To refuse, close this page.</p>
      </section>
      ${refusal ? html`<p class="loss" role="alert">Key refused: ${refusal.message}.</p>` : ''}
      <form class="key-form" method="post">
        <label>
          Key for this client
          <input class="secret" name="key" required autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="jak_…">
        </label>
        <button type="submit">Continue</button>
      </form>
      <p class="fine">
        Make a key for this client alone, with <code>journal-api key create</code>. The client never receives it. The next page shows what
        the key can read.
      </p>`;
  return page(content, refusal);
}

/**
 * The second page: shows the key and asks.
 * @param me what the key can read, as the API states it
 * @param ticket sealed, for the form
 */
export function consentPage(asking: Asking, { key, user }: Me, ticket: string): Response {
  const facts = [
    ['Key', `${key.name} (${key.id})`],
    ['Journal of', user.name ?? user.id],
    ['Shows', key.shows.in_words],
    ['Until', `${key.expires_at.slice(0, 16).replace('T', ' ')} UTC`],
  ];
  const content = html`
      <section class="problem">
        <h1>Let this client read your trading journal?</h1>
        <p>${named(asking)} would get:</p>
        <dl class="facts">
          ${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
        </dl>
        <ul class="checks">
          ${key.scopes.map((scope) => html`<li class="kept">${SCOPES[scope as Scope]} <code>${scope}</code></li>`)}
        </ul>
        <p>The answer goes to ${destination(asking)}.</p>
      </section>
      <form class="choices" method="post" action="/oauth/answer">
        <input type="hidden" name="ticket" value="${ticket}">
        <button type="submit" name="answer" value="allow">Allow</button>
        <button type="submit" name="answer" value="cancel">Cancel</button>
      </form>
      <p class="fine">
        The client gets a token for this key, which only reads and ends with the key. To end it at once:
        <code>journal-api key revoke ${key.id}</code>
      </p>`;
  return page(content, undefined, `'self' ${new URL(asking.redirect).origin}`);
}

export function errorPage(problem: Problem): Response {
  const content = html`
      <section class="problem" role="alert">
        <h1>Access was not given</h1>
        <p>${problem.message}</p>
      </section>`;
  return page(content, problem);
}
