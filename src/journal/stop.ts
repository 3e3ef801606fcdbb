/** Whether a stop is where a trade loses: without an initial_risk, its risk follows from it. The column risk of trades says the same. */

export interface Stopped {
  side: string;
  entry_price: number;
  stop_loss: number | null;
}

/** What is wrong with the stop of a trade; undefined if nothing is. */
export function stopProblem({ side, entry_price, stop_loss }: Stopped): string | undefined {
  if (stop_loss === null) return undefined;
  const [isLosing, where] = side === 'long' ? [stop_loss < entry_price, 'below'] : [stop_loss > entry_price, 'above'];
  if (isLosing) return undefined;
  return `stop_loss is ${stop_loss}, but a ${side} entered at ${entry_price} loses ${where} that: it gives no risk`;
}
