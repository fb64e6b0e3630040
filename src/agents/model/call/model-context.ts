import { defined } from '../../../base/defined.ts';
import type { LanguageModelV3CallOptions, LanguageModelV3Message } from '@ai-sdk/provider';
import type { EventOf } from '../../../events/vocabulary.ts';
import type { Message } from '../../../projections/message.ts';
import type { RunParams } from '../../contract/run-params.ts';
import { hash } from 'node:crypto';
import { PrefixCache } from '../../../projections/model-input/prefix-cache.ts';
import { withoutInstructions } from './prompt.ts';

/** The record of the requests of a run: each request can be reconstructed from the log. */
export interface RequestRecord {
  /** The ids of the contexts that the run emitted. */
  readonly emitted: Set<string>;
  /** Whether the step carries its messages: the conversation does not have them. */
  readonly carriesMessages?: boolean;
  /** A message before those of the conversation. */
  readonly first?: Message | undefined;
  readonly maxOutputLength?: number | undefined;
  readonly maxShownLength?: number | undefined;
}

/** The contexts that a run emitted. */
export class EmittedContexts extends Set<string> {
  /** Whether the next step carries its messages. */
  #carriesNext: boolean;

  constructor({ depth = 0, resume }: Pick<RunParams, 'depth' | 'resume'>) {
    super();
    this.#carriesNext = depth > 0 && (resume?.step ?? -1) < 0;
  }

  /** Returns the record of the next step: the first one of a subagent carries its task. */
  nextStep(traits: Omit<RequestRecord, 'emitted' | 'carriesMessages'> = {}): RequestRecord {
    const carriesMessages = this.#carriesNext;
    this.#carriesNext = false;
    return { emitted: this, carriesMessages, ...traits };
  }
}

/** The parts of a model request other than its messages. */
export interface ContextParts {
  readonly provider: string;
  /** Whether an external program reported it. */
  readonly reported?: boolean;
  readonly instructions?: string | undefined;
  readonly tools: readonly object[];
  readonly settings: object;
}

type LoggedSettings = Omit<LanguageModelV3CallOptions, 'prompt' | 'tools'>;

/** Returns settings as they are logged and hashed: the values of headers may be secret, and no model reads them. */
export function toLoggedSettings(settings: LoggedSettings): LoggedSettings {
  const { headers } = settings;
  if (headers === undefined) return settings;
  return { ...settings, headers: Object.fromEntries(Object.keys(headers).map(name => [name, '[not logged]'])) };
}

/** Returns the id of the context of a request, and a function that creates its event with all tools in full. */
export function describeContext(
  runId: string,
  { provider, reported, instructions, tools, settings }: ContextParts,
  { first, maxOutputLength, maxShownLength }: Omit<RequestRecord, 'emitted'> = {},
): { readonly id: string; readonly toEvent: () => EventOf<'model_context'> } {
  const context = {
    provider,
    ...defined({
      reported,
      instructions,
      maxOutputLength: toFinite(maxOutputLength),
      maxShownLength: toFinite(maxShownLength),
    }),
    ...(first !== undefined && { first: [first] }),
    settings,
  };
  const text = JSON.stringify(context);
  const id = digest([text, ...tools.map(digestTool)].join('\n')).slice(0, 16);
  // Events are frozen: theirs are copies.
  const describe = (tool: object) => ({ id: digestTool(tool).slice(0, 16), tool: JSON.parse(JSON.stringify(tool)) });
  const toEvent = () => ({ type: 'model_context', runId, id, ...JSON.parse(text), tools: tools.map(describe) });
  return { id, toEvent };
}

/** JSON has no infinity. */
function toFinite(length: number | undefined): number | undefined {
  return length === undefined ? undefined : Math.min(length, Number.MAX_SAFE_INTEGER);
}

/** The digest of each prefix of a prompt: of a message and the digest of all before it. */
const prompts = new PrefixCache<LanguageModelV3Message, string>((message, before = '') =>
  digest(before + JSON.stringify(message)),
);
const tools = new WeakMap<object, string>();

/** Returns a hash of a model request. Messages that were hashed before are not read again. */
export function requestHash({ prompt, tools: offered = [], ...settings }: LanguageModelV3CallOptions): string {
  // Each step creates new instruction messages before the same history, so they are hashed separately.
  const history = withoutInstructions(prompt);
  const before = prompt.slice(0, prompt.length - history.length);
  const parts = [JSON.stringify(settings), JSON.stringify(before), ...offered.map(digestTool), prompts.last(history)];
  return digest(parts.join('\n')).slice(0, 16);
}

/** Returns the digest of a tool; one that was digested before is not read again. */
function digestTool(tool: object): string {
  const known = tools.get(tool) ?? digest(JSON.stringify(tool));
  tools.set(tool, known);
  return known;
}

function digest(text: string): string {
  return hash('sha256', text);
}
