/**
 * How often a property is tried that takes long, or that finds its rarest cases only among many.
 * @param all with `npm run test:properties`; `npm test` tries a third of them
 */
export function runs(all: number): number {
  return process.env['PROPERTIES'] === 'all' ? all : Math.ceil(all / 3);
}
