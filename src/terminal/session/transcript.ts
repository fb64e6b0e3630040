import { readEvents } from '../../log/index.ts';
import { threadReading } from '../../projections/index.ts';
import type { ActionName } from '../keys/actions.ts';
import type { Key } from '../keys/key.ts';
import { RowFeed } from '../rows/row-feed.ts';
import type { Row } from '../rows/row.ts';
import { EventTimes } from '../rows/times.ts';
import { span } from '../screen/styled-line.ts';
import { Viewer } from '../screen/viewer.ts';
import type { ChatApp } from './chat-app.ts';
import { linesRow } from './note-row.ts';

/** The transcript while it is open; the chat goes on behind it. */
export class Transcript {
  readonly #app: ChatApp;
  #viewer: Viewer | undefined;

  constructor(app: ChatApp) {
    this.#app = app;
  }

  get isOpen(): boolean {
    return this.#viewer !== undefined;
  }

  /** Whether keys are what is searched for. */
  get isTyping(): boolean {
    return this.#viewer?.isTyping === true;
  }

  /** Reads the whole thread and shows its end. */
  async open(): Promise<void> {
    const { host, io, screen, options } = this.#app;
    const threadId = host.follower?.threadId;
    if (threadId === undefined) return this.#app.note('The thread has no messages yet.');
    const rows = await this.#rows(threadId);
    screen.pause();
    io.alternate(true);
    this.#viewer = new Viewer(rows, io.size, options.styling);
    this.draw();
  }

  close(): void {
    if (this.#viewer === undefined) return;
    this.#viewer = undefined;
    const { io, screen } = this.#app;
    io.alternate(screen.isFullscreen);
    screen.resume();
  }

  draw(): void {
    if (this.#viewer !== undefined) this.#app.io.write(this.#viewer.frame());
  }

  resize(): void {
    this.#viewer?.resize(this.#app.io.size);
    this.draw();
  }

  /** Takes a key while the person writes what to search for. */
  type(key: Key): void {
    const viewer = this.#viewer;
    if (viewer === undefined) return;
    if (key.name === 'enter') viewer.endTyping(false);
    else if (key.name === 'escape' || (key.ctrl && key.name === 'c')) viewer.endTyping(true);
    else if (key.name === 'backspace') viewer.deleteLeft();
    else if (key.text !== undefined) viewer.type(key.text);
    this.draw();
  }

  act(action: ActionName): void {
    const viewer = this.#viewer;
    if (viewer === undefined) return;
    if (action === 'viewer.close') return this.close();
    if (action === 'viewer.editor') {
      const { text } = viewer;
      this.close();
      return this.#app.attempt(() => this.#app.edit(text, 'transcript.md'));
    }
    if (action === 'viewer.print') {
      const lines = viewer.rowText.map(text => [span(text)]);
      this.close();
      return this.#app.screen.print(linesRow(lines));
    }
    viewer.act(action);
    this.draw();
  }

  async #rows(threadId: string): Promise<readonly Row[]> {
    const { log, cwd } = this.#app.options;
    const times = new EventTimes();
    let state = threadReading.initial;
    for await (const event of readEvents(log, threadId)) {
      state = threadReading.step(state, event);
      times.take(event);
    }
    return new RowFeed({ cwd, times }).take(threadReading.view(state));
  }
}
