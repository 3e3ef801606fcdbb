/** Property tests use other cases in each run: the run prints its seed first, and `SEED=7 npm test` repeats that of 7. */
import fc from 'fast-check';
import { SEED } from './seed.ts';

fc.configureGlobal({ seed: SEED });
