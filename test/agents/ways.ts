/** Three ways to query a journal: tools over MCP, `get` in a shell, plain HTTP. Each returns a text for a call. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { skillText } from '../../src/embedded.ts';
import { FILES } from '../../src/http/routes.ts';
import type { Question } from './questions.ts';

const execute = promisify(execFile);

export interface FunctionCall {
  name: string;
  given: Record<string, unknown>;
}

export interface Way {
  name: string;
  /** Instructions for a model. */
  instructions: string;
  /** Functions for a model. */
  functions: { name: string; description: string; parameters: object }[];
  /** Runs a call; an error is a text, too. */
  call: (call: FunctionCall) => Promise<string>;
  /** The calls for a question. */
  planned: (question: Question) => FunctionCall[];
  close: () => Promise<void>;
}

interface Service {
  url: string;
  key: string;
}

export async function overMcp({ url, key }: Service): Promise<Way> {
  const client = new Client({ name: 'bench', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }),
  );
  const { tools } = await client.listTools();
  return {
    name: 'MCP',
    instructions: client.getInstructions() ?? '',
    functions: tools.map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      parameters: inputSchema,
    })),
    async call({ name, given }) {
      const { content } = await client.callTool({ name, arguments: given });
      return (content as { text: string }[]).map(({ text }) => text).join('\n');
    },
    planned: ({ tools }) => tools.map(([name, given]) => ({ name, given })),
    close: () => client.close(),
  };
}

const addressed = (property: string, name: string, description: string) => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties: { [property]: { type: 'string' } },
    required: [property],
    additionalProperties: false,
  },
});

/** @param program the script for `get` */
export function withGet({ url, key }: Service, program: string): Way {
  return {
    name: 'get',
    instructions: skillText(),
    functions: [
      addressed(
        'arguments',
        'journal_api_get',
        'Runs journal-api get with these arguments, one per line, without quotes',
      ),
    ],
    async call({ given }) {
      const words = String(given['arguments']).split('\n');
      const env = { ...process.env, JOURNAL_API_KEY: key };
      return execute(process.execPath, [program, 'get', '--url', url, ...words], {
        env,
        maxBuffer: 2 ** 26,
      }).then(
        ({ stdout }) => stdout,
        ({ stderr }) => String(stderr),
      );
    },
    planned: ({ paths }) =>
      paths.map((path) => {
        const [name = '', search = ''] = path.split('?');
        const query = [...new URLSearchParams(search)].map(
          ([parameter, value]) => `${parameter}=${value}`,
        );
        return {
          name: 'journal_api_get',
          given: { arguments: [name.replace('/v1/', ''), ...query].join('\n') },
        };
      }),
    close: async () => undefined,
  };
}

export function overHttp({ url, key }: Service): Way {
  return {
    name: 'HTTP',
    instructions: String(FILES.find(({ path }) => path === '/llms.txt')?.read()),
    functions: [
      addressed(
        'path',
        'http_get',
        'GET of a path with its query, such as /v1/me; the key is added',
      ),
    ],
    async call({ given }) {
      const path = String(given['path']);
      if (!path.startsWith('/')) return 'a path begins with /, such as /v1/me';
      return (
        await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } })
      ).text();
    },
    planned: ({ paths }) => paths.map((path) => ({ name: 'http_get', given: { path } })),
    close: async () => undefined,
  };
}
