import { RequestBook } from '../../../src/agents/cli/channels/request-book.ts';
import { TurnChannel } from '../../../src/agents/cli/channels/turn-channel.ts';
import type {
  ChannelHost,
  LiveAnswer,
  LiveStart,
  LiveTurn,
  LiveTurnEnd,
  SessionProblem,
} from '../../../src/agents/cli/contract/live-channel.ts';
import { ChannelEvents } from '../../../src/agents/cli/shared/channel-events.ts';
import { OpenCalls } from '../../../src/agents/cli/shared/open-calls.ts';
import { promptText } from '../../../src/agents/cli/shared/prompt-content.ts';
import { recordOf, textOf, type WireRecord } from '../../../src/agents/cli/shared/wire-value.ts';

interface SmallTurn {
  readonly events: ChannelEvents;
}

/** The channel of the small program. */
export class SmallChannel extends TurnChannel<SmallTurn> {
  readonly #book: RequestBook<string>;
  readonly #calls = new OpenCalls();
  #sessionId = '';

  constructor(host: ChannelHost, start: LiveStart) {
    super(host, start);
    this.#book = new RequestBook(this.host);
  }

  protected connect(): void {
    this.#send({ type: 'hello' });
  }

  protected takeBetweenTurns(message: unknown): boolean {
    const { type, session } = recordOf(message) ?? {};
    if (type !== 'ready') return false;
    this.#sessionId = textOf(session) ?? '';
    this.setReady({ sessionId: this.#sessionId });
    return true;
  }

  protected takeInTurn(turn: SmallTurn, message: unknown): boolean {
    const record = recordOf(message) ?? {};
    const on: Readonly<Record<string, () => boolean>> = {
      ask: () => this.#ask(turn, record),
      result: () => this.#result(turn, record),
      end: () => {
        this.endTurn(turn, this.isInterrupted ? 'aborted' : 'complete');
        return true;
      },
    };
    return on[textOf(record['type']) ?? '']?.() ?? false;
  }

  protected createTurn({ runId }: LiveTurn): SmallTurn {
    return { events: new ChannelEvents(this.host, runId) };
  }

  protected sendPrompt({ events }: SmallTurn, { content }: LiveTurn): void {
    events.context.session(this.#sessionId, { cwd: this.start.cwd });
    this.#send({ type: 'prompt', text: promptText(content) });
  }

  protected takeAnswer(requestId: string, answer: LiveAnswer): void {
    this.#book.answer(requestId, answer);
  }

  /** The program takes no messages during a turn: `steer: 'queued'`. */
  protected sendMessage(): void {}

  protected stopTurn(): void {
    this.#book.cancelAll();
    this.#send({ type: 'stop' });
  }

  protected finishTurn({ events }: SmallTurn, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    this.#book.withdrawAll('The turn has ended.');
    events.within(undefined, () => events.context.close());
    return { reason };
  }

  protected describeUnopened(): SessionProblem {
    return { message: 'Small ended before its session was open.', code: 'agent_failed' };
  }

  #ask({ events }: SmallTurn, { id, call: rawId, command }: WireRecord): boolean {
    if (typeof id !== 'string' || typeof rawId !== 'string' || typeof command !== 'string') return false;
    const { runId } = events.context;
    const call = this.#calls.add(rawId, { runId, name: 'bash', input: { command } });
    events.context.emit({ type: 'tool_call', id: call.id, name: 'bash', input: { command } });
    const about = { toolCallId: call.id, tool: 'bash', input: { command }, command, canRevise: false };
    this.#book.open({
      key: id,
      questions: [{ id, runId, kind: 'permission', ...about }],
      settle: ([answer]) => {
        const why = answer !== undefined && 'feedback' in answer ? answer.feedback : undefined;
        this.#send({ type: 'answer', allow: answer?.outcome === 'approve', why });
      },
    });
    return true;
  }

  #result({ events }: SmallTurn, { call: rawId, output, why }: WireRecord): boolean {
    const call = this.#calls.settle(textOf(rawId) ?? '');
    if (call === undefined || call === 'ambiguous') return false;
    const text = textOf(output);
    const outcome =
      text === undefined ? { status: 'denied' as const, reason: textOf(why) ?? 'rejected' } : { context: text };
    events.context.emit({ type: 'tool_result', id: call.id, name: call.name, output: outcome });
    return true;
  }

  #send(message: object): void {
    this.host.send(JSON.stringify(message));
  }
}
