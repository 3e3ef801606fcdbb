/**
 * Number of runs of a slow property, or of one with rare cases.
 * @param all with `npm run test:properties`
 * @param some with `npm test`
 */
export function runs(all: number, some = Math.ceil(all / 5)): number {
  return process.env['PROPERTIES'] === 'all' ? all : some;
}
