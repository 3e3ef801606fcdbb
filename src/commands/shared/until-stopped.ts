/** Resolves on the first signal to stop. A second one, more than a second later, ends the process at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const stop = () => {
        resolve();
        // The launcher forwards a Ctrl-C that the terminal has already sent to both processes.
        setTimeout(() => process.off(signal, stop), 1000).unref();
      };
      process.on(signal, stop);
    }
  });
}
