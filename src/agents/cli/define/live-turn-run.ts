import { defined } from '../../../base/defined.ts';
import { answerReason, answerText, type Answers, type Question } from '../channels/request-book.ts';
import type { LineContext } from '../shared/line-context.ts';
import { OpenCalls } from '../shared/open-calls.ts';
import { toRecord, type WireRecord } from '../shared/wire-value.ts';
import { PrintedRun } from './printed-run.ts';

/** The details of a call in addition to its input. */
export interface AskedCall {
  /** The line that a shell would run. */
  readonly command?: string;
  /** The files that it reads or writes. */
  readonly paths?: readonly string[];
  /** The change as a unified diff. */
  readonly diff?: string;
  /** Why the agent wants it, in its own words. */
  readonly reason?: string;
}

/** Whether a call may run; `reason` is for the model. */
export interface CallDecision {
  readonly isAllowed: boolean;
  readonly reason?: string;
}

/** The actions of a turn in addition to its events. */
export interface TurnPort {
  /** Asks the user; the program gets the message that `reply` returns for the answers. */
  ask(question: Question, reply: (answers: Answers) => object): void;
  send(message: object): void;
  end(): void;
}

const unknownCall = 'The call was not reported, and nobody could be asked about it.';

/** A run of a program that keeps running: emits events as `PrintedRun` does, asks the user and ends the turn. */
export class LiveTurnRun extends PrintedRun {
  readonly #openCalls: OpenCalls;
  readonly #port: TurnPort;

  constructor(context: LineContext, currentRecord: () => WireRecord, port: TurnPort) {
    const calls = new OpenCalls();
    super(context, currentRecord, calls);
    this.#openCalls = calls;
    this.#port = port;
  }

  /** Asks whether the call `id` may run; the program gets the result of `reply`. Rules may decide instead of a user. */
  ask(id: string, about: AskedCall, reply: (decision: CallDecision) => object): void {
    const call = this.#openCalls.find(id);
    if (call === undefined || call === 'ambiguous') {
      this.unknown();
      this.#port.send(reply({ isAllowed: false, reason: unknownCall }));
      return;
    }
    const { id: toolCallId, name: tool } = call;
    const input = toRecord(call.input) ?? { value: call.input };
    const question = {
      kind: 'permission',
      toolCallId,
      tool,
      input,
      ...defined({ ...about }),
      canRevise: false,
    } as const;
    this.#port.ask(question, ([answer]) =>
      reply({ isAllowed: answer?.outcome === 'approve', ...defined({ reason: answerReason(answer) }) }),
    );
  }

  /** Asks a question, with answers to choose from if it has some; `reply` gets undefined without an answer. */
  question(question: string, choices: readonly string[], reply: (answer: string | undefined) => object): void {
    const options = choices.map(label => ({ label }));
    const choice = options.length > 0 && { options, selectionMode: 'single_select' as const };
    this.#port.ask({ kind: 'question', question, ...choice }, ([answer]) => reply(answerText(answer)));
  }

  /** The turn is over: the program waits for the next prompt. */
  end(): void {
    this.#port.end();
  }
}
