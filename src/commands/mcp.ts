/** `mcp`: the journal for an agent on this machine, over standard input and output. */
import { once } from 'node:events';
import type { Command } from 'commander';
import { type ClientOptions, filesOf, type GlobalOptions, mcpOptions } from '../config.ts';
import { messageOf, UsageError } from '../errors.ts';
import { accessLog } from '../http/access-log.ts';
import type { Ask } from '../http/client.ts';
import { describeFault } from './describe-fault.ts';
import { type Client, openClient } from './local-app.ts';
import { CLIENTS, configFor } from './mcp-config.ts';
import { note, print } from './output.ts';
import { serverSettingsOf } from './serve-settings.ts';
import { untilStopped } from './until-stopped.ts';

interface Options extends GlobalOptions, ClientOptions {
  printConfig?: string;
  log: 'json' | 'off';
}

export function registerMcp(program: Command): void {
  const command = program
    .command('mcp')
    .description('serve the journal to an agent as MCP tools, over standard input and output')
    .option('--print-config <client>', `print what to paste into a client: ${Object.keys(CLIENTS).join(', ')}`)
    .addHelpText(
      'after',
      `
An agent's own program starts this; docs/agents.md says how. For MCP over HTTP: journal-api serve --mcp.

Examples:
  $ journal-api key create --name agent --scopes all --expires 30d --out ~/agent.key
  $ journal-api mcp --print-config claude-desktop --key-file ~/agent.key`,
    )
    .action((_options, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      if (options.printConfig === undefined) return serve(options);
      const config = configFor(options.printConfig, filesOf(options), options);
      print(config.text);
      note(config.advice);
    });
  for (const option of mcpOptions) command.addOption(option);
}

/** Until the client hangs up or the process is asked to end. What is wrong with key or journal is told in answers. */
async function serve(options: Options): Promise<void> {
  const fault = (error: unknown) => note(`journal-api: a call failed: ${describeFault(error)}`);
  const { rateLimit } = serverSettingsOf({ host: '127.0.0.1', port: '0', ...options });
  const journal = new PatientClient(() =>
    openClient(options, {
      rateLimit,
      ...(options.log === 'json' ? { log: accessLog((line) => process.stderr.write(line)) } : {}),
      onError: fault,
    }),
  );
  const { serveMcp } = await import('../mcp/stdio.ts');
  const stop = serveMcp(journal.ask, { now: Date.now, onError: fault });
  await Promise.race([once(process.stdin, 'close'), untilStopped()]);
  await stop();
  journal.close();
}

/** A client of the API that need not be there yet: it is looked for at each call, until it is found. */
class PatientClient {
  readonly #open: () => Client;
  #client: Client | undefined;

  constructor(open: () => Client) {
    this.#open = open;
    try {
      this.#client = open();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      note(`journal-api: warning: ${messageOf(error)}. Calls say so until that is put right.`);
    }
  }

  readonly ask: Ask = async (path) => {
    this.#client ??= this.#open();
    return this.#client.ask(path);
  };

  close(): void {
    this.#client?.close();
  }
}
