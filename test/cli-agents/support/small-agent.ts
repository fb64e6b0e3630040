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

/** The channel of the small program. */
export class SmallChannel extends TurnChannel<ChannelEvents> {
  readonly #book: RequestBook<string>;
  readonly #calls = new OpenCalls();
  #sessionId = '';

  constructor(host: ChannelHost, start: LiveStart) {
    super(host, start);
    this.#book = new RequestBook(host);
  }

  protected connect(): void {
    this.#send({ type: 'hello' });
  }

  protected take(message: unknown, number: number): boolean {
    const record = recordOf(message) ?? {};
    if (record['type'] === 'ready') {
      this.#sessionId = textOf(record['session']) ?? '';
      this.setReady({ sessionId: this.#sessionId });
      return true;
    }
    const { turn } = this;
    turn?.within(number, () => {
      if (!this.#takeInTurn(turn, record)) turn.context.unknown(message);
    });
    return turn !== undefined;
  }

  protected createTurn({ runId }: LiveTurn): ChannelEvents {
    return new ChannelEvents(this.host, runId);
  }

  protected sendPrompt(turn: ChannelEvents, { content }: LiveTurn): void {
    turn.within(undefined, () => turn.context.session(this.#sessionId, { cwd: this.start.cwd }));
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

  protected finishTurn(turn: ChannelEvents, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    this.#book.withdrawAll('The turn has ended.');
    turn.within(undefined, () => turn.context.close());
    return { reason };
  }

  protected describeUnopened(): SessionProblem {
    return { message: 'Small ended before its session was open.', code: 'agent_failed' };
  }

  /** Returns whether the message was understood. */
  #takeInTurn(turn: ChannelEvents, record: WireRecord): boolean {
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

  #ask(turn: ChannelEvents, { id, call: rawId, command }: WireRecord): boolean {
    if (typeof id !== 'string' || typeof rawId !== 'string' || typeof command !== 'string') return false;
    const { runId } = turn.context;
    const call = this.#calls.add(rawId, { runId, name: 'bash', input: { command } });
    turn.context.emit({ type: 'tool_call', id: call.id, name: 'bash', input: { command } });
    // The call is in the thread before anybody is asked about it.
    turn.flush();
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

  #result(turn: ChannelEvents, { call: rawId, output, why }: WireRecord): boolean {
    const call = this.#calls.settle(textOf(rawId) ?? '');
    if (call === undefined || call === 'ambiguous') return false;
    const text = textOf(output);
    const outcome =
      text === undefined ? { status: 'denied' as const, reason: textOf(why) ?? 'rejected' } : { context: text };
    turn.context.emit({ type: 'tool_result', id: call.id, name: call.name, output: outcome });
    return true;
  }

  #send(message: object): void {
    this.host.send(JSON.stringify(message));
  }
}
