/** Asks before the first picture or cash flow of a journal that keys would show. */
import { FilesFailed } from '../../import/index.ts';
import { FirstFlowsShown, KeysShowPictures } from '../../import/steps/first-shown.ts';
import { agree, terminalHere } from './terminal.ts';

/**
 * @param run makes the change; it throws KeysShowPictures unless agreed, and changes
 * nothing then
 * @throws UsageError without a terminal and --yes; UserError if the user says no
 */
export async function agreedToPictures<T>(
  run: (isAgreed: boolean) => T,
  { yes = false }: { yes?: boolean | undefined },
): Promise<T> {
  try {
    return run(yes);
  } catch (error) {
    const shown = error instanceof FilesFailed ? error.cause : error;
    const isOfCash = shown instanceof FirstFlowsShown;
    if (!(shown instanceof KeysShowPictures || isOfCash) || !terminalHere()) throw error;

    const what = isOfCash ? 'the first cash flows of this journal' : 'pictures';
    await agree(`These keys would show ${what}: ${shown.keys}. Proceed?`, shown.message);
    return run(true);
  }
}
