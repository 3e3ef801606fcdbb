/** Property tests use the same cases each time; FC_SEED=7 uses others, FC_SEED=random new ones. A failure prints its seed. */
import fc from 'fast-check';

const seed = Number(process.env['FC_SEED'] || 20261120);
if (!Number.isInteger(seed))
  throw new Error(`FC_SEED takes a whole number, or random; got "${process.env['FC_SEED']}"`);
fc.configureGlobal({ seed });
