/** For tests of what takes how long: other programs may take the cores for a while, but hardly three times. */
export const AGAIN = { retry: 2 };
