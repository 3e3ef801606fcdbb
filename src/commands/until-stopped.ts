/** The signals that end a command which runs until it is told to stop. */

/** Until the process is asked to end. Asked again more than a second later, it ends at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const stop = () => {
        resolve();
        // One Ctrl-C comes twice where the launcher passes on what the terminal has sent to both processes.
        setTimeout(() => process.off(signal, stop), 1000).unref();
      };
      process.on(signal, stop);
    }
  });
}
