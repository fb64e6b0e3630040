import { cliAdapters } from '../../agents/cli/adapters/index.ts';
import { ThreadState } from '../../control/thread-memory.ts';
import type { ModelRequest } from '../../agents/agent.ts';
import { defined } from '../../events/defined.ts';
import { defaultActive } from '../../graph/index.ts';
import { type EventLog, readEvents, type Thread } from '../../log/index.ts';
import { type Message, projectMessages } from '../../projections/index.ts';
import { printableText } from '../../events/terminal-text.ts';
import { ThreadDigests } from '../../server/thread-digests.ts';
import { runnableAgent } from '../agents/runnable-agent.ts';
import { loadSettings, type Settings } from '../settings/settings.ts';
import { findThread } from './find-thread.ts';
import { threadAgent } from './thread-agent.ts';
import { type ThreadCommandOptions, withConfiguredLog } from './with-log.ts';
import { standardOutput } from '../../control/standard-output.ts';

export interface PromptOptions extends ThreadCommandOptions {
  readonly agent?: string;
  readonly message?: string;
  readonly mode?: string;
  readonly cwd?: string;
}

/** What a model would be sent, and the agent that would send it; of an external agent only the messages are known. */
interface Prompt extends Partial<ModelRequest> {
  readonly agent: string;
  readonly messages: readonly Message[];
}

/** `singletree debug prompt`: what a model would be sent of a thread: instructions, tools and messages. */
export async function promptCommand(text: string, options: PromptOptions): Promise<void> {
  const settings = await loadSettings(options.cwd ?? '.');
  await withConfiguredLog(options, settings.config, async log => {
    const isEmpty = text === 'last' && (await log.listThreads({ limit: 1 })).length === 0;
    const prompt = await promptOf(log, isEmpty ? undefined : await findThread(log, text), settings, options);
    if (options.json === true) await standardOutput.writeJson(prompt);
    else await print(prompt);
  });
}

async function promptOf(
  log: EventLog,
  thread: Thread | undefined,
  settings: Settings,
  { agent: named, message, mode: chosen }: PromptOptions,
): Promise<Prompt> {
  const state = new ThreadState(thread);
  if (thread !== undefined) for await (const event of readEvents(log, thread.id)) state.take(event);
  const messages: Message[] = [...projectMessages(state.conversation, defaultActive(state.conversation))];
  if (message !== undefined) messages.push({ role: 'user', content: message });
  const found = thread && (await threadAgent(new ThreadDigests(log), thread));
  const agent = named ?? found ?? settings.config.defaultAgent ?? 'coder';
  if (agent === 'acp' || agent in cliAdapters) return { agent, messages };
  const inspected = { hasPerson: false, extraArgs: [], isOnlyInspected: true, ...defined({ mode: chosen }) };
  const runnable = await runnableAgent(agent, settings, inspected);
  try {
    const { tasks } = state;
    const mode = chosen ?? state.mode;
    const created = runnable.create(() => Promise.resolve());
    return { agent, messages, ...created.requestOf?.({ messages, ...defined({ mode, tasks }) }) };
  } finally {
    await runnable.close();
  }
}

async function print({ agent, instructions, tools, messages }: Prompt): Promise<void> {
  if (tools === undefined)
    await standardOutput.write(
      `The agent "${agent}" adds instructions and tools of its own. Of the thread it has these messages:\n\n`,
    );
  if (instructions !== undefined) await standardOutput.write(section('instructions', [instructions]));
  for (const tool of tools ?? [])
    await standardOutput.write(
      section(
        `tool ${tool.name}`,
        tool.type === 'function'
          ? [tool.description ?? '', JSON.stringify(tool.inputSchema, undefined, 2)]
          : [`executed by the provider: ${tool.id} ${JSON.stringify(tool.args)}`],
      ),
    );
  for (const { role, content } of messages)
    await standardOutput.write(section(role, typeof content === 'string' ? [content] : content.map(partText)));
}

function section(title: string, parts: readonly string[]): string {
  return `── ${title} ──\n${parts.map(printableText).join('\n')}\n\n`;
}

function partText(part: Exclude<Message['content'], string>[number]): string {
  const { type, ...fields } = part;
  return type === 'text' || type === 'reasoning' ? part.text : `${type} ${JSON.stringify(fields)}`;
}
