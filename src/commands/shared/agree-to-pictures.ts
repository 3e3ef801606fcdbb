/** Asks before the first picture of a journal that keys would show. */
import { KeysShowPictures } from '../../import/steps/note-pictures.ts';
import { agree, terminalHere } from './terminal.ts';

/**
 * @param run makes the change; it throws KeysShowPictures unless agreed, and changes nothing then
 * @throws UsageError without a terminal and --yes; UserError if the user says no
 */
export async function agreedToPictures<T>(
  run: (isAgreed: boolean) => T,
  { yes = false }: { yes?: boolean | undefined },
): Promise<T> {
  try {
    return run(yes);
  } catch (error) {
    if (!(error instanceof KeysShowPictures) || !terminalHere()) throw error;

    await agree(`These keys would show pictures: ${error.keys}. Proceed?`, error.message);
    return run(true);
  }
}
