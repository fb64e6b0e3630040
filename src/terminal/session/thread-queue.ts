import type { Clock } from '../../agents/clock.ts';
import type { Conversations } from '../../control/conversations/conversations.ts';
import { textOfContent } from '../../events/content-text.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import type { OpenThread } from './open-thread.ts';

/** A message that waits in the thread that is shown, or a command that waits with the messages. */
export interface QueuedItem {
  readonly id: string;
  readonly text: string;
  readonly isCommand: boolean;
}

/** Why nothing is sent: its list is open, one is edited, the person stopped the turn, or a command comes first. */
type Pause = 'list' | 'edit' | 'stop' | 'command';

interface WaitingCommand extends Pick<QueuedItem, 'id' | 'text'> {
  readonly threadId: string;
  /** The items that were queued before it; it runs after them. */
  readonly after: ReadonlySet<string>;
}

export interface ThreadQueueOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly conversations: Conversations;
  /** Called when something else waits. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
  /** Called with a new reason why a message is not delivered, and the remedy. */
  readonly onProblem: (problem: string) => void;
}

/** A hold lasts a minute. */
const renewMs = 20_000;
const queueEvents: ReadonlySet<string> = new Set([
  'message_queued',
  'message_changed',
  'message_withdrawn',
  'user',
  'harness_end',
]);

/**
 * The queue of the shown thread: the messages in its log, from any process, and the user's commands, which exist only
 * in this chat. While the user edits, no process sends from the queue.
 */
export class ThreadQueue {
  readonly #options: ThreadQueueOptions;
  readonly #calls = new SerialQueue();
  readonly #pauses = new Set<Pause>();
  #follower: OpenThread | undefined;
  #unwatch = () => {};
  #messages: readonly WaitingMessage[] = [];
  #steering: readonly WaitingMessage[] = [];
  #commands: readonly WaitingCommand[] = [];
  /** Ends the renewal of the hold; undefined when the queue is not held here. */
  #stopRenewal: (() => void) | undefined;
  #edited: string | undefined;
  #problem: string | undefined;

  constructor(options: ThreadQueueOptions) {
    this.#options = options;
  }

  /** The queued messages and commands, in the order in which they are sent. */
  get items(): readonly QueuedItem[] {
    const items = this.#messages.map(({ id, content }) => ({ id, text: textOfContent(content), isCommand: false }));
    for (const { id, text, threadId, after } of this.#commands)
      if (threadId === this.#follower?.threadId)
        items.splice(items.findLastIndex(item => after.has(item.id)) + 1, 0, { id, text, isCommand: true });
    return items;
  }

  /** The texts that go into the turn at its next safe point, in the order in which they do. */
  get steering(): readonly string[] {
    return this.#steering.map(({ content }) => textOfContent(content));
  }

  /** Whether the draft is the new text of a message that waits. */
  get isEditing(): boolean {
    return this.#edited !== undefined;
  }

  /** Switches to the queue of another thread and releases that of the previous one. */
  follow(follower: OpenThread | undefined): void {
    if (follower === this.#follower) return;
    this.close().catch(this.#options.onError);
    this.#follower = follower;
    [this.#messages, this.#steering] = [[], []];
    this.#problem = undefined;
    this.#unwatch = follower?.watch(({ type }) => void (queueEvents.has(type) && this.#refresh())) ?? this.#unwatch;
    void this.#refresh();
  }

  /** Releases the queue. */
  async close(): Promise<void> {
    this.#unwatch();
    this.#edited = undefined;
    this.#pauses.clear();
    await this.#holdOrRelease();
  }

  /** Adds a command at the end. */
  addCommand(text: string): void {
    const threadId = this.#follower?.threadId ?? '';
    const after = new Set(this.items.map(({ id }) => id));
    this.#commands = [...this.#commands, { id: newId(), text, threadId, after }];
    this.#changed();
  }

  /** Takes the command that comes first; undefined when a message does, or the person edits or has stopped the turn. */
  takeCommand(): string | undefined {
    const [first] = this.items;
    if (first?.isCommand !== true || [...this.#pauses].some(pause => pause !== 'command')) return undefined;
    this.#dropCommand(first.id);
    return first.text;
  }

  /** Sends nothing until `resume` is called for the same reason. */
  async pause(why: Pause): Promise<void> {
    this.#pauses.add(why);
    await this.#calls.run(() => this.#holdOrRelease());
  }

  /** Removes reasons to pause, and sends the queued messages unless another reason remains. */
  async resume(...reasons: readonly Pause[]): Promise<void> {
    if (reasons.filter(why => this.#pauses.delete(why)).length === 0) return;
    await this.#calls.run(() => this.#holdOrRelease());
  }

  /** Returns the text of a message to edit it: nothing is sent until `finishEditing`. A command is taken out. */
  async edit({ id, text, isCommand }: QueuedItem): Promise<string> {
    if (isCommand) this.#dropCommand(id);
    else {
      this.#edited = id;
      await this.pause('edit');
    }
    return text;
  }

  /** Gives the edited message its new text, or leaves it as it is. Returns false when it does not wait any more. */
  async finishEditing(text?: string): Promise<boolean> {
    const edited = this.#messages.find(({ id }) => id === this.#edited);
    const isChanged = text === undefined || (edited !== undefined && (await this.#replaceText(edited, text)));
    this.#edited = undefined;
    await this.resume('edit');
    return isChanged;
  }

  #replaceText({ id, content }: WaitingMessage, text: string): Promise<boolean> {
    const others = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text');
    const changed = others.length === 0 ? text : [{ type: 'text' as const, text }, ...others];
    return this.#change(threadId =>
      this.#options.conversations.change(threadId, id, { content: changed, isHeld: true }),
    );
  }

  /** Removes one; the text of a message stays in the log. */
  async remove({ id, isCommand }: QueuedItem): Promise<void> {
    if (isCommand) return this.#dropCommand(id);
    await this.#change(threadId => this.#options.conversations.withdraw(threadId, id));
  }

  /** Moves a message by one place among the messages. */
  async move({ id }: QueuedItem, step: 1 | -1): Promise<void> {
    const at = this.#messages.findIndex(message => message.id === id);
    if (at < 0 || this.#messages[at + step] === undefined) return;
    const before = this.#messages[step < 0 ? at - 1 : at + 2]?.id ?? null;
    await this.#change(threadId => this.#options.conversations.change(threadId, id, { before }));
  }

  /** Sends a message now: into the turn that runs, or as the next one. */
  async sendNow({ id }: QueuedItem): Promise<void> {
    await this.#change(threadId => this.#options.conversations.sendNow(threadId, id));
  }

  /** Returns false when the message is no longer queued. */
  async #change(change: (threadId: string) => Promise<unknown>): Promise<boolean> {
    const isWaiting = await change(this.#follower?.threadId ?? '').then(() => true, ignoreDelivered);
    await this.#refresh();
    return isWaiting;
  }

  #dropCommand(id: string): void {
    this.#commands = this.#commands.filter(command => command.id !== id);
    this.#changed();
  }

  /** Holds the queue while a command comes first: the messages after it wait for it. */
  #changed(): void {
    const isFirst = this.items[0]?.isCommand === true;
    const held = isFirst ? this.pause('command') : this.resume('command');
    held.catch(this.#options.onError);
    this.#options.onChange();
  }

  #refresh(): Promise<void> {
    const follower = this.#follower;
    if (follower === undefined) return Promise.resolve();
    return this.#calls.run(async () => {
      try {
        const thread = await this.#options.log.getThread(follower.threadId);
        const { conversations } = this.#options;
        const messages = thread === undefined ? [] : await conversations.queue(thread);
        const steering = thread === undefined ? [] : await conversations.steering(thread);
        if (follower !== this.#follower) return;
        [this.#messages, this.#steering] = [messages, steering];
        const problem = messages.find(message => message.problem !== undefined)?.problem;
        if (problem !== undefined && problem !== this.#problem) this.#options.onProblem(problem);
        this.#problem = problem;
        await this.#holdOrRelease();
        this.#changed();
      } catch (error) {
        this.#options.onError(error);
      }
    });
  }

  /** Holds the queue as long as there is a reason and something to hold. */
  async #holdOrRelease(): Promise<void> {
    const [message] = this.#messages;
    const threadId = this.#follower?.threadId;
    const isHeld = this.#pauses.size > 0;
    if (message === undefined || threadId === undefined || isHeld === (this.#stopRenewal !== undefined)) return;
    this.#stopRenewal?.();
    this.#stopRenewal = undefined;
    if (isHeld) this.#stopRenewal = this.#options.clock.after(renewMs, () => void this.#renew());
    await this.#options.conversations.change(threadId, message.id, { isHeld }).catch(ignoreDelivered);
  }

  async #renew(): Promise<void> {
    this.#stopRenewal = undefined;
    // One that fails now is tried again with the next change.
    await this.#calls.run(() => this.#holdOrRelease()).catch(() => {});
  }
}

/** Another process may deliver or withdraw a message at any time. */
function ignoreDelivered(error: unknown): false {
  if (SingletreeError.is(error, 'not_found')) return false;
  throw error;
}
