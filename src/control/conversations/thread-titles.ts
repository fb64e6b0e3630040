import type { TitleRequest } from '../../agents/contract/agent.ts';
import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import type { RunControl } from '../supervision/run-control.ts';
import type { ThreadDigests } from '../threads/thread-folds.ts';
import { findChosenModel } from './conversation-settings.ts';
import type { OfferedAgents, SentMessage } from './sent-message.ts';
import { sharedThreadMemory } from '../threads/thread-memory.ts';
import { getBlocks, getHeads } from '../../graph/conversation/queries.ts';

interface ThreadTitlesOptions {
  readonly log: EventLog;
  readonly control: RunControl;
  readonly agents: OfferedAgents;
  readonly digests: ThreadDigests;
  /** Whether titles are made of the first words; else these stay. */
  readonly isMade: boolean;
}

/** How many events before a run are searched for the message that it answers. */
const mostBefore = 20;

/**
 * Titles of threads: the first words of the first message at once and, after its turn, what the external program calls
 * its session, else what the model of the agent writes. A title that a person gave stays.
 *
 * The metadata of a thread has `plainTitle`, the first words that gave it its title, and `madeTitle`, the title that was
 * made of them since.
 */
export class ThreadTitles {
  readonly #options: ThreadTitlesOptions;

  constructor(options: ThreadTitlesOptions) {
    this.#options = options;
  }

  /** Gives a thread the first words of a message as its title: one without a title, or with that of the message it edits. */
  async begin(
    threadId: string,
    content: SentMessage['content'],
    { before, edits }: { readonly before: Thread | undefined; readonly edits: string | undefined },
  ): Promise<void> {
    const { log, isMade } = this.#options;
    const thread = before?.title === undefined ? await log.getThread(threadId) : before;
    if (thread === undefined || (thread.title !== undefined && !(await this.#isTitleOf(thread, edits)))) return;
    const title = makeTitle(content);
    await log.updateThread(threadId, { title, ...(isMade && { metadata: { plainTitle: title, madeTitle: null } }) });
  }

  /** Makes the title of a thread whose first turn has ended, once for each first message. */
  async finish(threadId: string): Promise<void> {
    const { log, digests, isMade } = this.#options;
    const thread = isMade ? await log.getThread(threadId) : undefined;
    if (thread === undefined || !isPlain(thread)) return;
    const { runSeq, outcome } = await digests.of(thread);
    if (runSeq === undefined || outcome !== 'complete') return;
    // Before the call, so that no other process makes one, too.
    await log.updateThread(threadId, { metadata: { madeTitle: thread.title } });
    const made = await this.#make(thread, runSeq);
    const now = await log.getThread(threadId);
    // A person may have renamed the thread or edited the message during the call.
    if (made === undefined || now === undefined || now.title !== thread.title) return;
    await log.updateThread(threadId, { title: made, metadata: { madeTitle: made } });
  }

  /** Whether a thread has the first words of a message of a person as its title, or what was made of them. */
  async #isTitleOf({ id, title, metadata }: Thread, messageId: string | undefined): Promise<boolean> {
    if (messageId === undefined) return false;
    const { plainTitle, madeTitle } = metadata;
    const plain = title === madeTitle && typeof plainTitle === 'string' ? plainTitle : title;
    const { conversation } = await sharedThreadMemory(this.#options.log).of(id);
    const [block] = getBlocks(conversation, messageId);
    const [chunk] = block === undefined ? [] : getHeads(conversation, block.id);
    return chunk?.event.type === 'user' && plain === makeTitle(chunk.event.content);
  }

  async #make(thread: Thread, runSeq: number): Promise<string | undefined> {
    const { agents, control } = this.#options;
    const turn = await this.#readTurn(thread.id, runSeq);
    if (turn.title !== undefined) return makeTitle(turn.title);
    const agent = agents.get(turn.agentId, thread.id);
    if (agent?.titleAgent === undefined || turn.message === '') return undefined;
    let title: string | undefined;
    const request: TitleRequest = {
      message: turn.message,
      answer: turn.answer,
      onTitle: made => (title = made),
      ...defined({ model: findChosenModel(thread, turn.agentId) ?? turn.model }),
    };
    await control.runBeside(thread.id, turn.runId, agent.titleAgent(request));
    return title;
  }

  async #readTurn(threadId: string, runSeq: number) {
    const turn = { runId: '', agentId: '', message: '', answer: '' };
    let model: string | undefined;
    let title: string | undefined;
    for await (const event of readEvents(this.#options.log, threadId, Math.max(0, runSeq - mostBefore))) {
      if (event.seq === runSeq && event.type === 'harness_start') {
        turn.runId = event.runId;
        turn.agentId = event.agentId;
        model = event.model;
      } else if (event.type === 'user' && turn.runId === '') turn.message = textIn(event);
      else if (event.runId !== turn.runId) continue;
      else if (event.type === 'text' && turn.answer.length < 4_000) turn.answer += event.content;
      else if (event.type === 'session') title = event.title ?? title;
    }
    return { ...turn, ...defined({ model, title }) };
  }
}

function textIn({ content }: EventOf<'user'>): string {
  return typeof content === 'string'
    ? content
    : content.map(part => ('text' in part && typeof part.text === 'string' ? part.text : '')).join('\n');
}

/** Whether a thread has the first words of a message as its title, and nothing was made of them yet. */
function isPlain({ title, metadata }: Thread): boolean {
  return title !== undefined && title === metadata['plainTitle'] && typeof metadata['madeTitle'] !== 'string';
}

const titleLength = 80;

/** A title for the thread that a message begins: its first words, in one line. */
export function makeTitle(content: SentMessage['content']): string {
  const text = typeof content === 'string' ? content : content.map(part => ('text' in part ? part.text : '')).join(' ');
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const cut = line.slice(0, titleLength).replace(/[\uD800-\uDBFF]$/, '');
  return cut === '' ? 'Conversation' : cut === line ? line : `${cut.trimEnd()}…`;
}
