import { SingletreeError } from '../events/index.ts';
import type { Problem } from '../protocols/index.ts';

/** The error as the HTTP API tells it; what is not a `SingletreeError` says nothing of itself. */
export function problemOf(error: unknown): Problem {
  const told = SingletreeError.is(error)
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
export function problemResponse(error: unknown): Response {
  const problem = problemOf(error);
  const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}
