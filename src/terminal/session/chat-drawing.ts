import { modelName } from '../../control/harness/settings/models.ts';
import { RowFeed } from '../rows/row-feed.ts';
import { noteRow, type Row } from '../rows/row.ts';
import type { Frame } from '../screen/inline-renderer.ts';
import type { Line } from '../screen/styled-line.ts';
import type { ChatApp } from './chat-app.ts';
import { completionLines, layOut } from './chat-view.ts';
import { isWriting, takesKeys } from './relay-band.ts';
import type { Waiting } from './status-line.ts';
import type { OpenThread } from './open-thread.ts';

/** A message whose run takes longer to begin has a line, in milliseconds. */
const slowMs = 300;

/** Turns the state of a chat into what is printed and what is redrawn. */
export class ChatDrawing {
  readonly #app: ChatApp;
  #feed: RowFeed | undefined;
  #feedOf: OpenThread | undefined;

  constructor(app: ChatApp) {
    this.#app = app;
  }

  /** Returns the rows of the open thread that are finished since the last call. */
  takeRows(): readonly Row[] {
    const { follower } = this.#app.threads;
    if (follower === undefined) return [];
    const rows: Row[] = [];
    if (follower !== this.#feedOf) {
      this.#feedOf = follower;
      this.#feed = new RowFeed({
        cwd: this.#app.options.cwd,
        times: follower.times,
        density: () => this.#app.density,
      });
      if (follower.hasEarlier) rows.push(noteRow('Earlier messages are in the transcript: Ctrl+O.'));
    }
    const { reading } = follower;
    rows.push(...(this.#feed?.take(reading) ?? []));
    follower.hold(this.#feed?.openSeq(reading) ?? 0);
    return rows;
  }

  /** Lays the live area out. */
  live(): Omit<Frame, 'printed'> {
    const { follower, background, modelId } = this.#app.threads;
    const { clock } = this.#app.options;
    const now = clock.now();
    const { size } = this.#app.io;
    const reading = follower?.reading;
    const doing = reading === undefined ? undefined : this.#feed?.doing(reading, now);
    const usage = reading?.usage;
    return layOut({
      size,
      open: most => (reading === undefined ? [] : (this.#feed?.open(reading, size.columns, now, most) ?? [])),
      continuesText: this.#feed?.continuesText ?? false,
      pending: this.#app.pending,
      band: this.#app.band,
      place: this.#app.place,
      tasks: reading?.tasks?.list ?? [],
      showsTasks: this.#app.showsTasks,
      queue: this.#app.queue.items.map(({ text }) => text),
      steering: this.#app.queue.steering,
      composer: this.#app.composer,
      below: this.#below(),
      notice: this.#app.notice,
      waits: this.#waits(now),
      activity:
        doing === undefined
          ? undefined
          : {
              ...doing,
              lastAt: this.#app.pending.length > 0 ? undefined : follower?.times.lastAt,
              now,
              isStoppable: doing.isStopping !== true && !this.#leavesQuestion(),
            },
      status: {
        agent: this.#app.threads.agent.id,
        mode: this.#app.threads.mode.name,
        model: modelId === '' ? (follower?.times.lastModel ?? '') : modelName(modelId),
        contextLeft: this.#contextLeft(),
        cost: usage?.cost,
        waiting: this.#app.pending.length,
        background: background.length,
        hint: this.#app.isRunning && doing?.isStopping !== true ? 'Enter steers · Tab queues' : '',
      },
    });
  }

  /** Whether Escape leaves the question that is shown. */
  #leavesQuestion(): boolean {
    const { band, composer } = this.#app;
    return band !== undefined && (takesKeys(band, composer) || isWriting(band));
  }

  /** What a message waits for, when that takes long. */
  #waits(now: number): Waiting | undefined {
    const { unsent } = this.#app.threads;
    if (unsent === undefined || now - unsent.since < slowMs) return undefined;
    const { text, since, isStored } = unsent;
    return { ms: now - since, now, ...(!isStored && { text }) };
  }

  /** The open list, else the completions. */
  #below(): readonly Line[] {
    const { columns, rows } = this.#app.io.size;
    if (this.#app.list.isOpen) return this.#app.list.lines(columns, Math.max(3, Math.min(16, Math.floor(rows / 2))));
    return this.#app.draft.completion === undefined ? [] : completionLines(this.#app.draft.completion, columns);
  }

  #contextLeft(): number | undefined {
    const { lastInput, lastModel = '' } = this.#app.threads.follower?.times ?? {};
    const size = this.#app.options.contextSize?.(this.#app.threads.modelId || lastModel);
    return size === undefined || lastInput === undefined ? undefined : Math.max(0, 1 - lastInput / size);
  }
}
