import type { RunOrigin, RunParams, ConversationParams } from './run-params.ts';
import type { InvokeParams, InvokeRequest } from './agent.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

/** Completes the parameters of a caller. Throws `invalid_argument` without a conversation. */
export function toInvokeParams({ run = {}, conversation, host = {} }: InvokeRequest): InvokeParams {
  // Programs without types may pass the messages alone.
  if (!Array.isArray((conversation as unknown as ConversationParams | undefined)?.messages))
    throw new SingletreeError(
      'invalid_argument',
      'An agent is invoked with a conversation: `agent.invoke({ conversation: { messages: [{ role: "user", content: "Hello" }] } })`.',
    );
  const { runId = newId(), signal = new AbortController().signal } = run;
  return { run: { ...run, runId, signal }, conversation, host };
}

/** Returns where a run belongs, with its context as it was read. */
export function toRunOrigin(run: RunParams, context: unknown = run.context): RunOrigin {
  const { runId, threadId, resourceId, by } = run;
  return { runId, threadId, resourceId, by, context };
}
