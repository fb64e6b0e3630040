import type { Conversations } from '../../control/index.ts';
import type { ComparedRun } from '../../control/worktrees/comparison.ts';
import type { LoggedEvent } from '../../events/index.ts';
import type { EventLog } from '../../log/index.ts';
import { durationText } from '../../projections/presentation/wording.ts';
import { RowFeed } from '../../terminal/rows/row-feed.ts';
import type { ScreenSize } from '../../terminal/screen/inline-renderer.ts';
import { type Line, span } from '../../terminal/screen/styled-line.ts';
import { screenStyle } from '../../terminal/screen/terminal-styling.ts';
import { LiveArea, type LiveContent } from '../../terminal/session/live-area.ts';
import { ThreadView } from '../../terminal/session/thread-view.ts';
import { processTerminal, TerminalPerson } from '../relay-prompts/terminal-person.ts';

/** A run that is compared, and where it stands. */
interface Row {
  readonly name: string;
  readonly view: ThreadView;
  readonly feed: RowFeed;
  readonly startedAt: number;
  /** What it asked and nobody has answered, by id. */
  readonly asked: Set<string>;
  outcome?: string;
}

/** Shows compared runs at a terminal, one row for each, and asks there what they ask. */
export class ComparisonScreen implements LiveContent {
  readonly #person: TerminalPerson;
  readonly #area: LiveArea;
  readonly #rows: Row[] = [];
  /** The threads of what was asked. */
  readonly #threads = new Map<string, string>();
  readonly #printed: Line[] = [];

  /** `interrupt` is called for Ctrl-C during a question. */
  constructor(conversations: Pick<Conversations, 'answer'>, interrupt: () => void) {
    this.#person = new TerminalPerson(processTerminal(interrupt), (relay, answer) =>
      conversations.answer(this.#threads.get(relay.id) ?? '', relay.id, answer),
    );
    this.#area = new LiveArea(this, screenStyle(process.env));
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
    this.#area.draw();
  }

  /** The runs are being stopped: the open question is closed without an answer. */
  interrupt(): void {
    this.#person.interrupt();
  }

  close(): void {
    this.#person.close();
    this.#area.close();
  }

  takeFinished(): readonly Line[] {
    return this.#printed.splice(0);
  }

  drawOpen(_size: ScreenSize, now: number): readonly Line[] {
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
      // Where the others stand is printed above the question.
      if (!this.#area.isPaused) this.#printed.push([], ...this.drawOpen({ columns: 0, rows: 0 }, Date.now()));
      this.#area.pause();
      this.#person.ask(event, { from: name, cwd });
    }
    if (event.type !== 'relay_resolved') return;
    asked.delete(event.relayId);
    this.#person.resolved(event.relayId);
    if (this.#rows.every(row => row.asked.size === 0)) this.#area.resume();
  }
}
