import type { RelayAnswer } from '../../agents/contract/host.ts';
import { standardOutput } from '../../control/standard-output.ts';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { visibleText } from '../../base/terminal-text.ts';
import type { CallPlace } from '../../projections/presentation/present-call.ts';
import { type AnswerChoice, presentRelay } from '../../projections/presentation/present-relay.ts';
import { editInEditor } from '../../terminal/session/external-editor.ts';
import { questionAnswer, relayText } from './relay-text.ts';

type Relay = EventOf<'relay'>;
type Answer = Omit<RelayAnswer, 'relayId'>;

/** The asking agent, when there are several, and its folder. */
interface Asker extends CallPlace {
  readonly from?: string;
}

/** Returns the inputs that select an answer: its key and words. */
function names({ outcome, remember, key }: AnswerChoice): readonly string[] {
  if (outcome === 'approve' && remember === undefined) return [key, 'yes', 'a', 'approve'];
  if (remember !== undefined) return remember === 'thread' ? [key, 'l', 'always'] : [key];
  return outcome === 'reject' ? [key, 'no', 'r', 'reject'] : [key, 'v', 'revise'];
}

const notAsked = '(answered elsewhere, or no longer asked)';
const interrupted = '(interrupted: not answered)';

/** Asks the user at a terminal about relays, one at a time; an answer from elsewhere closes the question. */
export class TerminalPerson {
  readonly #terminal: Terminal;
  readonly #answer: (relay: Relay, answer: Answer) => Promise<void>;
  readonly #waiting: { readonly relay: Relay; readonly asker: Asker }[] = [];
  #open: { readonly id: string; readonly stop: AbortController } | undefined;

  /** `answer` stores an answer; it rejects when the relay was answered elsewhere first. */
  constructor(terminal: Terminal, answer: (relay: Relay, answer: Answer) => Promise<void>) {
    this.#terminal = terminal;
    this.#answer = answer;
  }

  /** Whether a question is shown. */
  get isAsking(): boolean {
    return this.#open !== undefined;
  }

  ask(relay: Relay, asker: Asker = {}): void {
    this.#waiting.push({ relay, asker });
    if (this.#open === undefined) void this.#next();
  }

  /** Removes a relay that was answered or closed. */
  resolved(relayId: string): void {
    const index = this.#waiting.findIndex(({ relay }) => relay.id === relayId);
    if (index >= 0) this.#waiting.splice(index, 1);
    if (this.#open?.id === relayId) this.#open.stop.abort(notAsked);
  }

  /** Stops asking. */
  close(): void {
    this.#waiting.length = 0;
    this.#open?.stop.abort(notAsked);
  }

  /** Closes the open question without an answer, because the run is being stopped. */
  interrupt(): void {
    this.#waiting.length = 0;
    this.#open?.stop.abort(interrupted);
  }

  async #next(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { relay, asker } = next;
      const stop = new AbortController();
      this.#open = { id: relay.id, stop };
      try {
        const answer = await this.#question(relay, asker, stop.signal);
        stop.signal.throwIfAborted();
        await this.#answer(relay, answer);
      } catch (error) {
        this.#terminal.write(`\n  ${stop.signal.aborted ? String(stop.signal.reason) : errorText(error)}\n`);
      } finally {
        this.#open = undefined;
      }
    }
  }

  async #question(relay: Relay, { from, ...place }: Asker, signal: AbortSignal): Promise<Answer> {
    this.#terminal.write(`\n${from === undefined ? '' : `${visibleText(from)} asks:\n`}`);
    this.#terminal.draw(relayText(relay, { place }));
    if (relay.relayKind === 'question') return this.#answerQuestion(relay, signal);
    const { answers } = presentRelay(relay, place);
    const prompt = `  ${answers.map(({ key, label }) => `${key} ${label}`).join(' · ')} > `;
    for (;;) {
      const entered = (await this.#line(prompt, signal)).toLowerCase();
      const choice = answers.find(each => names(each).includes(entered));
      if (choice?.outcome === 'approve') return { outcome: 'approve', ...defined({ remember: choice.remember }) };
      if (choice?.outcome === 'reject') return this.#reject(signal);
      if (choice?.outcome === 'revise' && relay.relayKind === 'permission') {
        const revised = await this.#revise(relay);
        if (revised !== undefined) return { outcome: 'revise', input: revised };
      } else if (entered !== '')
        this.#terminal.write(`  "${entered}" is no answer here. Enter one of these letters.\n`);
    }
  }

  /** The next line, without the spaces around it. */
  async #line(prompt: string, signal: AbortSignal): Promise<string> {
    for (;;) {
      const line = await this.#terminal.ask(prompt, signal);
      if (line !== undefined) return line.trim();
      this.#terminal.write('\n  Enter an answer, or press Ctrl-C to stop the run.\n');
    }
  }

  async #reject(signal: AbortSignal): Promise<Answer> {
    const feedback = await this.#line('  reason, for the agent (empty for none) > ', signal);
    return { outcome: 'reject', ...(feedback !== '' && { feedback }) };
  }

  async #revise(relay: Extract<Relay, { relayKind: 'permission' }>): Promise<unknown> {
    const edited = await this.#terminal.edit(`${JSON.stringify(relay.params, undefined, 2)}\n`);
    if (edited === undefined) {
      this.#terminal.write('  The editor failed. Set EDITOR to an editor that works here.\n');
      return undefined;
    }
    try {
      const revised: unknown = JSON.parse(edited);
      this.#terminal.write(`  revised: ${visibleText(JSON.stringify(revised))}\n`);
      return revised;
    } catch (error) {
      this.#terminal.write(`  The input is not valid JSON: ${errorText(error)}\n`);
      return undefined;
    }
  }

  async #answerQuestion(relay: Extract<Relay, { relayKind: 'question' }>, signal: AbortSignal): Promise<Answer> {
    const { options = [], selectionMode } = relay;
    const isMulti = selectionMode === 'multi_select';
    const hint = options.length === 0 ? 'answer' : isMulti ? 'numbers with commas, or words' : 'a number, or words';
    for (;;) {
      const given = await this.#line(`  ${hint} > `, signal);
      if (given === '') continue;
      return { outcome: 'answer', answer: questionAnswer(relay, given) };
    }
  }
}

/** The terminal on which the user is asked. */
export interface Terminal {
  write(text: string): void;
  /** Writes what the renderer drew, with its styles. */
  draw(text: string): void;
  /**
   * Returns the line that the user enters; undefined when the user ends the input (Ctrl-D). Rejects when the signal
   * aborts, and when the input is closed.
   */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Opens a text in an editor; returns the edited text, or undefined when the editor failed. */
  edit(text: string): Promise<string | undefined>;
}

/** The terminal of this process; `interrupt` is called for Ctrl-C during a question. */
export function processTerminal(interrupt: () => void): Terminal {
  return {
    write: text => void standardOutput.write(text),
    draw: text => void standardOutput.writeDrawn(text),
    ask: async (prompt, signal) => {
      const entered = await standardOutput.ask(prompt, { signal, onInterrupt: interrupt });
      if (entered === undefined && process.stdin.readableEnded) throw inputEnded();
      return entered;
    },
    edit: text => editInEditor(text, 'input.json'),
  };
}

function inputEnded(): SingletreeError {
  return new SingletreeError(
    'not_supported',
    'The input of this terminal has ended. It still waits: answer with `singletree inbox`.',
  );
}
