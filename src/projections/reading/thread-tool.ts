import { defined } from '../../base/defined.ts';
import type { Mutable } from '../../base/mutable.ts';
import { type ToolOutput, toToolOutput } from '../../events/tools.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import {
  getAnswer,
  getAttached,
  getReports,
  getRun,
  getSpawned,
  getChunkText,
} from '../../graph/conversation/queries.ts';
import type { Chunk } from '../../graph/conversation/record.ts';
import type { CallStatus, RelayPart, ToolPart, ViewNode } from './view-node.ts';
import { relayStanding } from '../relay-book.ts';

/** How many reports of a call are shown. */
const keptReports = 200;

export interface ToolContext {
  /** Whether a call is folded. */
  readonly isFolded: (callId: string) => boolean;
  readonly nodesOf: (messageIds: readonly string[]) => readonly ViewNode[];
}

/** A call with all that belongs to it; the chunk is the call, or a piece of one whose call is missing. */
export function toolPart(conversation: Conversation, chunk: Chunk, context: ToolContext): ToolPart {
  const { event } = chunk;
  const isCall = event.type === 'tool_call';
  const pieces = isCall ? getAttached(conversation, chunk.id) : [chunk];
  const reports = isCall ? getReports(conversation, chunk.id, keptReports) : pieces;
  const collapsed = context.isFolded(chunk.id);
  const outputs = pieces.flatMap(({ event }) => (event.type === 'tool_result' ? [toToolOutput(event.output)] : []));
  const relays = pieces.flatMap(piece => relayPart(conversation, piece) ?? []);
  const [output, ...laterOutputs] = outputs;
  const written = pieces.find(piece => piece.kind === 'tool_input_delta');
  // A spread would take longer than all the rest, and there is a part for each call.
  const part: Mutable<ToolPart> = {
    kind: 'tool',
    id: chunk.id,
    name: 'name' in event && typeof event.name === 'string' ? event.name : '',
    status: getStatus(conversation, chunk, { output, pieces, reports, relays }),
    relays,
    collapsed,
    inputText: '',
    progress: [],
    laterOutputs: [],
    runs: [],
  };
  if (event.seq !== undefined) part.seq = event.seq;
  setTimes(part, chunk, pieces);
  if (collapsed) return part;
  if (isCall) part.input = event.input;
  if (output !== undefined) part.output = output;
  if (written !== undefined) part.inputText = getChunkText(conversation, written.id);
  part.progress = reports.flatMap(({ event }) => (event.type === 'tool_progress' ? [event.content] : []));
  part.laterOutputs = laterOutputs;
  part.runs = context.nodesOf(getSpawned(conversation, chunk.id).map(({ id }) => id));
  return part;
}

/** When a call began, at its start when that was reported, and when its result came. */
function setTimes(part: Mutable<ToolPart>, { event: call }: Chunk, pieces: readonly Chunk[]): void {
  const findTime = (type: 'tool_start' | 'tool_result') => pieces.find(({ event }) => event.type === type)?.event.ts;
  const startedAt = findTime('tool_start') ?? call.ts;
  const endedAt = findTime('tool_result');
  if (startedAt !== undefined) part.startedAt = startedAt;
  if (endedAt !== undefined) part.endedAt = endedAt;
}

/** A relay with its answer; undefined when the chunk is none. */
export function relayPart(conversation: Conversation, { id, event }: Chunk): RelayPart | undefined {
  if (event.type !== 'relay') return undefined;
  const { status = 'running' } = getRun(conversation, event.runId) ?? {};
  const place = defined({ seq: event.seq });
  return {
    kind: 'relay',
    id,
    ...place,
    relay: event,
    ...relayStanding(event, { answer: getAnswer(conversation, id), hasRunEnded: status !== 'running' }),
  };
}

interface Outcome {
  readonly output: ToolOutput | undefined;
  readonly pieces: readonly Chunk[];
  readonly reports: readonly Chunk[];
  readonly relays: readonly RelayPart[];
}

function getStatus(conversation: Conversation, chunk: Chunk, { output, pieces, reports, relays }: Outcome): CallStatus {
  if (output !== undefined) return 'status' in output ? 'denied' : 'error' in output ? 'failed' : 'done';
  const run = getRun(conversation, chunk.runId);
  const started =
    pieces.some(({ kind }) => kind === 'tool_start') || reports.some(({ kind }) => kind === 'tool_progress');
  const refused = relays.some(({ answer }) => answer?.outcome !== 'approve' && answer?.outcome !== 'revise');
  const called = chunk.kind !== 'tool_input_delta';
  if (run?.status !== 'running') return !started && (run?.reportsStart || refused || !called) ? 'skipped' : 'unknown';
  if (relays.some(({ status }) => status === 'pending')) return 'waiting';
  return called ? 'running' : 'preparing';
}

/** The fields in which reports of tools carry text. */
const textFields = ['text', 'output', 'content', 'message', 'chunk'] as const;

/** Returns what the reports of a call say so far: the newest when it is a text, else the texts in all of them, joined. */
export function progressText(reports: readonly unknown[]): string {
  const newest = reports.at(-1);
  return typeof newest === 'string' ? newest : reports.map(textIn).join('');
}

function textIn(report: unknown): string {
  if (typeof report === 'string') return report;
  const fields = Object(report) as Readonly<Record<string, unknown>>;
  const text = textFields.map(name => fields[name]).find(value => typeof value === 'string');
  return typeof text === 'string' ? text : '';
}
