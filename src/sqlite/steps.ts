/** Runs a pass to its end without a pause. */
export function toEnd<T>(pass: Generator<void, T>): T {
  let step = pass.next();
  while (!step.done) step = pass.next();
  return step.value;
}
