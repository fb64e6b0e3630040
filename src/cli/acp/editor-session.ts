import { dropOldest } from '../../agents/drop-oldest.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import type { Conversations } from '../../control/conversations/conversations.ts';
import { printNotice } from '../../control/standard-output.ts';
import type { SentMessage } from '../../control/conversations/sent-message.ts';
import { defined } from '../../base/defined.ts';
import type { ContentPart } from '../../events/content.ts';
import { errorText } from '../../base/error-text.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { readPages } from '../../log/read-events.ts';
import { threadReading } from '../../projections/reading/thread-reading.ts';
import { acpEncoder } from '../../protocols/acp/acp-encoder.ts';
import type { AcpEnd, AcpStep } from '../../protocols/acp/acp-update.ts';
import { readForm, readOption, permissionOptions, questionForm } from '../../protocols/acp/relay-request.ts';
import { replayUpdates } from '../../protocols/acp/replay.ts';
import type { AgentContext, SessionUpdate } from '@agentclientprotocol/sdk';
import { sessionCommands } from './session-commands.ts';

/** The dependencies of a session that its connection provides. */
export interface SessionPlace {
  readonly log: EventLog;
  readonly conversations: Conversations;
  readonly client: AgentContext;
  /** The name of the editor, recorded as the author of answers. */
  readonly editor: string | undefined;
  readonly hasForms: boolean;
  readonly hasNotices: boolean;
  /** The absolute folder of the session. */
  readonly cwd: string;
  /** Receives failures that no request of the editor reports. */
  readonly onDiagnostic: OnDiagnostic;
  readonly contextWindow: (model: string) => number | undefined;
  /** Called when the mode or the model of the thread changed. */
  readonly settingsChanged: () => Promise<void>;
}

type Ask = Extract<AcpStep, { type: 'ask' }>;

/**
 * A thread that is open in an editor: shows its events from all clients, asks the editor about its relays, and sends
 * prompts. All durable state is in the thread; a session that is opened again continues from its log.
 */
export class EditorSession {
  readonly #place: SessionPlace;
  readonly #threadId: string;
  readonly #encoder;
  readonly #closing = new AbortController();
  /** The ids of messages sent by this editor, which shows them itself. */
  readonly #own = new Set<string>();
  /** The relays that are not settled, each with the controller that cancels its request to the editor. */
  readonly #asked = new Map<string, { readonly ask: Ask; readonly settled: AbortController }>();
  /** The ends of the newest runs, and the prompts that wait for an end. */
  readonly #ended = new Map<string, AcpEnd>();
  readonly #waiting = new Map<string, (end: AcpEnd) => void>();
  #seq = 0;
  #title: string | undefined;

  constructor(threadId: string, place: SessionPlace) {
    this.#threadId = threadId;
    this.#place = place;
    const { cwd, contextWindow, hasNotices } = place;
    this.#encoder = acpEncoder({ cwd, contextWindow, hasNotices });
  }

  /** Reads the thread up to its newest event, and sends its visible content when it is replayed. */
  async open(thread: Thread, { isReplayed }: { readonly isReplayed: boolean }): Promise<void> {
    const { log, conversations, cwd } = this.#place;
    let reading = threadReading.initial;
    for await (const page of readPages(log, this.#threadId))
      for (const event of page) {
        this.#seq = event.seq;
        if (isReplayed) reading = threadReading.step(reading, event);
        for (const step of this.#encoder.encode(event)) this.#note(step);
      }
    this.#title = thread.title;
    // Relays of an imported run are not for this user.
    const pending = new Set((await conversations.status(await conversations.find(this.#threadId))).relays);
    for (const relayId of this.#asked.keys()) if (!pending.has(relayId)) this.#asked.delete(relayId);
    if (!isReplayed) return;
    for (const update of replayUpdates(threadReading.view(reading), cwd)) await this.update(update as SessionUpdate);
  }

  /** Shows the problems, asks pending relays again, and follows new events. Prints its errors. */
  start(problems: readonly string[]): void {
    void this.#follow(problems).catch((error: unknown) => {
      if (!this.#closing.signal.aborted && !SingletreeError.is(error, 'thread_not_found'))
        printNotice(`The session ${this.#threadId} is not shown any more: ${errorText(error)}`);
    });
  }

  /** Sends a prompt and resolves with its end, after everything before it was shown; a prompt during a run waits. */
  async prompt(
    content: string | readonly ContentPart[],
    {
      signal,
      ...choice
    }: Pick<SentMessage, 'trace'> & { agent: string; model?: string | undefined; signal: AbortSignal },
  ): Promise<AcpEnd> {
    const { conversations } = this.#place;
    const id = this.#newId();
    const { runId, queued } = await conversations.send(this.#threadId, {
      id,
      content,
      delivery: 'follow_up',
      ...defined(choice),
    });
    const cancel = () => void this.requestCancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await this.#waitForEnd(queued === true ? await conversations.findRun(this.#threadId, id) : runId);
    } catch (error) {
      if (SingletreeError.is(error, 'not_found')) return { stopReason: 'cancelled' };
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Sends text into the active run, or starts a turn with it when no run is active. */
  async steer(content: string | readonly ContentPart[], choice: { agent: string }): Promise<void> {
    await this.#place.conversations.send(this.#threadId, {
      id: this.#newId(),
      content,
      delivery: 'steer',
      ...choice,
    });
  }

  /** Cancels without a response to the caller: failures are reported to the diagnostics port. Never rejects. */
  async requestCancel(): Promise<void> {
    await this.cancel().catch(this.#diagnose('cancel_failed'));
  }

  /** Removes the queued prompts of this editor and aborts the active run. */
  async cancel(): Promise<void> {
    const { conversations } = this.#place;
    for (const { id } of await conversations.queue(await conversations.find(this.#threadId)))
      if (this.#own.has(id))
        await conversations.withdraw(this.#threadId, id).catch((error: unknown) => {
          // The prompt was already delivered; its run is aborted below.
          if (!SingletreeError.is(error, 'not_found')) this.#diagnose('withdraw_failed')(error);
        });
    await conversations.abortAll(this.#threadId, defined({ by: this.#place.editor }));
  }

  /** Shows a notice that is not part of the conversation. */
  async say(text: string): Promise<void> {
    const { hasNotices } = this.#place;
    if (hasNotices) await this.update({ sessionUpdate: 'notice', severity: 'warning', title: text });
    else
      await this.update({
        sessionUpdate: 'agent_message_chunk',
        messageId: newId(),
        content: { type: 'text', text: `${text}\n` },
      });
  }

  async update(update: SessionUpdate): Promise<void> {
    await this.#place.client.notify('session/update', { sessionId: this.#threadId, update });
  }

  /** Detaches from the thread, whose runs continue; unanswered prompts are cancelled. */
  close(): void {
    this.#closing.abort();
    for (const answer of this.#waiting.values()) answer({ stopReason: 'cancelled' });
    for (const { settled } of this.#asked.values()) settled.abort();
  }

  async #follow(problems: readonly string[]): Promise<void> {
    const availableCommands = sessionCommands.map(({ name, description, input = null }) => ({
      name,
      description,
      input,
    }));
    await this.update({ sessionUpdate: 'available_commands_update', availableCommands });
    for (const problem of problems) await this.say(problem);
    for (const { ask, settled } of this.#asked.values()) {
      await this.update({ sessionUpdate: 'tool_call', ...ask.toolCall } as SessionUpdate);
      void this.#ask(ask, settled.signal);
    }
    for await (const event of this.#place.log.tail(this.#threadId, this.#seq, { signal: this.#closing.signal })) {
      for (const step of this.#encoder.encode(event)) await this.#show(step);
      if (event.type === 'mode_changed' || event.type === 'model_changed') await this.#place.settingsChanged();
    }
  }

  #diagnose(code: string): (cause: unknown) => void {
    return cause => this.#place.onDiagnostic({ code, threadId: this.#threadId, cause });
  }

  /** Records pending relays and the ends of runs. */
  #note(step: AcpStep): void {
    if (step.type === 'ask') this.#asked.set(step.relay.id, { ask: step, settled: new AbortController() });
    else if (step.type === 'settled') {
      this.#asked.get(step.relayId)?.settled.abort();
      this.#asked.delete(step.relayId);
    } else if (step.type === 'ended') {
      this.#ended.set(step.runId, step.end);
      dropOldest(this.#ended);
    }
  }

  async #show(step: AcpStep): Promise<void> {
    this.#note(step);
    if (step.type === 'update') {
      const { update } = step;
      const isOwn = update.sessionUpdate === 'user_message_chunk' && this.#own.has(update.messageId);
      if (!isOwn) await this.update(update as SessionUpdate);
    } else if (step.type === 'ask') {
      const settled = this.#asked.get(step.relay.id)?.settled;
      if (settled !== undefined) void this.#ask(step, settled.signal);
    } else if (step.type === 'ended') {
      await this.#showTitle();
      this.#waiting.get(step.runId)?.(step.end);
    }
  }

  async #showTitle(): Promise<void> {
    const thread = await this.#place.log.getThread(this.#threadId);
    if (thread === undefined) return;
    const { title, updatedAt } = thread;
    const renamed = title !== this.#title && defined({ title });
    this.#title = title;
    await this.update({ sessionUpdate: 'session_info_update', updatedAt, ...renamed });
  }

  /** Returns a new id for a message of this editor. */
  #newId(): string {
    const id = newId();
    this.#own.add(id);
    dropOldest(this.#own);
    return id;
  }

  #waitForEnd(runId: string): Promise<AcpEnd> {
    const ended = this.#ended.get(runId);
    if (ended !== undefined) return Promise.resolve(ended);
    return new Promise(resolve => {
      this.#waiting.set(runId, end => {
        this.#waiting.delete(runId);
        resolve(end);
      });
    });
  }

  /** Asks the editor; cancels the request when the relay is settled elsewhere, and keeps it in the inbox on failure. */
  async #ask({ relay, toolCall }: Ask, settled: AbortSignal): Promise<void> {
    const { client, conversations, editor, hasForms } = this.#place;
    const sessionId = this.#threadId;
    const options = { cancellationSignal: settled, stopWaitingOnCancel: true };
    const form = hasForms ? questionForm(relay) : undefined;
    try {
      let answer;
      if (form !== undefined && relay.relayKind === 'question') {
        const { question: message } = relay;
        const request = { sessionId, toolCallId: toolCall.toolCallId, mode: 'form', message, requestedSchema: form };
        answer = readForm(await client.request('elicitation/create', request, options));
      } else {
        const request = { sessionId, toolCall, options: permissionOptions(relay) };
        const { outcome } = await client.request<{ outcome: { outcome: string; optionId?: string } }>(
          'session/request_permission',
          request,
          options,
        );
        answer = readOption(relay, outcome.optionId ?? '');
      }
      if (answer !== undefined && !settled.aborted)
        await conversations.answer(this.#threadId, relay.id, { ...answer, ...defined({ by: editor }) });
    } catch (error) {
      if (settled.aborted || this.#closing.signal.aborted || SingletreeError.is(error, 'relay_resolved')) return;
      printNotice(`The editor did not answer, the question stays in the inbox: ${errorText(error)}`);
    }
  }
}
