import { newId } from '../../events/ids.ts';
import type { Agent, HostParams } from '../contract/agent.ts';
import type { ConversationParams, RunParams } from '../contract/run-params.ts';
import type { EventSink } from '../run/event-channel.ts';
import { Semaphore } from '../semaphore.ts';
import { runChild } from '../subagents/child-run.ts';
import type { RlmLimits } from './rlm-limits.ts';

/** The number of queries of a run and the runs below it. */
export interface QueryCount {
  made: number;
}

export interface QueriesOptions {
  readonly limits: RlmLimits;
  readonly count: QueryCount;
  /** Answers a prompt. */
  readonly model: Agent;
  /** Answers a prompt about a context, which is in its own REPL. */
  readonly recursive: (context: string) => Agent;
  /** The settings that the runs below inherit. */
  readonly inherited: {
    readonly run: Omit<RunParams, 'runId' | 'parentId' | 'signal'>;
    readonly conversation: Omit<ConversationParams, 'messages'>;
    readonly host: HostParams;
  };
  /** Receives the events of the runs below. */
  readonly sink: EventSink;
}

/** The origin of a query. */
export interface QueryPlace {
  /** The execution that sends the query. */
  readonly parentId: string;
  readonly signal: AbortSignal;
}

/** Answers `llm_query` with separate runs; a failure is an error for the calling code. */
export class Queries {
  readonly #options: QueriesOptions;
  readonly #semaphore: Semaphore;

  constructor(options: QueriesOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.limits.parallelQueries);
  }

  async ask(args: readonly unknown[], { parentId, signal }: QueryPlace): Promise<string> {
    const { limits, count, inherited, sink } = this.#options;
    const [prompt = '', context] = args.map(String);
    if (limits.maxDepth === 0) throw new Error('llm_query is not available here: no further level is allowed.');
    const { agent, content } = this.#request(prompt, context);
    if (count.made >= limits.maxQueries)
      throw new Error(`All ${limits.maxQueries} queries of this run are used up. Answer with what you have.`);
    count.made++;
    return this.#semaphore.run(signal, async () => {
      const params = {
        run: { ...inherited.run, runId: newId(), parentId, signal },
        conversation: { ...inherited.conversation, messages: [{ role: 'user' as const, content }] },
        host: inherited.host,
      };
      const { text, error } = await runChild(agent, params, sink);
      signal.throwIfAborted();
      if (error !== undefined) throw new Error(`The query failed: ${error.message}`);
      return text;
    });
  }

  #request(prompt: string, context: string | undefined): { agent: Agent; content: string } {
    const { limits, model, recursive } = this.#options;
    const deeper = context !== undefined && limits.maxDepth > 1;
    const content = context === undefined || deeper ? prompt : `${prompt}\n\n<context>\n${context}\n</context>`;
    if (content.length > limits.maxQueryLength)
      throw new Error(`The query has ${content.length} characters: at most ${limits.maxQueryLength} are sent at once.`);
    return { agent: deeper ? recursive(context) : model, content };
  }
}
