import type { RunReport, RunWatcher } from './run-agent.ts';
import { processTerminal, TerminalPerson } from '../relay-prompts/terminal-person.ts';
import type { EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import { counted } from '../../projections/presentation/wording.ts';
import { pathName } from '../../projections/presentation/path-name.ts';
import { screenStyle } from '../../terminal/screen/terminal-styling.ts';
import { RunScreen, ThreadView } from '../../terminal/session/run-screen.ts';
import type { EventLog, RawLine, Thread } from '../../log/event-log.ts';
import type { Activity } from '../../projections/activity/activity.ts';
import { plainText } from '../../base/terminal-text.ts';
import { printNotice, standardError, standardOutput } from '../../control/standard-output.ts';
import { shortIds } from '../threads/find-thread.ts';
import { finalAnswer } from '../../projections/reading/final-answer.ts';

/** The output of a run: its answer, one JSON value about it, its events, its activity, or its program's raw output. */
export type OutputKind = 'text' | 'json' | 'events' | 'activity' | 'raw';

export interface RunPrinterOptions {
  readonly kind: OutputKind;
  readonly log: EventLog;
  readonly cwd: string;
  /** Whether the person named the folder of the record. */
  readonly showsRecord: boolean;
  /** Where questions of the run are answered: at this terminal, elsewhere (the printer says where), or nowhere. */
  readonly asks: 'here' | 'elsewhere' | 'nobody';
  /** Called for Ctrl-C during a question. */
  readonly interrupt: () => void;
}

type StoreAnswer = Parameters<NonNullable<RunWatcher['asked']>>[1];

/** Prints a run live and its result, and asks its relays; on a terminal `text` has the rows of the chat. */
export class RunPrinter implements RunWatcher {
  readonly #options: RunPrinterOptions;
  readonly #person: TerminalPerson | undefined;
  /** The answer functions of the relays asked here, by relay id. */
  readonly #asked = new Map<string, StoreAnswer>();
  readonly #isAtTerminal: boolean;
  #view: ThreadView | undefined;
  #screen: RunScreen | undefined;

  constructor(options: RunPrinterOptions) {
    this.#options = options;
    this.#isAtTerminal = options.kind === 'text' && standardOutput.isTerminal;
    if (options.asks === 'here')
      this.#person = new TerminalPerson(processTerminal(options.interrupt), async (relay, answer) =>
        this.#asked.get(relay.id)?.(answer),
      );
  }

  async started(_runId: string, { id, seq }: Thread): Promise<void> {
    const { kind, log, cwd } = this.#options;
    if (kind !== 'text' && kind !== 'json') return;
    const view = await ThreadView.open(log, id, seq);
    this.#view = view;
    if (!this.#isAtTerminal) return;
    this.#screen = new RunScreen({ view, cwd, ...screenStyle(process.env) });
  }

  async raw({ stream, line }: RawLine): Promise<void> {
    if (this.#options.kind === 'raw' && stream === 'stdout') await standardOutput.writeBytes(line);
  }

  async event(event: LoggedEvent): Promise<void> {
    this.#view?.take(event);
    this.#screen?.draw();
    if (this.#options.kind === 'events') await standardOutput.writeJson(event);
  }

  async activity(activity: Activity): Promise<void> {
    if (this.#options.kind === 'activity') await standardOutput.writeJson(activity);
  }

  /** Asks a relay of the run without waiting for the answer. */
  asked(relay: EventOf<'relay'>, answer: StoreAnswer): void {
    const { asks, cwd } = this.#options;
    if (asks === 'elsewhere') printNotice(`waiting for an answer: singletree inbox show ${relay.id}`);
    if (this.#person === undefined) return;
    this.#asked.set(relay.id, answer);
    this.#screen?.pause();
    this.#person.ask(relay, { cwd });
  }

  /** Removes a relay that was answered or closed. */
  resolved(relayId: string): void {
    this.#asked.delete(relayId);
    this.#person?.resolved(relayId);
    if (this.#asked.size === 0) this.#screen?.resume();
  }

  /** Closes the open question without an answer, because the run is being stopped. */
  interrupt(): void {
    this.#person?.interrupt();
  }

  /** Clears the open rows of a run, and stops asking. */
  close(): void {
    this.#closeScreen();
    this.#person?.close();
  }

  #closeScreen(): void {
    this.#screen?.close();
    this.#screen = undefined;
  }

  /** Prints the outcome of the run; `advice` is the advice about denied calls. */
  async end(report: RunReport, advice: string | undefined): Promise<void> {
    const { folder, totals, threadId, description } = report;
    this.#closeScreen();
    if (this.#isAtTerminal) return this.#printEnd(report, advice);
    const answer = this.#view && finalAnswer(this.#view.reading, description.runId);
    if (this.#options.kind === 'json') await standardOutput.writeJson({ ...description, answer, record: folder });
    else if (answer) await standardOutput.write(`${answer.trimEnd()}\n`);
    if (totals.error !== undefined) printNotice(totals.error);
    if (advice !== undefined) printNotice(`denied: ${totals.denied.join(', ')}. ${advice}`);
    await standardError.write(`thread ${threadId}\nrecord ${folder}\n`);
  }

  async #printEnd({ folder, totals, threadId }: RunReport, advice: string | undefined): Promise<void> {
    const { log, cwd, showsRecord } = this.#options;
    const files = totals.filesChanged.map(path => pathName(path, cwd));
    const changed = `${counted(files.length, 'file')} changed: ${files.join(', ')}`;
    const facts = [
      ...(files.length === 0 ? [] : [changed]),
      ...(totals.rejected.length === 0 ? [] : [`rejected: ${totals.rejected.join(', ')}`]),
      ...(totals.denied.length === 0 ? [] : [`denied: ${totals.denied.join(', ')}`]),
    ];
    const newest = await log.listThreads({ limit: 50 });
    const lines = [
      ...(facts.length === 0 ? [] : [plainText(facts.join(' · '))]),
      ...(advice === undefined ? [] : [advice]),
      `thread ${shortIds([...new Set([threadId, ...newest.map(({ id }) => id)])]).get(threadId) ?? threadId}`,
      ...(showsRecord ? [`record ${folder}`] : []),
    ];
    await standardOutput.write(`${lines.join('\n')}\n`);
  }
}
