import { SingletreeError } from '../base/singletree-error.ts';
import type { Problem } from '../protocols/http-api.ts';
import type { Redactor } from '../agents/redaction/redactor.ts';

/** Returns an error as the HTTP API reports it; an unexpected error is shown without details. */
export function toProblem(error: unknown): Problem {
  const shown =
    SingletreeError.is(error) || error instanceof Refusal
      ? error
      : new SingletreeError('internal', 'The server failed to answer. Its own output says why.');
  return {
    type: `urn:singletree:error:${shown.code}`,
    title: shown.code.replaceAll('_', ' '),
    status: shown.status,
    code: shown.code,
    detail: shown.message,
  };
}

/** The answer to a request that failed. */
export function problemResponse(error: unknown, redactor: Redactor): Response {
  const problem = toProblem(error);
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(error instanceof Refusal && error.headers),
  };
  return new Response(redactor.json(JSON.stringify(problem)), { status: problem.status, headers });
}

/** The refusals that exist only over HTTP, with their status. */
const refusalStatus = { unauthorized: 401, too_many_attempts: 429, slow_reader: 503 } as const;

export type RefusalCode = keyof typeof refusalStatus;

/** Refuses a request or a reader for an HTTP-specific reason; `headers` tell the client how to proceed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return refusalStatus[this.code];
  }
}
