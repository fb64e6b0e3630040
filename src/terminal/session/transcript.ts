import type { LoggedEvent } from '../../events/index.ts';
import type { ActionName } from '../keys/actions.ts';
import type { Key } from '../keys/key.ts';
import { span, textOfLine } from '../screen/styled-line.ts';
import { type MissingRows, type ShownRows, Viewer } from '../screen/viewer.ts';
import type { ChatApp } from './chat-app.ts';
import { linesRow } from './note-row.ts';
import type { OpenThread } from './open-thread.ts';
import { TranscriptRows } from './transcript-rows.ts';

/** How long after new events the transcript is drawn with them, in milliseconds. */
const followMs = 250;

interface Open {
  readonly rows: TranscriptRows;
  readonly viewer: Viewer;
  readonly unwatch: () => void;
}

/** The transcript while it is open; the chat goes on behind it. */
export class Transcript {
  readonly #app: ChatApp;
  #open: Open | undefined;
  /** Keys are taken one after another: some of them read rows first. */
  #acting: Promise<void> = Promise.resolve();
  #isOpening = false;
  #stopFollowing: (() => void) | undefined;

  constructor(app: ChatApp) {
    this.#app = app;
  }

  /** Whether it is shown, or about to be: keys are for it then. */
  get isOpen(): boolean {
    return this.#open !== undefined || this.#isOpening;
  }

  /** Whether keys are what is searched for. */
  get isTyping(): boolean {
    return this.#open?.viewer.isTyping === true;
  }

  /** Reads the end of the thread and shows it; what is before it is read when the person goes there. */
  async open(): Promise<void> {
    const { follower } = this.#app.threads;
    if (follower === undefined) return this.#app.note('The thread has no messages yet.');
    if (this.isOpen) return;
    this.#isOpening = true;
    const opening = this.#show(follower).finally(() => (this.#isOpening = false));
    this.#acting = opening.catch(() => {});
    await opening;
  }

  async #show(follower: OpenThread): Promise<void> {
    const { io, screen, options } = this.#app;
    const missed: LoggedEvent[] = [];
    let take = (event: LoggedEvent): void => void missed.push(event);
    const unwatch = follower.watch(event => take(event));
    const { log, cwd } = options;
    const rows = await TranscriptRows.open({ log, threadId: follower.threadId, cwd });
    take = event => this.#follow(rows, event);
    for (const event of missed) rows.take(event);
    screen.pause();
    io.alternate(true);
    this.#open = { rows, viewer: new Viewer(shownRows(rows), io.size, options.styling), unwatch };
    this.draw();
  }

  close(): void {
    if (this.#open === undefined) return;
    this.#open.unwatch();
    this.#open.rows.close();
    this.#stopFollowing?.();
    this.#open = this.#stopFollowing = undefined;
    const { io, screen } = this.#app;
    io.alternate(screen.isFullscreen);
    screen.resume();
  }

  /** Shows it again after the terminal was left. */
  reenter(): void {
    if (this.#open === undefined) return;
    this.#app.io.alternate(true);
    this.resize();
  }

  draw(): void {
    if (this.#open !== undefined) this.#app.io.write(this.#open.viewer.frame());
  }

  resize(): void {
    this.#open?.viewer.resize(this.#app.io.size);
    this.draw();
  }

  /** Takes a key while the person writes what to search for. */
  type(key: Key): void {
    const viewer = this.#open?.viewer;
    if (viewer === undefined) return;
    if (key.name === 'enter') {
      viewer.isTyping = false;
      return this.act('viewer.next');
    }
    if (key.name === 'escape' || (key.ctrl && key.name === 'c')) viewer.isTyping = false;
    else if (key.name === 'backspace') viewer.deleteLeft();
    else if (key.text !== undefined) viewer.type(key.text);
    this.draw();
  }

  act(action: ActionName): void {
    if (this.#open !== undefined && action === 'viewer.close') return this.close();
    if (this.#open !== undefined && action === 'viewer.search') {
      this.#open.viewer.act(action);
      return this.draw();
    }
    this.#acting = this.#acting.then(async () => {
      const open = this.#open;
      if (open === undefined) return;
      if (action === 'viewer.close') return this.close();
      if (action === 'viewer.editor') return this.#edit(open);
      if (action === 'viewer.print') return this.#print(open);
      await this.#move(open, action);
      this.draw();
    });
    this.#app.attempt(() => this.#acting);
    this.#acting = this.#acting.catch(() => {});
  }

  async #edit({ rows }: Open): Promise<void> {
    const all = await rows.all();
    const text = all.flatMap(row => (row.whole?.(200) ?? row.lines(200)).map(textOfLine)).join('\n');
    this.close();
    await this.#app.edit(text, 'transcript.md');
  }

  #print({ viewer }: Open): void {
    const lines = viewer.rowText.map(text => [span(text)]);
    this.close();
    this.#app.screen.print(linesRow(lines));
  }

  /** Does what an action means, after the rows that it needs are read. */
  async #move({ rows, viewer }: Open, action: ActionName): Promise<void> {
    for (let missing = viewer.act(action); missing !== undefined; missing = viewer.act(action)) {
      if (missing === 'match-after' || missing === 'match-before') {
        const step = missing === 'match-after' ? 1 : -1;
        viewer.notify('searching');
        this.draw();
        const isFound = await rows.goToMatch(viewer.matches, step);
        viewer.show(shownRows(rows));
        if (isFound) viewer.goToMatch(step);
        viewer.notify(isFound ? '' : 'not found');
        return;
      }
      const before = rows.rows;
      await this.#load(rows, missing);
      viewer.show(shownRows(rows));
      if (before === rows.rows) return;
    }
  }

  async #load(rows: TranscriptRows, missing: Exclude<MissingRows, 'match-after' | 'match-before'>): Promise<void> {
    if (missing === 'earlier') await rows.loadEarlier();
    else if (missing === 'later') await rows.loadLater();
    else if (missing === 'start') await rows.goToStart();
    else rows.goToEnd();
  }

  /** New events are shown soon, in one drawing for all that come together. */
  #follow(rows: TranscriptRows, event: LoggedEvent): void {
    rows.take(event);
    this.#stopFollowing ??= this.#app.options.clock.after(followMs, () => {
      this.#stopFollowing = undefined;
      this.#open?.viewer.show(shownRows(rows));
      this.draw();
    });
  }
}

function shownRows(rows: TranscriptRows): ShownRows {
  return { rows: rows.rows, hasEarlier: rows.hasEarlier, hasLater: rows.hasLater };
}
