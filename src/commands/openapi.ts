import type { Command } from 'commander';
import { openApi } from '../http/openapi.ts';
import { ROUTES } from '../http/routes.ts';
import { printJson } from './shared/output.ts';

export function registerOpenapi(program: Command): void {
  program
    .command('openapi')
    .description('print the API description (OpenAPI 3.1)')
    .addHelpText('after', '\nExample:\n  $ journal-api openapi > openapi.json')
    .action(() => printJson(openApi(ROUTES)));
}
