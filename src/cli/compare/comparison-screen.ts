import type { Conversations } from '../../control/conversations/conversations.ts';
import type { ComparedRun } from '../../control/worktrees/comparison.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { durationText } from '../../projections/presentation/wording.ts';
import { RowFeed } from '../../terminal/rows/row-feed.ts';
import { linesRow } from '../../terminal/rows/row.ts';
import { type Line, span } from '../../terminal/screen/styled-line.ts';
import { screenStyle } from '../../terminal/screen/terminal-styling.ts';
import type { LiveScreen } from '../../terminal/session/live-screen.ts';
import { openCommandScreen, ThreadView } from '../../terminal/session/run-screen.ts';
import { processTerminal, TerminalPerson } from '../relay-prompts/terminal-person.ts';

/** A compared run and its status. */
interface Row {
  readonly name: string;
  readonly view: ThreadView;
  readonly feed: RowFeed;
  readonly startedAt: number;
  /** The ids of its pending relays. */
  readonly asked: Set<string>;
  outcome?: string;
}

/** Shows compared runs on a terminal, one row each, and asks the user about their relays. */
export class ComparisonScreen {
  readonly #screen: LiveScreen;
  readonly #person: TerminalPerson;
  readonly #rows: Row[] = [];
  /** The thread of each relay, by relay id. */
  readonly #threads = new Map<string, string>();

  /** `interrupt` is called for Ctrl-C during a question. */
  constructor(conversations: Pick<Conversations, 'answer'>, interrupt: () => void) {
    this.#screen = openCommandScreen(screenStyle(process.env), {
      takeRows: () => [],
      drawOpen: () => this.#standing(),
    });
    this.#screen.draw();
    this.#person = new TerminalPerson(processTerminal(interrupt), (relay, answer) =>
      conversations.answer(this.#threads.get(relay.id) ?? '', relay.id, answer),
    );
  }

  /** Follows a run until it has ended. */
  async follow(log: EventLog, { threadId, run, worktree }: ComparedRun, name: string): Promise<void> {
    if (run === undefined) return;
    const view = await ThreadView.open(log, threadId, 0);
    const cwd = worktree?.folder ?? process.cwd();
    const feed = new RowFeed({ cwd, times: view.times });
    const row: Row = { name, view, feed, startedAt: Date.now(), asked: new Set() };
    this.#rows.push(row);
    for await (const event of log.tail(threadId)) {
      view.take(event);
      feed.take(view.reading);
      this.#ask(event, row, { threadId, cwd });
      if (event.type === 'harness_end' && event.runId === run.runId) {
        row.outcome = event.reason ?? 'complete';
        break;
      }
    }
    this.#screen.draw();
  }

  /** Closes the open question without an answer, because the runs are being stopped. */
  interrupt(): void {
    this.#person.interrupt();
  }

  close(): void {
    this.#person.close();
    this.#screen.finish();
  }

  /** Draws the status of each run. */
  #standing(): readonly Line[] {
    const now = Date.now();
    const width = Math.max(...this.#rows.map(({ name }) => name.length));
    return this.#rows.map(({ name, view, feed, startedAt, asked, outcome }) => {
      const doing = feed.doing(view.reading, now)?.words ?? 'starting';
      const state =
        outcome !== undefined
          ? span(outcome, 'bold')
          : asked.size > 0
            ? span('waiting for you', 'magenta')
            : span(doing);
      const took = outcome === undefined ? span(` · ${durationText(Math.max(0, now - startedAt))}`, 'dim') : span('');
      return [span(`${name.padEnd(width)}  `, 'cyan'), state, took];
    });
  }

  #ask(event: LoggedEvent, { name, asked }: Row, { threadId, cwd }: { threadId: string; cwd: string }): void {
    if (event.type === 'relay') {
      this.#threads.set(event.id, threadId);
      asked.add(event.id);
      // The status of the other runs is printed above the question.
      if (!this.#screen.isPaused) this.#screen.print(linesRow([[], ...this.#standing()]));
      this.#screen.pause();
      this.#person.ask(event, { from: name, cwd });
    }
    if (event.type !== 'relay_resolved') return;
    asked.delete(event.relayId);
    this.#person.resolved(event.relayId);
    if (this.#rows.every(row => row.asked.size === 0)) this.#screen.resume();
  }
}
