import { openApi } from '../http/openapi.ts';
import { ROUTES } from '../http/routes.ts';
import { type JournalCommand, printJson } from './shared/command.ts';

export function registerOpenapi(program: JournalCommand): void {
  program
    .command('openapi')
    .description('print the API description (OpenAPI 3.1)')
    .examples('journal-api openapi > openapi.json')
    .runs(() => printJson(openApi(ROUTES)));
}
