/** Errors for clients: one type, one table, RFC 9457. Never internal details. */

const STATUS = {
  bad_request: 400,
  invalid_parameter: 400,
  unknown_parameter: 400,
  invalid_cursor: 400,
  conflicting_credentials: 400,
  missing_key: 401,
  invalid_key: 401,
  expired_key: 401,
  revoked_key: 401,
  insufficient_scope: 403,
  foreign_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  misdirected_request: 421,
  answer_too_large: 422,
  rate_limited: 429,
  internal_error: 500,
  journal_unavailable: 503,
} as const;

export type ProblemCode = keyof typeof STATUS;

export const PROBLEM_CODES = Object.keys(STATUS) as ProblemCode[];

const TITLES: Record<ProblemCode, string> = {
  bad_request: 'The request cannot be read',
  invalid_parameter: 'Invalid parameter',
  unknown_parameter: 'Unknown parameter',
  invalid_cursor: 'The cursor does not match this request',
  conflicting_credentials: 'Two different keys were sent',
  missing_key: 'A key is needed',
  invalid_key: 'The key is not valid',
  expired_key: 'The key has expired',
  revoked_key: 'The key was revoked',
  insufficient_scope: 'The key lacks a scope',
  foreign_origin: 'The request comes from a page of another site',
  not_found: 'Not found',
  method_not_allowed: 'The method is not allowed',
  misdirected_request: 'The request is for another host',
  answer_too_large: 'The answer would be too large',
  rate_limited: 'Too many requests',
  internal_error: 'Something went wrong in the server',
  journal_unavailable: 'The journal or its keys are unavailable',
};

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** @param detail the problem and its remedy, for people */
  constructor(
    code: ProblemCode,
    detail: string,
    more: { param?: string; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.code = code;
    this.status = STATUS[code];
    this.param = more.param;
    this.headers = more.headers ?? {};
  }

  toBody(requestId: string) {
    return {
      type: `urn:journal-api:problem:${this.code}`,
      title: TITLES[this.code],
      status: this.status,
      detail: this.message,
      code: this.code,
      ...(this.param === undefined ? {} : { param: this.param }),
      request_id: requestId,
    };
  }
}

export function statusOf(code: ProblemCode): number {
  return STATUS[code];
}

export const invalidParameter = (param: string, detail: string) =>
  new Problem('invalid_parameter', detail, { param });

export const notFound = (detail: string) => new Problem('not_found', detail);

export const ALLOW = 'GET, HEAD, OPTIONS';

/** @throws Problem (405) for a method that isn't a read */
export function requireRead(method: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new Problem('method_not_allowed', 'this service is read-only; use GET', {
    headers: { Allow: ALLOW },
  });
}
