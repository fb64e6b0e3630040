import type { RunControl } from '../control/run-control.ts';
import { SingletreeError } from '../events/index.ts';
import type { EventLog, Thread } from '../log/index.ts';
import type { MessageBody, MessageReceipt } from '../protocols/index.ts';
import type { AgentDirectory } from './agent-directory.ts';
import { oneAtATime } from './one-at-a-time.ts';

const titleLength = 80;

/**
 * Makes the function that takes in a message: it goes into the run of the thread that is under way, or starts the
 * agent that was named, else the first. Messages to one thread are taken in one after the other.
 */
export function messageIntake({
  log,
  control,
  agents,
}: {
  log: EventLog;
  control: RunControl;
  agents: AgentDirectory;
}) {
  const inOrder = oneAtATime();
  return (thread: Thread, message: MessageBody): Promise<MessageReceipt> =>
    inOrder(thread.id, async () => {
      const { content, model, edits } = message;
      const steered = edits === undefined ? steer(control, thread.id, message) : undefined;
      if (steered !== undefined) return { runId: steered, steered: true };
      const agent = pickAgent(agents, message.agent);
      const options = { agent, content, ...(model !== undefined && { model }), ...(edits !== undefined && { edits }) };
      const run = await control.start(thread.id, options);
      if (thread.title === undefined) await log.updateThread(thread.id, { title: titleOf(message) });
      return { runId: run.runId };
    });
}

/** The run that takes the message in, or undefined when none is under way. */
function steer(control: RunControl, threadId: string, { content }: MessageBody): string | undefined {
  for (const run of control.running().filter(each => each.threadId === threadId))
    try {
      control.steer(run.runId, content);
      return run.runId;
    } catch (error) {
      if (!SingletreeError.is(error, 'run_not_found')) throw error;
    }
  return undefined;
}

/** The agent that was named, else the first. */
export function pickAgent(agents: AgentDirectory, named: string | undefined) {
  const id = named ?? agents.list()[0]?.id;
  const agent = id === undefined ? undefined : agents.get(id);
  if (agent !== undefined) return agent;
  const known = agents.list().map(each => each.id);
  throw new SingletreeError(
    'agent_not_found',
    id === undefined
      ? 'This server offers no agent.'
      : `There is no agent "${id}". This server offers: ${known.join(', ')}.`,
    { details: { agent: id } },
  );
}

function titleOf({ content }: MessageBody): string {
  const text = typeof content === 'string' ? content : content.map(part => ('text' in part ? part.text : '')).join(' ');
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const cut = line.slice(0, titleLength).replace(/[\uD800-\uDBFF]$/, '');
  return cut === '' ? 'Conversation' : cut === line ? line : `${cut.trimEnd()}…`;
}
