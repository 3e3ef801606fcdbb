/** The agent benchmark: transcripts replayed against a served journal, and the grading of answers. */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { type Chat, type Message, modelAgent, scripted } from '../agents/agents.ts';
import { ASKED_AT, fillPlanted } from '../agents/journal.ts';
import { FORTY, type Question, states } from '../agents/questions.ts';
import { overHttp, overMcp, type Way } from '../agents/ways.ts';
import { mcpWorld, serveMcpOverHttp } from './connect.ts';

const transcripts = JSON.parse(
  readFileSync('test/fixtures/agents/transcripts.json', 'utf8'),
) as Record<string, Message[]>;

async function ways(): Promise<Way[]> {
  const world = mcpWorld();
  fillPlanted(world);
  world.now = ASKED_AT;
  const service = {
    url: (await serveMcpOverHttp(world)).replace('/mcp', ''),
    key: world.key(),
  };
  const mcp = await overMcp(service);
  onTestFinished(() => mcp.close());
  return [mcp, overHttp(service)];
}

const asked = (question: string) =>
  FORTY.find((one) => one.question === question) as Question;

test('transcripts of a model are graded by the stated facts, and their calls get results', async () => {
  const outcomes: Record<string, unknown> = {};
  const all = await ways();
  for (const [name, messages] of Object.entries(transcripts)) {
    const [wayName, question = ''] = name.split(': ');
    const way = all.find((one) => one.name === wayName) as Way;
    let turn = 0;
    let last: { tool_call_id?: string; content?: string | null }[] = [];
    const chat: Chat = async (before) => {
      last = before;
      return messages[turn++] as Message;
    };
    const { isRight, calls, tokens } = await modelAgent(chat)(asked(question), way);
    expect(tokens).toBeGreaterThan(200);
    const answers = last.flatMap(({ tool_call_id, content }) =>
      tool_call_id === undefined ? [] : [content],
    );
    outcomes[name] = [isRight, calls, answers];
  }
  expect(outcomes).toEqual({
    "MCP: What if I'd skipped Fridays?": [
      true,
      1,
      [expect.stringContaining('"without"')],
    ],
    'HTTP: Which trades did I miss?': [
      true,
      3,
      [
        'unknown function get_missed',
        expect.stringContaining('/v1/missed-trades'),
        expect.stringContaining('"hypothetical_pnl":75'),
      ],
    ],
    'HTTP: What did I make over all months?': [false, 0, []],
  });
});

test('the scripted agent is right over HTTP in the planned calls, with ids from the previous answer', async () => {
  const [, http] = await ways();
  const few = [
    'What did I make over all months?',
    'My worst MNQ trade with fills and notes?',
    'Which positions are open?',
  ];
  for (const question of few) {
    const outcome = await scripted(asked(question), http as Way);
    expect(outcome).toMatchObject({
      question,
      isRight: true,
      calls: asked(question).paths.length,
    });
  }
});

test.each([
  ['it made $1,234.50', [1234.5], true],
  ['[-1234.5,12]', [1234.5, 12], true],
  ['about 1234', [1234.4], true],
  ['about 1234', [1234.6], false],
  ['1234.49', [1234.5], false],
  ['Iron Condors: 5', ['iron condor', 5], true],
  ['verticals', ['iron condor|vertical'], true],
  ['nothing', ['iron condor'], false],
])('%s states %j: %s', (text, facts, isSo) => {
  expect(states(text, facts)).toBe(isSo);
});
