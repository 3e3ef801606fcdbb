/**
 * A ticket: a text in a link that gives the dashboard its key, once and soon. Whoever
 * sees the link later has nothing; whoever uses it a second time ends the key.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { invalidKey, unauthorized } from './authenticate.ts';
import { requireOwnOrigin } from './host.ts';
import { Problem } from './problem.ts';
import type { OpenRoute } from './route.ts';

export const TICKET_MS = 120_000;

/** Too many to guess: 128 random bits. */
const BYTES = 16;

interface TicketSettings {
  /** The key that it gives; undefined until there is one. */
  key: () => string | undefined;
  /** Epoch milliseconds. */
  now: () => number;
  /** Called with the address of the client that got the key. */
  onUse: (address: string) => void;
  /** Called on a second use: two clients have the link, and one of them the key. */
  onReuse: () => void;
}

export interface Ticket {
  text: string;
  /**
   * Takes the ticket as a bearer token, so no page of another site can send it unasked.
   */
  route: OpenRoute;
}

export function createTicket({ key, now, onUse, onReuse }: TicketSettings): Ticket {
  const text = randomBytes(BYTES).toString('base64url');
  const expected = digestOf(text);
  const until = now() + TICKET_MS;
  let isUsed = false;

  /** @throws Problem (401) for a ticket that was used before, or is late */
  function redeem(): string {
    if (isUsed) {
      onReuse();
      throw unauthorized(
        'revoked_key',
        `this link was used twice, so its key ended; ${AGAIN}`,
      );
    }

    const given = now() < until ? key() : undefined;
    if (given === undefined)
      throw unauthorized('expired_key', `this link works for two minutes only; ${AGAIN}`);

    isUsed = true;
    return given;
  }

  const answer: OpenRoute['answer'] = async (context, { authenticator }) => {
    requireOwnOrigin(context.headers, []); // 403
    if (context.c.req.method !== 'POST') {
      throw new Problem('method_not_allowed', 'a ticket is sent by POST', {
        headers: { Allow: 'POST' },
      });
    }

    const sent = /^Bearer +(\S+)$/i.exec(context.headers.authorization ?? '')?.[1] ?? '';
    if (!timingSafeEqual(digestOf(sent), expected)) {
      authenticator.countFailure(context); // 429
      throw invalidKey(`unknown link; ${AGAIN}`);
    }

    const data = { key: redeem() };
    onUse(context.c.env?.incoming?.socket.remoteAddress ?? '');
    return Response.json({ data }, { headers: { 'Cache-Control': 'no-store' } });
  };

  return { text, route: { path: '/ticket', answer } };
}

const AGAIN = 'run "journal-api open --phone" again';

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
