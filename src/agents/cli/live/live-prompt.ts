import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { ContentPart } from '../../../events/content.ts';
import type { InvokeParams } from '../../contract/agent.ts';
import { type Attachment, fitAttachments, promptOf } from '../agent/prompt.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import type { LiveAdapter } from '../contract/live-channel.ts';
import type { SessionOpening } from './session-claims.ts';
import type { ResumedRun } from './resumed-run.ts';
import { driverName } from './turn-messages.ts';

/** The content of a turn, and the events that come before it. */
export interface TurnContent {
  readonly content: string | readonly ContentPart[];
  readonly events: readonly AgentEvent[];
}

interface PromptContext {
  readonly adapter: CliAdapter;
  readonly live: LiveAdapter;
  readonly params: InvokeParams;
}

/** Returns the first prompt of a run: the request with what the session does not know, or the request to continue. */
export function firstPrompt(
  { adapter, live, params }: PromptContext,
  opening: SessionOpening,
  resumed: ResumedRun | undefined,
): TurnContent {
  const { runId } = params.run;
  const { sessionId, session, problem, messages = params.conversation.messages } = opening;
  if (resumed?.sessionId !== undefined && resumed.sessionId === sessionId)
    return {
      content: resumed.prompt,
      events: [{ type: 'user', runId, by: driverName, automatic: true, content: resumed.prompt }],
    };
  const prompt = promptOf(messages, session);
  const { taken, text, dropped } = fitAttachments(adapter.name, prompt, part => isTaken(live, part));
  const events: AgentEvent[] = [];
  if (dropped !== undefined) events.push({ type: 'warning', runId, message: dropped, code: 'attachment_dropped' });
  if (prompt.includesHistory && sessionId === undefined)
    events.push({ type: 'warning', runId, message: newSessionWarning(adapter, problem), code: 'new_session' });
  return { content: taken.length === 0 ? text : [{ type: 'text', text }, ...taken], events };
}

/** The warning that a conversation continues in a new session of the program. */
export function newSessionWarning({ name }: CliAdapter, problem?: string): string {
  const reason = problem === undefined ? '' : ` Its session could not be written: ${problem}`;
  return `${name} has no session of this conversation: a new one starts with the conversation written into the prompt.${reason}`;
}

function isTaken({ abilities }: LiveAdapter, part: Attachment): boolean {
  return part.type === 'image' ? abilities.images : abilities.files === true;
}
