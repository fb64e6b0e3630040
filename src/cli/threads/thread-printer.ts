import type { LoggedEvent } from '../../events/vocabulary.ts';
import { standardOutput } from '../../control/standard-output.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { screenStyle } from '../../terminal/screen/terminal-styling.ts';
import { PlainRows, RunScreen, type ThreadView } from '../../terminal/session/run-screen.ts';

interface ThreadPrinterOptions {
  /** The view of the thread; its existing content is not printed again. */
  readonly view: ThreadView;
  /** Paths inside this folder are printed without it. */
  readonly cwd: string;
  /** Whether events are printed live; open items are then redrawn on a terminal. */
  readonly isFollowed: boolean;
}

/** How many events of a thread that is not followed are printed together. */
const printedTogether = 1_000;

/** Prints events of a thread with the rows of the chat: styled at a terminal, elsewhere as plain text. */
export class ThreadPrinter {
  readonly #options: ThreadPrinterOptions;
  readonly #screen: RunScreen | undefined;
  readonly #rows: PlainRows | undefined;
  #count = 0;

  constructor(options: ThreadPrinterOptions) {
    this.#options = options;
    const { styling, isLive } = screenStyle(process.env);
    if (standardOutput.isTerminal)
      this.#screen = new RunScreen({ ...options, styling, isLive: isLive && options.isFollowed });
    else this.#rows = new PlainRows(options);
  }

  /** Prints the rows that an event completes; returns false when the output is closed. */
  async take(event: LoggedEvent): Promise<boolean> {
    const { view, isFollowed } = this.#options;
    view.take(event);
    if (!isFollowed && ++this.#count % printedTogether !== 0) return true;
    this.#screen?.draw();
    return this.#rows === undefined || standardOutput.write(this.#rows.take());
  }

  /** Prints the remaining rows and the pending relays. */
  async close(): Promise<void> {
    const { view, cwd } = this.#options;
    if (this.#rows !== undefined) return void (await standardOutput.write(this.#rows.end()));
    this.#screen?.close({ printsOpen: true });
    for (const { relay } of view.reading.pending)
      await standardOutput.write(`? ${presentRelay(relay, { cwd }).summary}\n`);
  }
}
