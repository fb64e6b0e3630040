import type { Agent } from '../../agents/contract/agent.ts';
import { defined } from '../../base/defined.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { isGranting } from '../../projections/relay-book.ts';
import type { EventLog, NewThread, Thread } from '../../log/event-log.ts';
import { changeMode, type Choice } from '../threads/choice-events.ts';
import type { RunControl, ThreadFolder } from '../supervision/run-control.ts';
import { ConversationReader } from './conversation-reader.ts';
import { checkMode, type OfferedAgents, pickAgent, type SentMessage } from './sent-message.ts';

/** How lists show a thread. */
interface ThreadLabels {
  readonly title?: string | undefined;
  /** Whether lists show it first. */
  readonly isPinned?: boolean | undefined;
  /** Whether lists hide it. */
  readonly isArchived?: boolean | undefined;
}

/** Changes the settings of a conversation and its next turns: title, marks, folder, branch, mode and model. */
export class ConversationSettings extends ConversationReader {
  protected readonly control: RunControl;
  protected readonly agents: OfferedAgents;

  constructor(log: EventLog, control: RunControl, agents: OfferedAgents | undefined) {
    super(log, agents);
    this.control = control;
    this.agents = agents ?? { list: () => [], get: () => undefined };
  }

  /** Returns the thread with an id that its client chose, created when it is new; throws `thread_not_found` for one of another resource. */
  async findOrCreate(thread: NewThread & { readonly id: string }, resourceId?: string): Promise<Thread> {
    if ((await this.log.getThread(thread.id)) === undefined)
      try {
        return await this.log.createThread(thread);
      } catch (error) {
        // Another caller created it at the same time.
        if (!SingletreeError.is(error, 'thread_exists')) throw error;
      }
    return this.find(thread.id, resourceId);
  }

  /** Renames, pins or archives a thread. */
  label(threadId: string, { title, ...marks }: ThreadLabels): Promise<Thread> {
    // A mark that is removed leaves nothing behind.
    const metadata = Object.fromEntries(Object.entries(defined(marks)).map(([mark, isSet]) => [mark, isSet || null]));
    return this.log.updateThread(threadId, { metadata, ...defined({ title }) });
  }

  /** Moves a thread to a folder: its next turns work there. */
  async move(threadId: string, folder: ThreadFolder): Promise<void> {
    await this.log.append(threadId, [{ type: 'folder_changed', runId: newId(), ...folder }]);
  }

  /**
   * Revokes a permission beyond its call, from the next turn on; throws `relay_not_found` when the answer granted none.
   */
  async revokeGrant(threadId: string, relayId: string, by: { readonly by?: string } = {}): Promise<void> {
    const entry = (await this.inbox.of(await this.find(threadId))).get(relayId);
    if (entry === undefined || !isGranting(entry))
      throw new SingletreeError('relay_not_found', `The answer to "${relayId}" allows nothing beyond its call.`, {
        details: { relayId },
      });
    await this.log.append(threadId, [{ type: 'grant_revoked', runId: newId(), relayId, ...by }]);
  }

  /** Stores which mode and model the next turns of a thread use, with metadata of the thread. */
  async choose(threadId: string, { events, metadata }: Choice): Promise<void> {
    await this.log.append(threadId, events, { metadata });
  }

  /**
   * Aborts the runs of a thread and changes its mode; throws `invalid_argument` for a mode that the agent does not
   * have.
   */
  async switchMode(threadId: string, agentId: string, mode: string): Promise<void> {
    checkMode(pickAgent(this.agents, agentId, threadId), mode);
    await this.control.abortAll(threadId);
    const { mode: previous } = await this.memory.of(threadId);
    const events = changeMode(mode, previous);
    if (events.length > 0) await this.choose(threadId, { events, metadata: { currentModeId: mode } });
  }

  /** Sets the model for the next turns of an agent in a thread. Rejects a model that the agent does not know. */
  async switchModel(threadId: string, agentId: string, modelId: string): Promise<void> {
    await checkModel(pickAgent(this.agents, agentId, threadId), modelId);
    const events = [{ type: 'model_changed' as const, runId: newId(), modelId, scope: 'thread' as const }];
    await this.choose(threadId, { events, metadata: chosenModel(agentId, modelId) });
  }

  /** Makes a message the active one of its siblings; throws `run_under_way` during a run. */
  select(threadId: string, messageId: string): Promise<void> {
    return this.control.select(threadId, messageId);
  }

  /** Switches to the first mode of an agent that carries its plan out in the same run, when the plan is approved. */
  protected async leavePlanning(threadId: string, relayId: string): Promise<void> {
    const { relays, mode } = await this.memory.of(threadId);
    const entry = relays.get(relayId);
    if (entry?.relay.relayKind !== 'plan' || mode === undefined) return;
    // The run may have ended.
    const agentId = await this.inbox.findAgent({ thread: await this.find(threadId), entry });
    const { abilities, modes: [first] = [] } = this.agents.get(agentId ?? '', threadId) ?? {};
    if (abilities?.carriesOutPlans === true && first !== undefined && first.id !== mode)
      await this.choose(threadId, { events: changeMode(first.id, mode), metadata: { currentModeId: first.id } });
  }
}

/** Rejects an id that names no model of the agent. */
export async function checkModel(agent: Agent, modelId: string): Promise<void> {
  if (agent.checkModel === undefined) return;
  const { createModelRegistry } = await import('../../agents/model/registry/registry.ts');
  await agent.checkModel(modelId, createModelRegistry());
}

/** The metadata of a thread in which a model was chosen for an agent. */
export function chosenModel(agentId: string, modelId: string): Record<string, string> {
  return { currentModelId: modelId, chosenModelId: modelId, chosenModelAgentId: agentId };
}

/** Returns the model that was chosen for the turns of an agent in a thread; undefined when none was. */
export function findChosenModel({ metadata }: Pick<Thread, 'metadata'>, agentId: string): string | undefined {
  const { chosenModelId, chosenModelAgentId = metadata['agentId'] } = metadata;
  return typeof chosenModelId === 'string' && chosenModelAgentId === agentId ? chosenModelId : undefined;
}

/** A message that names no model is answered by the one that was chosen for its agent in the thread. */
export function withChosenModel(agents: OfferedAgents, thread: Thread | undefined, message: SentMessage): SentMessage {
  const agent = message.agent ?? agents.list()[0]?.id;
  if (message.model !== undefined || thread === undefined || agent === undefined) return message;
  return { ...message, ...defined({ model: findChosenModel(thread, agent) }) };
}
