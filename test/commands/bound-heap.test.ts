/** The heap of a server. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the space for new objects grows to 8 MB, and no further', () => {
  const script = `
    import { mock } from 'node:test';
    import { getHeapSpaceStatistics } from 'node:v8';
    import { boundHeap } from './src/commands/shared/bound-heap.ts';
    const megabytes = () => {
      const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
      return (space.space_used_size + space.space_available_size) / 2 ** 20;
    };
    mock.timers.enable({ apis: ['setInterval'] });
    boundHeap();
    const first = megabytes();
    mock.timers.tick(1000);
    const bounded = megabytes();
    let kept = [];
    for (let i = 0; i < 2_000_000; i++) {
      if (i % 200_000 === 0) kept = [];
      kept.push([i]);
    }
    console.log(JSON.stringify([first, bounded, megabytes()]));
  `;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const [first, bounded, later] = JSON.parse(printed) as number[];
  expect(first).toBeLessThan(8);
  expect(bounded).toBeCloseTo(8, 0);
  expect(later).toBeCloseTo(8, 0);
});
