import { SingletreeError } from '../base/singletree-error.ts';
import type { Problem } from '../protocols/http-api.ts';
import type { Redactor } from '../agents/redaction/redactor.ts';
import { Refusal } from './security/refusal.ts';

/** The error as the HTTP API returns it; one that is not ours shows no details. */
export function problemOf(error: unknown): Problem {
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
  const problem = problemOf(error);
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(error instanceof Refusal && error.headers),
  };
  return new Response(redactor.json(JSON.stringify(problem)), { status: problem.status, headers });
}
