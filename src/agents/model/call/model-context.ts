import { defined } from '../../../base/defined.ts';
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { EventOf } from '../../../events/vocabulary.ts';
import type { Message } from '../../../projections/message.ts';
import type { RunParams } from '../../contract/run-params.ts';
import { digest, digestTool } from './request-hash.ts';

/** What a run emits about its requests, so that each can be made again from the log. */
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

/** What a model is sent beside messages. */
export interface ContextParts {
  readonly provider: string;
  /** Whether an external program reported it. */
  readonly reported?: boolean;
  readonly instructions?: string | undefined;
  readonly tools: readonly object[];
  readonly settings: object;
}

export type LoggedSettings = Omit<LanguageModelV3CallOptions, 'prompt' | 'tools'>;

/** Returns settings as they are logged and hashed: the values of headers may be secret, and no model reads them. */
export function toLoggedSettings(settings: LoggedSettings): LoggedSettings {
  const { headers } = settings;
  if (headers === undefined) return settings;
  return { ...settings, headers: Object.fromEntries(Object.keys(headers).map(name => [name, '[not logged]'])) };
}

/** Returns the id of the context of a request, and what creates its event, with every tool whole. */
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
