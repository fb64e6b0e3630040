import { SingletreeError } from '../events/index.ts';
import type { Problem } from '../protocols/index.ts';
import type { Redactor } from '../agents/redaction/redactor.ts';
import { Refusal } from './security/refusal.ts';

/** The error as the HTTP API tells it; what is not one of ours says nothing of itself. */
export function problemOf(error: unknown): Problem {
  const told =
    SingletreeError.is(error) || error instanceof Refusal
      ? error
      : new SingletreeError('internal', 'The server failed to answer. Its own output says why.');
  return {
    type: `urn:singletree:error:${told.code}`,
    title: told.code.replaceAll('_', ' '),
    status: told.status,
    code: told.code,
    detail: told.message,
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
