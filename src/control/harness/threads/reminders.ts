import { newId } from '../../../events/index.ts';
import type { CommandQueue } from './command-queue.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { newUserMessage } from '../messages/thread-messages.ts';
import type { OpenThread } from './open-thread.ts';
import type { Resources } from './resources.ts';
import type { ThreadRecords } from './thread-records.ts';
import type { UserInput, PendingSend, Turns } from '../turns/turns.ts';

export interface RemindersOptions {
  readonly commands: CommandQueue;
  readonly turns: Turns;
  readonly resources: Resources;
  readonly records: ThreadRecords;
  /** The thread that callers see. */
  readonly thread: () => OpenThread | undefined;
  /** Whether the calls before the running one opened a thread. */
  readonly isOpen: () => boolean;
  readonly send: (input: UserInput) => PendingSend;
}

/** Stores reminders to the model. */
export class Reminders {
  readonly #options: RemindersOptions;

  constructor(options: RemindersOptions) {
    this.#options = options;
  }

  /**
   * Stores a reminder in the open thread, or injects it into the active turn; it gets no answer. Null when no thread of
   * the resource is open.
   */
  async save(content: string): Promise<HarnessMessage | null> {
    const { commands, turns, resources, records, thread, isOpen, send } = this.#options;
    if (thread() === undefined) return null;
    const { choice } = resources;
    const id = newId();
    if (!turns.acceptsInput) await turns.ended();
    if (!resources.isReached(choice)) return null;
    if (turns.acceptsInput) {
      await send({ content, id, isQuiet: true }).done;
      return newUserMessage({ content }, id, new Date());
    }
    return commands.runExclusive(async () => {
      if (!isOpen() || !resources.isReached(choice)) return null;
      await records.append([{ type: 'user', runId: id, content }]);
      return newUserMessage({ content }, `${id}:user`, new Date());
    });
  }
}
