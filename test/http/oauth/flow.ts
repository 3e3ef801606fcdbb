/** The steps of an authorization, as a client and a browser take them. */
import { createHash } from 'node:crypto';
import { oauthServer } from '../../../src/http/oauth/server.ts';
import type { AppSettings } from '../../../src/http/pipeline.ts';
import { respondToMcp } from '../../../src/mcp/transports.ts';
import { World } from '../../helpers.ts';

export const PUBLIC_URL = 'https://journal.example.org';
export const REDIRECT = 'https://agent.example.com/callback';
export const VERIFIER = 'v'.repeat(43);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
/** Headers of a browser's form. */
export const OWN_FORM = { 'Sec-Fetch-Site': 'same-origin' };

/** A world that serves MCP and OAuth, too. */
export function oauthWorld(
  publicUrl = PUBLIC_URL,
  more: Partial<AppSettings> = {},
): World {
  const world: World = new World({}, (own) => ({
    protocols: [
      {
        path: '/mcp',
        respond: (request, ask) =>
          respondToMcp(request, ask, {
            now: own.now,
            onError: (error) => world.faults.push(error),
          }),
      },
    ],
    oauth: oauthServer({ ...own, publicUrl }),
    ...more,
  }));
  return world;
}

export interface Got {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

export async function send(
  world: World,
  path: string,
  init: RequestInit = {},
): Promise<Got> {
  const response = await world.app.request(path, init);
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('Content-Type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

type Fields = Record<string, string | undefined>;

const encoded = (fields: Fields) =>
  new URLSearchParams(
    Object.entries(fields).filter(
      (field): field is [string, string] => field[1] !== undefined,
    ),
  ).toString();

export function post(
  world: World,
  path: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<Got> {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return send(world, path, {
    method: 'POST',
    body: encoded(fields),
    headers: { ...type, ...headers },
  });
}

export function registering(world: World, body: object | string): Promise<Got> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'Content-Type': 'application/json' };
  return send(world, '/oauth/register', { method: 'POST', body: text, headers });
}

/** @returns the id of a new client */
export async function clientId(
  world: World,
  name = 'Agent',
  redirects = [REDIRECT],
): Promise<string> {
  return (await registering(world, { client_name: name, redirect_uris: redirects })).body
    .client_id;
}

/** Address of the first page. */
export function authorizePath(client: string, more: Fields = {}): string {
  const usual = {
    response_type: 'code',
    client_id: client,
    redirect_uri: REDIRECT,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'state-1',
  };
  return `/oauth/authorize?${encoded({ ...usual, ...more })}`;
}

/** Types a key into the first page. @returns the ticket in the second */
export async function ticketFor(
  world: World,
  path: string,
  key: string,
): Promise<string> {
  const { text } = await post(world, path, { key }, OWN_FORM);
  return /name="ticket" value="([^"]+)"/.exec(text)?.[1] as string;
}

export function answer(world: World, ticket: string, word = 'allow'): Promise<Got> {
  return post(world, '/oauth/answer', { ticket, answer: word }, OWN_FORM);
}

/** @returns parameters of the redirect */
export function answerIn(got: Got): Record<string, string> {
  return Object.fromEntries(new URL(got.headers.get('Location') as string).searchParams);
}

/** The owner's whole part. @returns the code */
export async function codeFor(
  world: World,
  client: string,
  key: string,
  more: Fields = {},
): Promise<string> {
  const ticket = await ticketFor(world, authorizePath(client, more), key);
  return answerIn(await answer(world, ticket))['code'] as string;
}

export function exchange(
  world: World,
  client: string,
  code: string,
  more: Fields = {},
): Promise<Got> {
  const usual = {
    grant_type: 'authorization_code',
    client_id: client,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
  };
  return post(world, '/oauth/token', { ...usual, ...more });
}

/** @returns a token that stands for the key */
export async function tokenFor(
  world: World,
  key: string,
  name?: string,
): Promise<string> {
  const client = await clientId(world, name);
  return (await exchange(world, client, await codeFor(world, client, key))).body
    .access_token;
}

/** A call of the tool journal_summary with a token or key. */
export function callTool(world: World, token: string): Promise<Got> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Authorization: `Bearer ${token}`,
  };
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'journal_summary', arguments: {} },
  };
  return send(world, '/mcp', { method: 'POST', body: JSON.stringify(call), headers });
}
