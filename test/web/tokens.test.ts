/** The page's estimate of tokens beside the real count. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { tokensIn } from '../../src/web/tokens.ts';
import { sharedByTests } from '../helpers.ts';
import { serveSample } from './sample.ts';

const sample = sharedByTests(serveSample);

test.each(['7d', '90d', '1y'])(
  'of the summary of %s it is off by less than a tenth',
  async (period) => {
    const { world, key } = sample();
    const { text } = await world.ask(`/v1/summary?period=${period}`, { key });
    expect(Math.abs(tokensIn(text) / encode(text).length - 1)).toBeLessThan(0.1);
  },
);
