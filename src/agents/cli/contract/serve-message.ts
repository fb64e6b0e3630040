import * as z from 'zod';

export const serveRequest = z.object({
  id: z.number(),
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']),
  path: z.string(),
  body: z.unknown().optional(),
  /** The response comes when the turn of the request has ended: later requests do not wait for it. */
  lastsTurn: z.boolean().optional(),
});

/** A message to a local server: one HTTP request. Requests are sent one after the other, unless one lasts a turn. */
export type ServeRequest = z.infer<typeof serveRequest>;

const serveResponse = z.object({
  response: z.object({ id: z.number(), status: z.number(), body: z.unknown().optional() }),
});

/**
 * The answer to a request; its status is 0 when the server did not answer. Any other message of a local server is the
 * data of one server-sent event.
 */
export type ServeResponse = z.infer<typeof serveResponse>['response'];

/** Returns the response that a message is; undefined when it is an event or anything else. */
export function readServeResponse(message: unknown): ServeResponse | undefined {
  return serveResponse.safeParse(message).data?.response;
}
