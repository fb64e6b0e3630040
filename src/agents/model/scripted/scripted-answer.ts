import { SingletreeError } from '../../../base/singletree-error.ts';
import type {
  ScriptedFailure,
  ScriptedFinish,
  ScriptedPart,
  ScriptedTurn,
  ScriptedUsage,
  TurnTraits,
} from './script.ts';
import type { ScriptedRequest } from './scripted-request.ts';

interface Streamed {
  /** The whole text: the fragments joined. */
  readonly text: string;
  readonly fragments: readonly string[];
}

interface TextBlock extends Streamed {
  readonly kind: 'text';
}

interface ReasoningBlock extends Streamed {
  readonly kind: 'reasoning';
}

export type ProseBlock = TextBlock | ReasoningBlock;

/** A tool call: `text` holds its arguments as sent, `input` the value they represent. */
export interface ToolBlock extends Streamed {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly namespace?: string;
  /** The result, when the provider executes the call. */
  readonly result?: unknown;
}

export type AnswerBlock = ProseBlock | ToolBlock;

/** A turn with every id, fragment and count determined. */
export interface Answer {
  readonly blocks: readonly AnswerBlock[];
  /** Whether the connection drops after the blocks, without an end of the last one. */
  readonly cut: boolean;
  readonly usage: ScriptedUsage;
  readonly finishReason: ScriptedFinish;
  readonly delayMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

type ResolvedTurn = { readonly answer: Answer } | { readonly failure: ScriptedFailure };

/** Determines the answer of a turn to a request. Deterministic. */
export function resolveTurn(turn: ScriptedTurn, request: ScriptedRequest): ResolvedTurn {
  if (typeof turn === 'string') return { answer: resolveAnswer([{ text: turn }], {}, request) };
  if (isList(turn)) return { answer: resolveAnswer(turn, {}, request) };
  if ('httpStatus' in turn) return { failure: turn };
  return { answer: resolveAnswer('parts' in turn ? turn.parts : [turn], turn, request) };
}

/** The number of fragments in an answer. */
export function countFragments(blocks: readonly AnswerBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.fragments.length, 0);
}

function resolveAnswer(parts: readonly ScriptedPart[], traits: TurnTraits, request: ScriptedRequest): Answer {
  const cutAt = parts.findIndex(part => 'cut' in part);
  if (cutAt >= 0 && cutAt < parts.length - 1)
    throw new SingletreeError('invalid_argument', `Part ${cutAt + 1} of the turn is a cut, so nothing can follow it.`);
  const nextId = callIds(request);
  const blocks = parts.flatMap(part => toBlock(part, nextId, traits.tokenSize) ?? []);
  const calls = blocks.some(block => block.kind === 'tool' && block.result === undefined);
  return {
    blocks,
    cut: cutAt >= 0,
    usage: traits.usage ?? { inputTokens: 10, outputTokens: countFragments(blocks) },
    finishReason: traits.finishReason ?? (calls ? 'tool-calls' : 'stop'),
    delayMs: traits.delayMs ?? 0,
    headers: traits.headers ?? {},
  };
}

function toBlock(part: ScriptedPart, nextId: () => string, tokenSize?: number): AnswerBlock | undefined {
  if ('cut' in part) return undefined;
  if ('text' in part) return { kind: 'text', text: part.text, fragments: fragmentProse(part.text, tokenSize) };
  if ('reasoning' in part)
    return { kind: 'reasoning', text: part.reasoning, fragments: fragmentProse(part.reasoning, tokenSize) };
  const call = 'toolCall' in part ? part.toolCall : part.malformedToolCall;
  const text = 'rawArguments' in call ? call.rawArguments : JSON.stringify(call.input ?? {});
  return {
    kind: 'tool',
    id: call.id ?? nextId(),
    name: call.name,
    input: 'rawArguments' in call ? call.rawArguments : (call.input ?? {}),
    ...('namespace' in call && call.namespace !== undefined && { namespace: call.namespace }),
    ...('result' in call && call.result !== undefined && { result: call.result }),
    text,
    fragments: fragmentBySize(text, tokenSize ?? 16),
  };
}

function fragmentProse(text: string, tokenSize: number | undefined): readonly string[] {
  if (tokenSize !== undefined) return fragmentBySize(text, tokenSize);
  if (text.trim() === '') return text === '' ? [] : [text];
  return text.match(/\s*\S+(?:\s+$)?/g) ?? [];
}

function fragmentBySize(text: string, size: number): readonly string[] {
  const step = Math.max(1, Math.floor(size));
  const fragments: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = start + step;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    fragments.push(text.slice(start, end));
    start = end;
  }
  return fragments;
}

// Counting from the request instead of internal state yields the same id in a process that resumes.
function callIds(request: ScriptedRequest): () => string {
  let last: number | undefined;
  return () => {
    last ??= lastCallNumber(request);
    return `call_${++last}`;
  };
}

function lastCallNumber({ toolCalls, toolResults }: ScriptedRequest): number {
  const numbers = [...toolCalls, ...toolResults].map(({ id }) => Number(/^call_(\d+)$/.exec(id)?.[1] ?? 0));
  return numbers.reduce((a, b) => Math.max(a, b), toolCalls.length);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isList(turn: Exclude<ScriptedTurn, string>): turn is readonly ScriptedPart[] {
  return Array.isArray(turn);
}
