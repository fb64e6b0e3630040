import {
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  isInputRequiredResult,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { RelayAnswer } from '../../agents/contract/host.ts';
import { checkOutsideRuns, readStartedBy } from '../../control/conversations/inside-run.ts';
import type { ThreadRelay } from '../../control/conversations/relay-books.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { possibleAnswers } from '../../projections/possible-answers.ts';
import { relayBody } from '../../protocols/http-api.ts';
import { describePending } from './run-handlers.ts';
import type { McpCall, McpToolHandlers } from './mcp-call.ts';
import type { PendingRelay } from './mcp-tools.ts';

/** How many relays a list has. */
const mostListed = 100;

/** The tools that list and answer what agents ask people. */
export const inboxHandlers: Pick<McpToolHandlers, 'inbox_list' | 'inbox_answer'> = {
  inbox_list: async (_, call) => ({ value: { relays: await listPending(call) } }),
  inbox_answer: async ({ relayId, ...given }, call) => {
    const relay = await findRelay(call, relayId);
    const threadId = relay.thread.id;
    await checkOutsideRuns(call.site.options.log, relay.thread, call.caller);
    const { outcome: decided } = given;
    const decision =
      decided === undefined ? askPerson(call, relay) : decide(call, relay, { ...given, outcome: decided });
    if (decision === 'declined') return { value: { relayId, threadId, status: decision } };
    if (isInputRequiredResult(decision)) return decision;
    await call.site.conversations.answer(threadId, relayId, decision);
    return { value: { relayId, threadId, status: 'answered', outcome: decision.outcome, by: decision.by } };
  },
};

type Decision = Omit<RelayAnswer, 'relayId'>;

/** Lists the pending relays of the threads visible to the caller, oldest first. */
export async function listPending({ site, threads, access }: McpCall) {
  const { inbox } = site.conversations;
  const relays: PendingRelay[] = [];
  for (const relay of await inbox.list(access.scope.resourceId))
    if (relays.length < mostListed && (await threads.isVisible(relay.thread)))
      relays.push(describePending(relay.thread, relay.entry, await inbox.findAgent(relay)));
  return relays;
}

/** Finds a pending relay in a thread visible to the caller; throws `relay_not_found`. */
async function findRelay({ site, threads, access }: McpCall, relayId: string): Promise<ThreadRelay> {
  const found = await site.conversations.inbox.find(relayId, access.scope.resourceId);
  if (found !== undefined && (await threads.isVisible(found.thread))) return found;
  throw new SingletreeError('relay_not_found', `No agent waits for an answer to "${relayId}". See inbox_list.`, {
    details: { relayId },
  });
}

/** Returns the decision of the calling agent; throws `request_forbidden` when that agent requested the waiting run. */
function decide({ access, caller }: McpCall, { thread }: ThreadRelay, given: z.infer<typeof relayBody>): Decision {
  const { callers } = readStartedBy(thread);
  if (![access.connection, ...caller.ids].some(id => callers.includes(id)))
    return { ...defined(given), outcome: given.outcome, by: caller.by };
  throw new SingletreeError(
    'request_forbidden',
    'You asked for this run, so you cannot approve what it does. Leave out `outcome` to ask the person at your client, or let a person answer: singletree inbox.',
    { details: { threadId: thread.id } },
  );
}

/** The form that the user of a client fills in. */
const reply = z.object({
  outcome: relayBody.shape.outcome,
  answer: z.string().optional(),
  feedback: z.string().optional(),
});

/** Asks the user of the client once and returns the decision; `declined` when the user declines. */
function askPerson(
  { site, caller, inputResponses }: McpCall,
  { thread, entry }: ThreadRelay,
): Decision | InputRequiredResult | 'declined' {
  if (inputResponses === undefined) {
    const answers = possibleAnswers(entry.relay).filter(each => each !== 'revise');
    const text = { type: 'string' as const };
    const requestedSchema = {
      type: 'object' as const,
      properties: {
        outcome: { ...text, enum: answers },
        ...(answers.includes('answer') && { answer: { ...text, description: 'The answer, with outcome "answer"' } }),
        feedback: { ...text, description: 'A reason, for the agent' },
      },
      required: ['outcome'],
    };
    const message = site.redactor.text(describePending(thread, entry, entry.relay.agentId).question);
    return inputRequired({ inputRequests: { decision: inputRequired.elicit({ message, requestedSchema }) } });
  }
  const said = inputResponse(inputResponses, 'decision');
  const content = said.kind === 'elicit' && said.action === 'accept' ? reply.safeParse(said.content).data : undefined;
  if (content === undefined) return 'declined';
  const { outcome: decided, ...more } = content;
  return { outcome: decided, by: `person at ${caller.by}`, ...defined(more) };
}
