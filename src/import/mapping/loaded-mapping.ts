/** Mappings: read, and made into formats, only if a file is imported with one. */
import { OnDemand } from '../../journal/once.ts';

export const mappings = new OnDemand('the reader of mappings', async () => {
  const { formatsBy } = await import('./format.ts');
  const { loadMapping } = await import('./load.ts');
  return { formatsBy, loadMapping };
});
