/** Results of each generated client, in the types of the description. */
export interface Answers {
  /** Ids of all trades of a symbol, read page by page. */
  trades: string[];
  /** The first and last day of the trades. */
  extent: { first: string; last: string } | null | undefined;
  /** Net P&L of the period from both summaries. */
  netPnl: [number, number];
  /** Number of executions of a trade. */
  executions: number;
  /** Status and code of the response to an unknown parameter. */
  refused: [number, string];
}

export interface Access {
  url: string;
  key: string;
}
