import * as z from 'zod';
import { compact, uncut } from '../compact.ts';
import { fitted } from '../fit.ts';
import { detail, tool } from '../tool.ts';

export const getTrade = tool({
  name: 'get_trade',
  title: 'One trade',
  description: 'One trade with its executions, group and journal entries.',
  scopes: ['trades:read'],
  input: () => z.strictObject({ id: z.string().min(1), detail }),
  output: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  async call({ id, detail }, api) {
    const data = await api.data(`/v1/trades/${encodeURIComponent(id)}`);
    if (detail === 'full') return uncut(data);
    const { timezone } = (await api.me()).user;
    return fitted(timezone, (how) => ({ ...(compact(data, how) as object), timezone })) ?? { id };
  },
});
