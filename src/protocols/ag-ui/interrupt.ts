import * as z from 'zod';
import { parseJson } from '../../base/parse-json.ts';
import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { possibleAnswers } from '../../projections/possible-answers.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import type { AgUiResume } from '../http-ag-ui.ts';
import type { RelayBody } from '../http-api.ts';
import type { OpenRelay } from '../request/open.ts';
import type { AgUiInterrupt } from './ag-ui-event.ts';

type Relay = EventOf<'relay'>;

const reasons: Record<Relay['relayKind'], string> = {
  permission: 'tool_call',
  question: 'input_required',
  plan: 'confirmation',
  suspension: 'singletree:suspension',
  access: 'singletree:access',
};

/** Whether a relay waits for the client to execute a call. */
export function isForClient({ event }: Pick<OpenRelay, 'event'>): boolean {
  return event.relayKind === 'suspension' && event.forClient === true;
}

/** Returns a relay as an interrupt for a reader that has the log up to `seq`. */
export function toInterrupt({ event, call, run }: OpenRelay, seq: number): AgUiInterrupt {
  const { id, relayKind, expiresAt } = event;
  const { summary } = presentRelay(event);
  const toolCallId = call?.key ?? event.toolCallId;
  return {
    id: `${id}@${seq}`,
    reason: reasons[relayKind],
    message: `${run.agentName ?? 'An agent'} asks: ${summary}`,
    responseSchema: responseSchema(event),
    metadata: { singletree: { relay: event } },
    ...defined({ toolCallId, expiresAt, subagentRunId: run.parent && run.runId }),
  };
}

/** Returns which relay an interrupt is, and up to which seq its reader has the log; throws `invalid_argument`. */
export function parseInterruptId(id: string): { relayId: string; seq: number } {
  const [, relayId, seq] = /^(.+)@(\d{1,15})$/s.exec(id) ?? [];
  if (relayId !== undefined) return { relayId, seq: Number(seq) };
  throw invalid(`The interrupt "${id}" is unknown. Expected an id from the "interrupts" of a RUN_FINISHED event.`);
}

const text = { type: 'string' };

/** JSON Schema of the answers that the agent can act on. */
function responseSchema(relay: Relay): Readonly<Record<string, unknown>> {
  const answers = possibleAnswers(relay);
  if (relay.relayKind === 'question') {
    const choice = relay.options === undefined ? text : { ...text, examples: relay.options.map(({ label }) => label) };
    const answer = relay.selectionMode === 'multi_select' ? { type: 'array', items: choice } : choice;
    return { type: 'object', properties: { answer }, required: ['answer'] };
  }
  if (relay.relayKind === 'suspension' && answers.includes('answer')) return parseSchema(relay.resumeSchema);
  const properties = {
    approved: { type: 'boolean' },
    feedback: text,
    ...(relay.relayKind === 'permission' && {
      remember: { enum: ['once', 'thread', 'category'] },
      ...(answers.includes('revise') && { editedArgs: { type: 'object' } }),
    }),
  };
  return { type: 'object', properties, required: ['approved'] };
}

function parseSchema(json = '{}'): Readonly<Record<string, unknown>> {
  // A tool with an invalid schema accepts every answer.
  return z.record(z.string(), z.unknown()).catch({}).parse(parseJson(json));
}

const decision = z.looseObject({
  approved: z.boolean(),
  feedback: z.string().optional(),
  editedArgs: z.unknown().optional(),
  remember: z.enum(['once', 'thread', 'category']).optional(),
});
const words = z.union([z.string(), z.array(z.string())]);
const choice = z.union([words, z.looseObject({ answer: words })]);

/** Returns the answer to a relay that a client gives; a dismissed one is rejected. Throws `invalid_argument`. */
export function toRelayAnswer(relay: Relay, { status, payload }: AgUiResume): RelayBody {
  if (status === 'cancelled') return { outcome: 'reject', feedback: 'It was dismissed.' };
  if (relay.relayKind === 'question') {
    const given = choice.safeParse(payload).data;
    if (given === undefined) throw unusable(relay, '{ "answer": "…" }');
    return { outcome: 'answer', answer: typeof given === 'string' || Array.isArray(given) ? given : given.answer };
  }
  if (relay.relayKind === 'suspension' && possibleAnswers(relay).includes('answer'))
    return { outcome: 'answer', input: payload };
  const decided = decision.safeParse(payload).data;
  if (decided === undefined) throw unusable(relay, '{ "approved": true } or { "approved": false }');
  const { approved, feedback, editedArgs: input, remember } = decided;
  if (!approved) return { outcome: 'reject', ...defined({ feedback }) };
  return { outcome: input === undefined ? 'approve' : 'revise', ...defined({ feedback, input, remember }) };
}

function unusable({ id, relayKind }: Relay, expected: string): SingletreeError {
  return invalid(`Invalid answer to the ${relayKind} "${id}": expected the payload ${expected}.`);
}

function invalid(message: string): SingletreeError {
  return new SingletreeError('invalid_argument', message);
}
