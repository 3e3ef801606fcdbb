/**
 * Forty questions about a journal with planted facts, over MCP, with `get` and over HTTP: right and wrong answers, calls and tokens (o200k).
 * node bench/agents.ts [--model-url URL --model NAME [--record FILE]]
 * Without a model a script makes the planned calls. The model's key, if needed, is in MODEL_API_KEY.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { filesOf } from '../src/config.ts';
import { createApp } from '../src/http/app.ts';
import { listen } from '../src/http/server.ts';
import { openJournal } from '../src/journal/journal.ts';
import { createJournal } from '../src/journal-write/open.ts';
import { addUser, newUser } from '../src/journal-write/users.ts';
import { issueKey } from '../src/keys/issue.ts';
import { KeyReader } from '../src/keys/key-reader.ts';
import { ALL_SCOPES } from '../src/keys/scopes.ts';
import { openSecret } from '../src/keys/secret.ts';
import { respondToMcp } from '../src/mcp/transports.ts';
import {
  type Agent,
  type Chat,
  chatAt,
  type Message,
  modelAgent,
  type Outcome,
  scripted,
} from '../test/agents/agents.ts';
import { ASKED_AT, fillPlanted } from '../test/agents/journal.ts';
import { FORTY } from '../test/agents/questions.ts';
import { overHttp, overMcp, type Way, withGet } from '../test/agents/ways.ts';

const { values } = parseArgs({
  options: {
    'model-url': { type: 'string' },
    model: { type: 'string' },
    record: { type: 'string' },
  },
});
const home = mkdtempSync(join(tmpdir(), 'journal-api-agents-'));
const service = await served();
try {
  const ways = [
    await overMcp(service),
    withGet(service, resolve('src/cli.ts')),
    overHttp(service),
  ];
  const recorded: Record<string, Message[]> = {};
  const url = values['model-url'];
  const chat =
    url === undefined
      ? undefined
      : chatAt(url, values.model ?? '', process.env['MODEL_API_KEY']);
  console.log('way    right  wrong  calls  tokens  wrong answers');
  for (const way of ways)
    await ask(way, chat ? modelAgent(recording(chat, recorded, way)) : scripted);
  if (values.record !== undefined)
    writeFileSync(values.record, `${JSON.stringify(recorded, null, 1)}\n`);
} finally {
  await service.close();
  rmSync(home, { recursive: true, force: true });
}

async function ask(way: Way, agent: Agent): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const question of FORTY) outcomes.push(await agent(question, way));
  await way.close();
  const wrong = outcomes.filter(({ isRight }) => !isRight);
  const sum = (name: 'calls' | 'tokens') =>
    outcomes.reduce((total, outcome) => total + outcome[name], 0);
  const cells = [
    outcomes.length - wrong.length,
    wrong.length,
    sum('calls'),
    sum('tokens'),
  ];
  const width = [7, 7, 7, 8];
  console.log(
    way.name.padEnd(4),
    ...cells.map((cell, i) => String(cell).padStart((width[i] as number) - 1)),
    '',
    wrong.map(({ question }) => question).join('; '),
  );
}

function recording(chat: Chat, recorded: Record<string, Message[]>, way: Way): Chat {
  return async (messages, tools) => {
    const message = await chat(messages, tools);
    const { content } = messages[1] as { content: string };
    const name = `${way.name}: ${content}`;
    recorded[name] = [...(recorded[name] ?? []), message];
    return message;
  };
}

async function served() {
  const files = filesOf({ home });
  const db = createJournal(files.journal);
  addUser(db, newUser('me', {}), ASKED_AT);
  fillPlanted({
    db,
    insert(table, ...rows) {
      for (const row of rows) {
        const full = { user_id: 'me', ...row };
        const names = Object.keys(full);
        db.prepare(
          `INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`,
        ).run(full);
      }
    },
  });
  db.close();
  const expires = ASKED_AT + 30 * 86_400_000;
  const { key } = issueKey(files, {
    userId: 'me',
    name: 'bench',
    scopes: ALL_SCOPES,
    expires,
    now: ASKED_AT,
  });
  const now = () => ASKED_AT;
  const app = createApp({
    journal: openJournal(files.journal),
    keys: new KeyReader(files.keys),
    secret: openSecret(files),
    rateLimit: 0,
    corsOrigins: [],
    trustProxy: false,
    allowedHosts: [],
    protocols: [
      {
        path: '/mcp',
        respond: (request, ask) =>
          respondToMcp(request, ask, { now, onError: console.error }),
      },
    ],
    now,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  return { url: server.url, key, close: () => server.close() };
}
