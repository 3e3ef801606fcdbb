/** What each generated client is asked for, in the types that the description promises. */
export interface Answers {
  /** Ids of all trades of a symbol, read page by page. */
  trades: string[];
  /** The first and last day of the trades. */
  extent: { first: string; last: string } | null | undefined;
  /** Net P&L of the window by both summaries. */
  netPnl: [number, number];
  /** The executions of a trade. */
  executions: number;
  /** Status and code of an answer to a parameter that doesn't exist. */
  refused: [number, string];
}

export interface Access {
  url: string;
  key: string;
}
