/** Placeholder of a response. */
export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="loading-line" />
      ))}
    </div>
  );
}
