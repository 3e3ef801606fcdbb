/** The official clients sign in by OAuth at the running program, behind a proxy with TLS. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { ALL_SCOPES } from '../../../src/keys/scopes.ts';
import { revokeKey } from '../../../src/keys/store.ts';
import { certificate } from '../../certificate.ts';
import { tradeRow, World } from '../../helpers.ts';
import { call } from '../../mcp/connect.ts';
import { startServe } from '../../program.ts';
import { REDIRECT } from './flow.ts';

/**
 * A reverse proxy on a free port, trusted by this process until the end of the test.
 * @param target port of the service, once it is known
 * @returns https://localhost:40123
 */
async function tlsProxy(
  target: () => number,
  skip: (why: string) => never,
): Promise<string> {
  const [cert, key] = certificate(skip).map((file) => readFileSync(file, 'utf8')) as [
    string,
    string,
  ];
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  const server = createServer({ cert, key }, (request, response) => {
    const headers = {
      ...request.headers,
      'x-forwarded-for': request.socket.remoteAddress,
    };
    const options = {
      port: target(),
      method: request.method,
      path: request.url,
      headers,
    };
    const onward = httpRequest({ host: '127.0.0.1', ...options }, (answer) => {
      response.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    setDefaultCACertificates(before);
    server.close().closeAllConnections();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

/** What a client keeps while it signs in. */
class Provider {
  kept: Record<string, unknown> = {};
  sentTo: URL[] = [];
  redirectUrl = REDIRECT;
  clientMetadata = { client_name: 'SDK', redirect_uris: [REDIRECT] };
  state = () => 'state-of-sdk';
  clientInformation = () => this.kept['client'] as never;
  saveClientInformation = (client: unknown) => this.#keep({ client });
  tokens = () => this.kept['tokens'] as never;
  saveTokens = (tokens: unknown) => this.#keep({ tokens });
  codeVerifier = () => this.kept['verifier'] as string;
  saveCodeVerifier = (verifier: unknown) => this.#keep({ verifier });
  discoveryState = () => this.kept['discovery'] as never;
  saveDiscoveryState = (discovery: unknown) => this.#keep({ discovery });
  redirectToAuthorization = (url: URL) => void this.sentTo.push(url);

  #keep(more: Record<string, unknown>): void {
    Object.assign(this.kept, more);
  }
}

/** The owner's part in a browser. @returns where the browser is sent */
async function allow(page: URL, key: string): Promise<URL> {
  const form = (fields: Record<string, string>) => ({
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { Origin: page.origin },
    redirect: 'manual' as const,
  });
  const first = await fetch(page);
  expect([first.status, await first.text()]).toEqual([
    200,
    expect.stringContaining('<strong>SDK</strong>'),
  ]);
  const second = await (await fetch(page, form({ key }))).text();
  const ticket = /name="ticket" value="([^"]+)"/.exec(second)?.[1] as string;
  const answer = await fetch(
    new URL('/oauth/answer', page),
    form({ ticket, answer: 'allow' }),
  );
  return new URL(answer.headers.get('Location') as string);
}

const CLIENTS = {
  '2.4': {
    client: () => new Client({ name: 'test', version: '1' }),
    Transport: StreamableHTTPClientTransport,
  },
  '1.32': {
    client: () => new OldClient({ name: 'test', version: '1' }),
    Transport: OldTransport,
  },
};

test.for(Object.entries(CLIENTS))(
  'version %s',
  async ([version, { client, Transport }], { skip }) => {
    const world = new World();
    world.now = Date.now();
    world.insert('trades', tradeRow('t-1'));
    const key = world.key(ALL_SCOPES, 'me', 'key_sdk');
    const target = { port: 0 };
    const publicUrl = await tlsProxy(() => target.port, skip);
    const flags = ['--mcp', '--oauth', '--public-url', publicUrl, '--trust-proxy'];
    const serving = await startServe(['--home', world.files.home, ...flags]);
    target.port = serving.port;

    const authProvider = new Provider();
    const connected = async () => {
      const one = client() as any;
      const transport = new Transport(new URL(`${publicUrl}/mcp`), {
        authProvider,
      }) as any;
      onTestFinished(() => one.close());
      return { one, transport, connecting: one.connect(transport) as Promise<void> };
    };
    const first = await connected();
    await expect(first.connecting).rejects.toThrow(/unauthorized/i);
    const page = authProvider.sentTo[0] as URL;
    expect(page.href).toContain(`${publicUrl}/oauth/authorize?`);
    const back = await allow(page, key);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      state: 'state-of-sdk',
      iss: publicUrl,
    });
    await first.transport.finishAuth(
      version === '2.4' ? back.searchParams : back.searchParams.get('code'),
    );
    expect(authProvider.kept['tokens']).toMatchObject({
      token_type: 'Bearer',
      scope: ALL_SCOPES.join(' '),
    });

    const { one, connecting } = await connected();
    await connecting;
    expect((await call(one, 'get_trade', { id: 't-1' })).symbol).toBe('AAPL');
    revokeKey(world.files.keys, 'key_sdk', Date.now());
    await expect(call(one, 'get_trade', { id: 't-1' })).rejects.toThrow(/unauthorized/i);
    // It asks the owner again.
    expect(authProvider.sentTo).toHaveLength(2);

    serving.stop();
    const { stderr: log } = await serving.ended;
    expect(log).toContain('"path":"/oauth/token","status":200');
    const { access_token: token } = authProvider.kept['tokens'] as {
      access_token: string;
    };
    for (const secret of [key, token, back.searchParams.get('code') as string])
      expect(log).not.toContain(secret);
  },
);

test('the environment turns it on, and the host of the public URL is accepted', async () => {
  const world = new World();
  const env = {
    JOURNAL_API_MCP: '1',
    JOURNAL_API_OAUTH: 'true',
    JOURNAL_API_PUBLIC_URL: 'https://Journal.example.org/',
  };
  const { port } = await startServe(['--home', world.files.home, '--log', 'off'], {
    env,
  });
  const ask = async (host: string) => {
    const path = '/.well-known/oauth-protected-resource/mcp';
    const [response] = await once(
      httpRequest({ host: '127.0.0.1', port, path, headers: { host } }).end(),
      'response',
    );
    return [response.statusCode, JSON.parse(await text(response))];
  };
  expect(await ask('journal.example.org')).toEqual([
    200,
    expect.objectContaining({ resource: 'https://journal.example.org/mcp' }),
  ]);
  expect((await ask('other.example.org'))[0]).toBe(421);
});
