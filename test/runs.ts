/**
 * How often a property is tried that takes long, or that finds its rarest cases only among many.
 * @param all with `npm run test:properties`
 * @param some with `npm test`
 */
export function runs(all: number, some = Math.ceil(all / 5)): number {
  return process.env['PROPERTIES'] === 'all' ? all : some;
}
