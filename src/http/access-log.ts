/** One JSON line a request: never a key, a query value or a record. */

interface LogLine {
  method: string;
  path: string;
  status: number;
  /** Milliseconds from arrival to answer. */
  ms: number;
  key: string | null;
  requestId: string;
}

export type AccessLog = (line: LogLine, now: number) => void;

const MAX_PATH = 500;

/** @param write takes one line, its end included */
export function accessLog(write: (text: string) => void): AccessLog {
  return ({ method, path, status, ms, key, requestId }, now) =>
    write(
      `${JSON.stringify({
        time: new Date(now).toISOString(),
        method,
        path: withoutKeys(path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path),
        status,
        duration_ms: Math.round(ms * 1000) / 1000,
        key_id: key,
        request_id: requestId,
      })}\n`,
    );
}

/** Text without keys that somebody pasted into it, their _ encoded or not. */
function withoutKeys(text: string): string {
  return text.replace(/jak(_|%(25)*5F)[0-9A-Za-z]+/gi, 'jak_…');
}
