/** Agents that answer questions: a script with the planned calls, and a model behind an OpenAI-compatible API. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { type Question, states } from './questions.ts';
import type { FunctionCall, Way } from './ways.ts';

export interface Outcome {
  question: string;
  isRight: boolean;
  calls: number;
  /** In the model's context: definitions once, calls and answers. */
  tokens: number;
}

export type Agent = (question: Question, way: Way) => Promise<Outcome>;

const tokensIn = (value: unknown) =>
  encode(typeof value === 'string' ? value : JSON.stringify(value)).length;

/** Makes the planned calls and repeats their answers. */
export const scripted: Agent = async (question, way) => {
  const answers: string[] = [];
  let tokens = 0;
  for (const { name, given } of way.planned(question)) {
    const filled = JSON.parse(
      JSON.stringify(given).replace(/\$(id|date)/g, (_, field: string) =>
        String(firstRecord(answers[0] as string)[field]),
      ),
    ) as FunctionCall['given'];
    const answer = await way.call({ name, given: filled });
    answers.push(answer);
    tokens += tokensIn(filled) + tokensIn(answer);
  }
  const isRight = states(answers.join('\n'), question.facts);
  return { question: question.question, isRight, calls: answers.length, tokens };
};

/** Records in a tool's answer. */
interface Table {
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
  in_every_row?: Record<string, unknown>;
}

/** The first record of a list, in either form: a table of a tool, or the data of the API. */
function firstRecord(text: string): Record<string, unknown> {
  const answer = JSON.parse(text) as {
    trades?: Table;
    notes?: Table;
    data: Record<string, unknown>[];
  };
  const table = answer.trades ?? answer.notes;
  if (!table) return answer.data[0] ?? {};
  const { columns, rows, in_every_row } = table;
  return {
    ...in_every_row,
    ...Object.fromEntries(columns.map((name, i) => [name, rows[0]?.[i]])),
  };
}

/** A model's next message. */
export interface Message {
  role: string;
  content: string | null;
  tool_calls?: {
    id: string;
    type: 'function';
    function: { name: string; arguments: string };
  }[];
}
export type Chat = (messages: object[], tools: object[]) => Promise<Message>;

/** A model at a URL, such as http://127.0.0.1:11434/v1. */
export function chatAt(url: string, model: string, key?: string): Chat {
  return async (messages, tools) => {
    const response = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, messages, tools, temperature: 0 }),
    });
    if (!response.ok)
      throw new Error(
        `the model's response is ${response.status}: ${(await response.text()).slice(0, 300)}`,
      );
    const { choices } = (await response.json()) as { choices: { message: Message }[] };
    return choices[0]?.message as Message;
  };
}

const MAX_CALLS = 8;
const TASK =
  'Answer the question from the trading journal in a few sentences, with the figures that it asks for.';

/** @param chat the model; its answers are graded by the facts they state */
export function modelAgent(chat: Chat): Agent {
  return async ({ question, facts }, way) => {
    const tools = way.functions.map((one) => ({ type: 'function', function: one }));
    const messages: object[] = [
      { role: 'system', content: `${TASK}\n\n${way.instructions}` },
      { role: 'user', content: question },
    ];
    let calls = 0;
    for (;;) {
      const message = await chat(messages, tools);
      messages.push(message);
      const asked = message.tool_calls ?? [];
      if (asked.length === 0 || calls >= MAX_CALLS) {
        const tokens = tokensIn(tools) + tokensIn(messages);
        return { question, isRight: states(message.content ?? '', facts), calls, tokens };
      }
      for (const { id, function: called } of asked) {
        calls++;
        messages.push({
          role: 'tool',
          tool_call_id: id,
          content: await answerTo(way, called),
        });
      }
    }
  };
}

async function answerTo(
  way: Way,
  called: { name: string; arguments: string },
): Promise<string> {
  if (!way.functions.some(({ name }) => name === called.name))
    return `unknown function ${called.name}`;
  try {
    return await way.call({
      name: called.name,
      given: JSON.parse(called.arguments || '{}'),
    });
  } catch (error) {
    return String(error);
  }
}
