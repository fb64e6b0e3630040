import type { Session } from '../../agents/contract/host.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import { activeUpTo } from '../../graph/conversation/active.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getMessage, getRun } from '../../graph/conversation/queries.ts';
import { getEnd, userParts } from '../../projections/model-input/history.ts';
import type { ModelInput } from '../../projections/model-input/model-input.ts';
import { projectMessages } from '../../projections/model-input/project-messages.ts';

/** The sessions that external programs reported in a thread. */
export class Sessions {
  /** The runs of each session, oldest first. */
  readonly #runs = new Map<string, string[]>();
  /** The newest event of each session. */
  readonly #seqs = new Map<string, number>();
  /** The folder of the thread when each session was last used: a program finds a session only where it began. */
  readonly #folders = new Map<string, string | undefined>();
  #folder: string | undefined;
  /** The tokens that each run used itself. */
  readonly #used = new Map<string, UsageCounts>();

  take(event: LoggedEvent): void {
    if (event.type === 'usage' && event.agentId === undefined)
      this.#used.set(event.runId, addUsage(this.#used.get(event.runId) ?? noUsage, event));
    if (event.type === 'folder_changed') this.#folder = event.folder;
    if (event.type !== 'session') return;
    this.#folders.set(event.sessionId, this.#folder);
    this.#seqs.set(event.sessionId, event.seq);
    const runs = this.#runs.get(event.sessionId);
    if (runs === undefined) this.#runs.set(event.sessionId, [event.runId]);
    else if (runs.at(-1) !== event.runId) runs.push(event.runId);
  }

  /** Returns the seq of the newest event that names a session, or 0. */
  getSeq(sessionId: string): number {
    return this.#seqs.get(sessionId) ?? 0;
  }

  /**
   * The session in which an agent can continue a branch: its newest one on the branch. None when that session was used
   * on another branch since, or the agent has a newer one there, because it would know messages of another branch; and
   * none when the thread works in another folder since.
   */
  for(conversation: Conversation, agentId: string, branch: ModelInput): Session | undefined {
    let newest: { id: string; messageId: string; order: number } | undefined;
    for (const [id, runs] of this.#runs) {
      const runId = runs.at(-1) as string;
      const run = getRun(conversation, runId);
      const message = run && getMessage(conversation, run.messageId);
      if (run?.agentId !== agentId || message === undefined || !branch.has(message.id)) continue;
      if (newest === undefined || message.order >= newest.order)
        newest = { id, messageId: message.id, order: message.order };
    }
    if (newest === undefined || this.#folders.get(newest.id) !== this.#folder) return undefined;
    const { length: known, last } =
      branch.endWith(newest.messageId) ??
      getEnd(projectMessages(conversation, activeUpTo(conversation, newest.messageId)));
    // Later messages of a person are joined with a last message that has no answer.
    const knownParts = last?.role === 'user' ? { knownParts: userParts(last).length } : {};
    const used = (this.#runs.get(newest.id) ?? []).map(runId => this.#used.get(runId) ?? noUsage);
    return { id: newest.id, known, ...knownParts, used: used.reduce(addUsage, noUsage) };
  }
}
