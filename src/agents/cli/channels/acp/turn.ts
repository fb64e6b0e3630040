import { defined } from '../../../../base/defined.ts';
import type { EventOf } from '../../../../events/vocabulary.ts';
import type { LineContext } from '../../shared/line-context.ts';
import type { OpenCalls } from '../../shared/open-calls.ts';
import { errorText } from '../../shared/readable-error.ts';
import { readCommands } from '../../shared/reported-commands.ts';
import type { SessionUsage } from '../../shared/session-usage.ts';
import { toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { AcpCalls } from './calls.ts';
import type { RpcAnswer } from '../json-rpc.ts';
import { AcpMessages, type MessageNumbers } from './messages.ts';
import type { AcpProfile, SubagentRules } from './profile.ts';
import { readTokens } from './tokens.ts';

interface TurnOptions {
  readonly context: LineContext;
  readonly profile: AcpProfile;
  readonly model?: string | undefined;
  /** Makes the ids of calls and messages, over all turns of the channel. */
  readonly ids: { readonly calls: OpenCalls; readonly messages: MessageNumbers };
  /** The totals of the process, for programs that count so. */
  readonly totals?: SessionUsage | undefined;
}

/** How a turn has ended. */
export type TurnOutcome = 'complete' | 'error' | 'aborted' | 'max_iterations';

/** Translates the updates of one turn. */
export class AcpTurn {
  readonly context: LineContext;
  readonly calls: AcpCalls;
  readonly #profile: AcpProfile;
  readonly #messages: AcpMessages;
  readonly #subagents: SubagentRules | undefined;
  readonly #options: TurnOptions;
  /** A piece of text that may be the failure of the turn. */
  #doubtful: { readonly text: string; readonly line: number | undefined } | undefined;
  #hasUsage = false;

  constructor(options: TurnOptions) {
    const { context, profile, model } = options;
    this.context = context;
    this.#options = options;
    this.#profile = profile;
    this.#messages = new AcpMessages(context, model, options.ids.messages);
    this.#subagents = profile.subagents?.(context);
    this.calls = new AcpCalls({
      context,
      messages: this.#messages,
      profile,
      subagents: this.#subagents,
      ids: options.ids.calls,
    });
  }

  /** Handles one `session/update`; returns whether it understood it. */
  update(update: WireRecord): boolean {
    const kind = toText(update['sessionUpdate']) ?? '';
    if (!Object.hasOwn(this.#on, kind)) return false;
    if (kind !== 'usage_update' && kind !== 'session_info_update') this.#believe();
    return (this.#on[kind] as (update: WireRecord) => boolean)(update);
  }

  readonly #on: Readonly<Record<string, (update: WireRecord) => boolean>> = {
    user_message_chunk: () => true,
    available_commands_update: update => this.#announce({ commands: readCommands(update['availableCommands']) }),
    current_mode_update: () => true,
    config_option_update: () => true,
    session_info_update: update => this.#announce({ title: toText(update['title']) }),
    usage_update: () => true,
    agent_message_chunk: update => this.#chunk('text', update),
    agent_thought_chunk: update => this.#chunk('reasoning', update),
    tool_call: update => this.calls.take(update),
    tool_call_update: update => this.calls.take(update),
    plan: update => this.#plan(update),
  };

  /** Emits the title and the commands that the program reports for its session. */
  #announce(details: Parameters<LineContext['session']>[1]): boolean {
    const { sessionId } = this.context;
    if (sessionId !== undefined) this.context.session(sessionId, details);
    return true;
  }

  #chunk(kind: 'text' | 'reasoning', update: WireRecord): boolean {
    const text = toRecord(update['content'])?.['text'];
    if (typeof text !== 'string') return false;
    const meta = toRecord(update['_meta']) ?? {};
    const { failureOf, mayFail, modeIn } = this.#profile;
    const failure = kind === 'text' ? failureOf?.(text) : undefined;
    if (failure !== undefined) this.context.fail({ message: failure });
    else if (kind === 'text' && mayFail?.(text) === true) this.#doubtful = { text, line: this.context.line };
    else if (kind === 'reasoning' || modeIn?.(text) === undefined)
      this.#write(kind, text, { meta, id: toText(update['messageId']) });
    const usage = readTokens(toRecord(meta['usage']));
    if (usage !== undefined) {
      this.#usage(usage);
      // The usage of a model call ends its message.
      this.#messages.result(this.context.runId);
    }
    return true;
  }

  #write(
    kind: 'text' | 'reasoning',
    text: string,
    { meta = {}, id }: { meta?: WireRecord; id?: string | undefined } = {},
  ): void {
    const runId = this.#subagents?.runOf(meta) ?? this.context.runId;
    this.#messages.write(runId, kind, text, id ?? this.#profile.messageIdOf?.(meta));
    if (kind === 'text') this.#subagents?.wrote?.(runId, text);
  }

  /** A doubtful piece of text that something follows is text. */
  #believe(): void {
    const doubtful = this.#doubtful;
    this.#doubtful = undefined;
    if (doubtful !== undefined) this.#write('text', doubtful.text);
  }

  #plan(update: WireRecord): boolean {
    const entries = update['entries'];
    if (!Array.isArray(entries)) return false;
    const tasks = toList(entries).map((value, index): EventOf<'tasks'>['tasks'][number] => {
      const entry = toRecord(value);
      const status = entry?.['status'];
      return {
        id: `${index + 1}`,
        content: toText(entry?.['content']) ?? '',
        status: status === 'in_progress' || status === 'completed' ? status : 'pending',
      };
    });
    this.context.emit({ type: 'tasks', tasks });
    return true;
  }

  /** Handles the answer to the prompt and returns how the turn ended. */
  end(answer: RpcAnswer): TurnOutcome {
    if (answer.error !== undefined) {
      this.#believe();
      this.context.fail({ message: failureText(answer.error) });
      return 'error';
    }
    const { result } = answer;
    const stopReason = toText(result['stopReason']);
    const total = this.#profile.usageOf(result);
    if (this.#doubtful !== undefined && total === undefined && stopReason === 'end_turn') {
      this.context.fail({ message: this.#doubtful.text.replace(/^Error: /, '') });
      this.#doubtful = undefined;
    }
    this.#believe();
    const used = total !== undefined && this.#options.totals !== undefined ? this.#options.totals.since(total) : total;
    if (used !== undefined) this.#usage(used);
    if (!this.#hasUsage && this.context.failure === undefined) this.#messages.complete();
    if (stopReason === 'cancelled') return 'aborted';
    if (stopReason === 'max_turn_requests') return 'max_iterations';
    if (stopReason !== 'end_turn' && this.context.failure === undefined) this.context.fail(stopped(stopReason));
    return this.context.failure === undefined ? 'complete' : 'error';
  }

  /** Emits the remaining events at the end of the turn. */
  flush(): void {
    this.endCalls();
    this.context.close();
  }

  /** Emits the remaining events of calls and subagents. */
  endCalls(): void {
    this.#believe();
    this.calls.flush();
    this.#subagents?.flush();
  }

  #usage(usage: NonNullable<ReturnType<typeof readTokens>>): void {
    this.#hasUsage = true;
    this.context.emit({ type: 'usage', ...usage, ...defined({ model: this.#options.model }) });
  }
}

function stopped(stopReason: string | undefined): { message: string; code: string } {
  if (stopReason === 'max_tokens') return { message: 'The model reached its limit of tokens.', code: 'max_tokens' };
  if (stopReason === 'refusal') return { message: 'The agent refused to continue.', code: 'refusal' };
  return { message: `The agent ended the turn without a known reason (${stopReason ?? 'none'}).`, code: 'stopped' };
}

/** Returns the program's message of a protocol error, without the generic text of its code. */
export function failureText({ message, data }: { readonly message: string; readonly data?: unknown }): string {
  const details = toRecord(data);
  const own = toText(details?.['details']) ?? toText(details?.['message']) ?? toText(data);
  return errorText(own ?? message.replace(/^Internal error: /, '')) || 'The agent reported an error.';
}
