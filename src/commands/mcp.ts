/** `mcp`: the journal for an agent on this machine, over standard input and output. */
import { once } from 'node:events';
import type { Command } from 'commander';
import { type ClientOptions, filesOf, type GlobalOptions, mcpOptions } from '../config.ts';
import { messageOf, UsageError } from '../errors.ts';
import { accessLog } from '../http/access-log.ts';
import type { Ask } from '../http/client.ts';
import { type Client, openClient } from './shared/local-app.ts';
import { CLIENTS, configFor } from './shared/mcp-config.ts';
import { describeFault, note, printData } from './shared/output.ts';
import { serverSettingsOf } from './shared/serve-settings.ts';
import { untilStopped } from './shared/until-stopped.ts';

interface Options extends GlobalOptions, ClientOptions {
  printConfig?: string;
  log: 'json' | 'off';
}

export function registerMcp(program: Command): void {
  const command = program
    .command('mcp')
    .description('serve the journal to an agent as MCP tools, over standard input and output')
    .option('--print-config <client>', `print the configuration of a client: ${Object.keys(CLIENTS).join(', ')}`)
    .addHelpText(
      'after',
      `
The agent's program starts this command; see docs/agents.md. For MCP over HTTP: journal-api serve --mcp.

Examples:
  $ journal-api key create --name agent --scopes all --expires 30d --out ~/agent.key
  $ journal-api mcp --print-config claude-desktop --key-file ~/agent.key`,
    )
    .action((_options, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      if (options.printConfig === undefined) return serve(options);
      const config = configFor(options.printConfig, filesOf(options), options);
      printData(config.text);
      note(config.advice);
    });
  for (const option of mcpOptions) command.addOption(option);
}

/** Runs until the client disconnects or a signal arrives. Problems with key or journal are reported in responses. */
async function serve(options: Options): Promise<void> {
  const fault = (error: unknown) => note(`journal-api: a call failed: ${describeFault(error)}`);
  const { rateLimit } = serverSettingsOf({ host: '127.0.0.1', port: '0', ...options });
  const journal = new RetryingClient(() =>
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

/** A client of an API that may be unavailable at first: each call tries to open it until one succeeds. */
class RetryingClient {
  readonly #open: () => Client;
  #client: Client | undefined;

  constructor(open: () => Client) {
    this.#open = open;
    try {
      this.#client = open();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      note(`journal-api: warning: ${messageOf(error)}. Calls fail until this is fixed.`);
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
