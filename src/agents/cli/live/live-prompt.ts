import type { AgentEvent } from '../../../events/vocabulary.ts';
import { type Attachment, fitAttachments, buildPrompt } from '../agent/prompt.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import type { SessionOpening } from './run-program.ts';
import type { ResumedRun } from './resumed-run.ts';
import type { LiveRunOptions } from './session-options.ts';
import { driverName, type NextPrompt } from './turn-messages.ts';

/** Returns the first prompt of a run: the request with the messages that the session lacks, or the one to continue. */
export function firstPrompt(
  { adapter, live, params }: Pick<LiveRunOptions, 'adapter' | 'live' | 'params'>,
  opening: SessionOpening,
  resumed: ResumedRun | undefined,
): NextPrompt {
  const { runId } = params.run;
  const { sessionId, session, problem, messages = params.conversation.messages } = opening;
  if (resumed?.sessionId !== undefined && resumed.sessionId === sessionId)
    return {
      content: resumed.prompt,
      events: [{ type: 'user', runId, by: driverName, automatic: true, content: resumed.prompt }],
    };
  const prompt = buildPrompt(messages, session);
  const { images, files } = live.abilities;
  const isTaken = (part: Attachment) => (part.type === 'image' ? images : files === true);
  const { taken, text, dropped } = fitAttachments(adapter.name, prompt, isTaken);
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
