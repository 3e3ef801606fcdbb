/** Property tests try the same cases each time; FC_SEED=7 tries others, FC_SEED=random new ones. One that fails says its seed. */
import fc from 'fast-check';

const seed = Number(process.env['FC_SEED'] || 20261120);
if (!Number.isInteger(seed))
  throw new Error(`FC_SEED takes a whole number, or random; got "${process.env['FC_SEED']}"`);
fc.configureGlobal({ seed });
