import type { Conversations } from '../../control/conversations/conversations.ts';
import type { ComparedRun } from '../../control/worktrees/comparison.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { durationText } from '../../projections/presentation/wording.ts';
import { RowFeed } from '../../terminal/rows/row-feed.ts';
import type { ScreenSize } from '../../terminal/screen/inline-renderer.ts';
import { type Line, span } from '../../terminal/screen/styled-line.ts';
import { screenStyle } from '../../terminal/screen/terminal-styling.ts';
import { LiveArea, ThreadView } from '../../terminal/session/run-screen.ts';
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
export class ComparisonScreen extends LiveArea {
  readonly #person: TerminalPerson;
  readonly #rows: Row[] = [];
  /** The threads of what was asked. */
  readonly #threads = new Map<string, string>();
  readonly #printed: Line[] = [];

  /** `interrupt` is called for Ctrl-C during a question. */
  constructor(conversations: Pick<Conversations, 'answer'>, interrupt: () => void) {
    super(screenStyle(process.env));
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
    this.draw();
  }

  /** The runs are being stopped: the open question is closed without an answer. */
  interrupt(): void {
    this.#person.interrupt();
  }

  override close(): void {
    this.#person.close();
    super.close();
  }

  protected override takeFinished(): readonly Line[] {
    return this.#printed.splice(0);
  }

  protected override drawOpen(_size: ScreenSize, now: number): readonly Line[] {
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
      if (!this.isPaused) this.#printed.push([], ...this.drawOpen({ columns: 0, rows: 0 }, Date.now()));
      this.pause();
      this.#person.ask(event, { from: name, cwd });
    }
    if (event.type !== 'relay_resolved') return;
    asked.delete(event.relayId);
    this.#person.resolved(event.relayId);
    if (this.#rows.every(row => row.asked.size === 0)) this.resume();
  }
}
