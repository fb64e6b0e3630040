import type { ModelRequest } from '../../agents/contract/abilities.ts';
import { adapterNamed } from '../../agents/cli/adapters/adapter-named.ts';
import { cliAdapters } from '../../agents/cli/adapters/cli-adapters.ts';
import type { ModelTool } from '../../agents/contract/tool-values.ts';
import { listEnvironment } from '../../agents/process/environment.ts';
import { ConversationReader } from '../../control/conversations/conversation-reader.ts';
import { standardOutput } from '../../control/standard-output.ts';
import { ThreadState } from '../../control/threads/thread-memory.ts';
import { defined } from '../../base/defined.ts';
import type { EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { printableText } from '../../base/terminal-text.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import type { Message } from '../../projections/message.ts';
import { projectMessages } from '../../projections/model-input/project-messages.ts';
import { projectReport, projectRequest, type SentRequest } from '../../projections/model-input/project-request.ts';
import { runnableAgent } from '../agents/runnable-agent.ts';
import { loadSettings, type Settings } from '../settings/settings.ts';
import { findThread } from './find-thread.ts';
import { type ThreadCommandOptions, withConfiguredLog } from '../settings/site.ts';

interface PromptOptions extends ThreadCommandOptions {
  readonly agent?: string;
  readonly message?: string;
  readonly mode?: string;
  readonly cwd?: string;
  readonly step?: number;
  readonly run?: string;
}

/** The model request that an agent would send; for an external agent only the messages are known. */
interface Prompt extends Partial<ModelRequest>, Partial<Pick<SentRequest, 'provider' | 'model' | 'settings'>> {
  readonly agent: string;
  readonly messages: readonly Message[];
  /** Whether it is an external program's report of a model call instead of the actual request. */
  readonly reported?: true;
}

/** `singletree debug prompt`: prints the model request of a thread: instructions, tools and messages. */
export async function promptCommand(text: string, options: PromptOptions): Promise<void> {
  if (options.run !== undefined && options.step === undefined)
    throw new SingletreeError('invalid_argument', 'A run has many requests: name one of them with --step, too.');
  const settings = await loadSettings(options.cwd ?? '.');
  await withConfiguredLog(options, settings.config, async log => {
    const isEmpty = text === 'last' && (await log.listThreads({ limit: 1 })).length === 0;
    const { step } = options;
    const thread = isEmpty && step === undefined ? undefined : await findThread(log, text);
    const prompt =
      step === undefined || thread === undefined
        ? await readPrompt(log, thread, settings, options)
        : await readSentPrompt(log, thread, { step, run: options.run });
    if (options.json === true) await standardOutput.writeJson(prompt);
    else await print(prompt);
  });
}

async function readPrompt(
  log: EventLog,
  thread: Thread | undefined,
  settings: Settings,
  { agent: named, message, mode: chosen }: PromptOptions,
): Promise<Prompt> {
  const state = new ThreadState(thread);
  if (thread !== undefined) for await (const event of readEvents(log, thread.id)) state.take(event);
  const messages: Message[] = [...projectMessages(state.conversation, defaultActive(state.conversation))];
  if (message !== undefined) messages.push({ role: 'user', content: message });
  const found = thread && (await new ConversationReader(log).findAgent(thread));
  const agent = named ?? found ?? settings.config.defaultAgent ?? 'coder';
  if (agent === 'acp' || agent in cliAdapters) return { agent, messages };
  const inspected = { hasPerson: false, extraArgs: [], isOnlyInspected: true, ...defined({ mode: chosen }) };
  const runnable = await runnableAgent(agent, settings, inspected);
  try {
    const { tasks } = state;
    const mode = chosen ?? state.mode;
    const created = runnable.create(() => Promise.resolve());
    return {
      agent,
      messages,
      ...created.requestOf?.({ run: defined({ mode }), conversation: { messages, ...defined({ tasks }) } }),
    };
  } finally {
    await runnable.close();
  }
}

/** Reads the request of a step; by default of the newest run that a user started. */
async function readSentPrompt(
  log: EventLog,
  { id }: Thread,
  { step, run }: { readonly step: number; readonly run: string | undefined },
): Promise<Prompt> {
  const events: LoggedEvent[] = [];
  for await (const event of readEvents(log, id)) events.push(event);
  const start = events.findLast(
    (event): event is LoggedEvent & EventOf<'harness_start'> =>
      event.type === 'harness_start' &&
      (run === undefined ? event.parentId?.endsWith(':user') === true : event.runId === run),
  );
  if (start === undefined)
    throw new SingletreeError(
      'run_not_found',
      run === undefined ? 'This thread has no runs.' : `This thread has no run "${run}": singletree export lists them.`,
    );
  const { runId, agentId } = start;
  const steps = events.filter(event => event.type === 'step_start').filter(event => event.runId === runId);
  const found = steps.findLast(event => event.step === step);
  if (found === undefined)
    throw new SingletreeError(
      'not_found',
      `The run "${runId}" has no step ${step}: it has ${steps.length} model calls.`,
    );
  const request = projectRequest(events, found);
  const reported = projectReport(events, found);
  if (reported !== undefined)
    return {
      agent: agentId,
      reported: true,
      messages: [],
      ...reported,
      tools: reported.tools as unknown as ModelTool[],
    };
  if (request === undefined)
    throw new SingletreeError(
      'not_found',
      `The log does not have what was sent at step ${step}: the agent "${agentId}" does not report it, or the run is of an older version.`,
    );
  return { agent: agentId, ...request, tools: request.tools as unknown as ModelTool[] };
}

async function print({ agent, instructions, tools, messages, model, settings, reported }: Prompt): Promise<void> {
  if (reported === true)
    await standardOutput.write(
      `The agent "${agent}" reported this of its model call. It is not the request, which the program does not report.\n\n`,
    );
  if (tools === undefined)
    await standardOutput.write(
      `The agent "${agent}" adds instructions and tools of its own. Of the thread it has these messages:\n\n`,
    );
  if (model !== undefined || reported === true)
    await standardOutput.write(section('model', [model ?? 'not reported', JSON.stringify(settings)]));
  if (instructions !== undefined) await standardOutput.write(section('instructions', [instructions]));
  if (reported === true)
    return void (await standardOutput.write(section('tools', tools?.map(({ name }) => name) ?? [])));
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

/** `singletree debug env`: the names of the variables that `bash`, or an external agent, gets and does not get. */
export async function environmentCommand(
  agent: string | undefined,
  { cwd = '.', json = false }: { readonly cwd?: string; readonly json?: boolean },
): Promise<void> {
  const needed = agent === undefined ? [] : adapterNamed(agent).environment;
  const { environment: policy } = await loadSettings(cwd);
  const { passed, withheld } = listEnvironment(process.env, { policy, needed });
  const set = Object.keys(policy.set ?? {});
  if (json) await standardOutput.writeJson({ base: policy.base, passed, withheld, set });
  else
    for (const [title, names] of Object.entries({ passed, withheld, set }))
      if (names.length > 0) await standardOutput.write(`${title}\n${names.map(name => `  ${name}\n`).join('')}`);
}
