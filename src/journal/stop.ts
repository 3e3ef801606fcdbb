/** Checks the side of a stop: only one on the losing side gives a risk, if initial_risk is null. The column risk has the same rule. */

export interface Stopped {
  side: string;
  entry_price: number;
  stop_loss: number | null;
}

/** The problem of a trade's stop; undefined if none. */
export function stopProblem({ side, entry_price, stop_loss }: Stopped): string | undefined {
  if (stop_loss === null) return undefined;
  const [isLosing, where] = side === 'long' ? [stop_loss < entry_price, 'below'] : [stop_loss > entry_price, 'above'];
  if (isLosing) return undefined;
  return `stop_loss is ${stop_loss}, but a ${side} entered at ${entry_price} loses ${where} that, so the stop gives no risk`;
}
