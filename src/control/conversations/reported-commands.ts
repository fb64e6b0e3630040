import type { AgentCommand } from '../../agents/contract/abilities.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { isOwnEvent } from '../../log/own-events.ts';
import type { ThreadDigests } from '../threads/thread-folds.ts';

/** How many threads are looked at, and how many events of a run: a program reports its commands when it starts. */
const mostThreads = 40;
const mostEvents = 300;

/**
 * The slash commands that external programs reported: those of the newest run of each agent in a folder, among the
 * threads that changed last. What an import contains does not count.
 */
export class ReportedCommands {
  readonly #log: EventLog;
  readonly #digests: ThreadDigests;
  /** By run: the reported commands of a run are final once they were found. */
  readonly #known = new Map<string, readonly AgentCommand[]>();

  constructor(log: EventLog, digests: ThreadDigests) {
    this.#log = log;
    this.#digests = digests;
  }

  /** Returns the commands by agent. */
  async list(folder: string, resourceId?: string): Promise<ReadonlyMap<string, readonly AgentCommand[]>> {
    const threads = await this.#log.listThreads({
      limit: mostThreads,
      ...(resourceId !== undefined && { resourceId }),
    });
    const found = new Map<string, readonly AgentCommand[]>();
    for (const thread of threads) {
      const { agentId, runSeq = 0, folder: own, origin = own } = await this.#digests.of(thread);
      if (agentId === undefined || origin !== folder || found.has(agentId) || !isOwnEvent(thread, runSeq)) continue;
      const commands = await this.#read(thread, runSeq);
      if (commands !== undefined) found.set(agentId, commands);
    }
    return found;
  }

  async #read(thread: Thread, runSeq: number): Promise<readonly AgentCommand[] | undefined> {
    const key = `${thread.id} ${runSeq}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    for await (const event of readEvents(this.#log, thread.id, runSeq - 1)) {
      if (event.seq > runSeq + mostEvents) return undefined;
      if (event.type !== 'session' || event.commands === undefined) continue;
      const commands = event.commands.map(({ name, description = '' }) => ({
        name,
        description,
        sends: `/${name} {argument}`,
      }));
      this.#known.set(key, commands);
      const [oldest] = this.#known.keys();
      if (this.#known.size > mostThreads * 4 && oldest !== undefined) this.#known.delete(oldest);
      return commands;
    }
    return undefined;
  }
}
