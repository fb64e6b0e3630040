import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { eventsWithoutSecrets } from '../../agents/redaction/redacted-events.ts';
import { createRedactor } from '../../agents/redaction/redactor.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../../log/all-threads.ts';
import { readEvents } from '../../log/read-events.ts';
import type { Thread } from '../../log/event-log.ts';
import { toLines } from '../../log/jsonl.ts';
import { describeRule } from '../../projections/presentation/describe-rule.ts';
import type { ViewNode } from '../../projections/reading/view-node.ts';
import { counted, shortCount } from '../../projections/presentation/wording.ts';
import { type CommandName, parseCommand } from '../completion/commands.ts';
import { costText } from '../rows/part-rows.ts';
import { densities, isDensity } from '../rows/tool-row.ts';
import type { Chat } from './chat.ts';
import { listAgents, listHistory, listInbox, listKeys, listModels, listQueue, listThreads } from './chat-lists.ts';
import { expand, listRewinds, redo, undo } from './chat-rewind.ts';

type Command = (chat: Chat, argument: string) => unknown;

const commands: Readonly<Record<CommandName, Command>> = {
  help: listKeys,
  quit: ({ quit }) => quit(),
  new: (chat, title) => chat.startNew(title),
  bg: chat => chat.startNew(),
  mode: switchMode,
  model: (chat, modelId) => (modelId === '' ? listModels(chat) : chat.switchModel(modelId)),
  agent: (chat, agentId) => (agentId === '' ? listAgents(chat) : chat.switchAgent(agentId)),
  key: enterKey,
  threads: openThread,
  rename,
  rewind: listRewinds,
  undo: chat => undo(chat),
  redo,
  expand,
  inbox: listInbox,
  queue: chat => listQueue(chat, line => runCommand(chat, line)),
  history: listHistory,
  tasks: chat => {
    chat.showsTasks = !chat.showsTasks;
  },
  agents: showRunning,
  density: setDensity,
  copy,
  rules,
  context: showContext,
  transcript: chat => chat.openTranscript(),
  fullscreen: ({ screen }) => screen.fullscreen(!screen.isFullscreen),
  usage: showUsage,
  editor: chat => chat.editDraft(),
  export: exportTo,
};

/** Runs a slash command; what fails is a row. */
export function runCommand(chat: Chat, line: string): void {
  const parsed = parseCommand(line);
  if (parsed.type === 'command') return chat.attempt(() => commands[parsed.name](chat, parsed.argument));
  const near = parsed.near.map(name => `/${name}`).join(' or ');
  chat.note(
    `Unknown command "/${parsed.name}". ${near === '' ? '/help lists them.' : `Did you mean ${near}?`}`,
    'warning',
  );
}

async function switchMode(chat: Chat, modeId: string): Promise<void> {
  if (modeId !== '') return chat.threads.switchMode(modeId);
  const modes = chat.threads.modes.map(({ id }) => id);
  chat.note(`Modes: ${modes.join(', ')}. Shift+Tab goes to the next one.`);
}

/** Asks for the key outside the composer: what is typed there is kept as history and drafts. */
async function enterKey(chat: Chat, provider: string): Promise<void> {
  const { enterKey: enter } = chat.options;
  if (enter === undefined) throw new SingletreeError('not_supported', 'Keys cannot be stored here.');
  chat.note(await chat.screen.lend(() => enter(provider)));
}

/** Opens the thread whose id begins like this, else the list of those that match. */
async function openThread(chat: Chat, query: string): Promise<void> {
  const found: Thread[] = [];
  if (query !== '')
    for await (const thread of allThreads(chat.options.log, { resourceId: 'default' }))
      if (thread.id.startsWith(query)) found.push(thread);
  const [only] = found;
  await (only !== undefined && found.length === 1 ? chat.open(only.id) : listThreads(chat, query));
}

async function rename(chat: Chat, title: string): Promise<void> {
  if (title === '')
    throw new SingletreeError(
      'invalid_argument',
      'A title is missing. Write it after the command: /rename Fix the build',
    );
  const { threadId, conversations } = chat.threads;
  if (threadId === undefined) throw new SingletreeError('invalid_argument', 'There is no thread to rename yet.');
  await conversations.label(threadId, { title });
  chat.note(`Renamed to ${title}`);
}

function showRunning(chat: Chat): void {
  const { follower, background } = chat.threads;
  const here = follower?.reading.running.length ?? 0;
  const lines = [here === 0 ? 'Nothing runs in this thread.' : `${counted(here, 'run')} in this thread.`];
  for (const threadId of background) lines.push(`In the background: ${threadId}`);
  chat.note(lines.join('\n'));
}

/** Rows that are printed stay as they are: it applies to those that follow. */
function setDensity(chat: Chat, name: string): void {
  if (name !== '' && !isDensity(name))
    throw new SingletreeError(
      'invalid_argument',
      `Unknown density "${name}". Use one of: ${Object.keys(densities).join(', ')}.`,
    );
  if (name !== '') chat.density = name;
  chat.note(`Density: ${chat.density}. The transcript (Ctrl+O) shows everything.`);
}

function copy(chat: Chat, what: string): void {
  const found = textToCopy(chat.threads.follower?.reading.nodes ?? [], what);
  if (found === undefined)
    return chat.note(
      'There is nothing like this to copy yet. Use /copy answer, /copy code or /copy command.',
      'warning',
    );
  chat.screen.io.write(copyText(found));
  chat.note(`Sent ${found.length} characters to the clipboard of the terminal.`);
}

/** Lists the rules about calls, as the page does; with the id of a saved rule, revokes it. */
async function rules(chat: Chat, id: string): Promise<void> {
  const { rules: host } = chat.options;
  if (host === undefined) throw new SingletreeError('not_supported', 'Rules cannot be listed here.');
  if (id !== '') {
    host.remove(id);
    return chat.note('Revoked: the next call is asked about again.');
  }
  const { rules: listed, fallback } = await host.list();
  const grants = await chat.threads.conversations.listGrants();
  const lines = [
    'A rule that denies always wins; of the others the most specific one decides.',
    ...listed.map(rule => {
      const revoke = rule.id === undefined ? '' : ` · /rules ${rule.id} revokes it`;
      return `${rule.policy.padEnd(5)} ${describeRule(rule)} · ${rule.source}${revoke}`;
    }),
    `${fallback.policy.padEnd(5)} every other call · ${fallback.source}`,
    ...(grants.length === 0 ? [] : ['What you allowed for longer:']),
    ...grants.map(({ covers, title = 'Untitled' }) => `${covers} · in “${title}”`),
  ];
  chat.note(lines.join('\n'));
}

function showContext(chat: Chat): void {
  const { lastInput, lastModel } = chat.threads.follower?.times ?? {};
  if (lastInput === undefined)
    return chat.note(
      lastModel === undefined
        ? 'The model has not been called yet.'
        : 'This agent reports the tokens of whole turns: what one request had is not known.',
    );
  const size = chat.options.contextSize?.(chat.threads.modelId || (lastModel ?? ''));
  const of = size === undefined ? '' : ` of ${shortCount(size)} (${Math.round((lastInput / size) * 100)} % used)`;
  chat.note(`The last request had ${shortCount(lastInput)} tokens${of}.`);
}

function showUsage(chat: Chat): void {
  const total = chat.threads.follower?.reading.usage;
  if (total === undefined) return chat.note('Nothing was used yet.');
  const cost = total.cost === undefined ? '' : ` · ${costText(total.cost)}`;
  chat.note(`This thread: ${shortCount(total.inputTokens)} tokens in, ${shortCount(total.outputTokens)} out${cost}`);
}

/** Writes the events of the thread as JSON lines, which `singletree import` reads, without secrets. */
async function exportTo(chat: Chat, file: string): Promise<void> {
  const threadId = chat.threads.follower?.threadId;
  if (threadId === undefined) return chat.note('There is no thread to export yet.', 'warning');
  const path = resolve(chat.options.cwd, file === '' ? `${threadId}.jsonl` : file);
  const { log, redactor = createRedactor([]) } = chat.options;
  const lines = toLines(eventsWithoutSecrets(readEvents(log, threadId), redactor));
  await writeFile(path, lines, { flag: 'wx', mode: 0o600 });
  chat.note(`Wrote ${path}`);
}

/** Returns the newest answer, code block or command of a thread; undefined when the thread has none. */
function textToCopy(nodes: readonly ViewNode[], what: string): string | undefined {
  const answers = nodes.filter(({ role, text }) => role === 'assistant' && text.trim() !== '');
  if (what === 'command')
    return nodes
      .flatMap(({ toolCalls }) => toolCalls)
      .map(readCommand)
      .findLast(text => text !== undefined);
  const newest = answers.at(-1)?.text.trim();
  if (what !== 'code') return newest;
  const blocks = answers.flatMap(({ text }) =>
    Array.from(text.matchAll(/^```[^\n]*\n([^]*?)^```/gm), ([, code]) => code),
  );
  return blocks.at(-1)?.trimEnd();
}

/** Returns the bytes that ask a terminal to put a text into the clipboard, also over ssh. */
function copyText(text: string): string {
  return `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
}

function readCommand({ input }: ViewNode['toolCalls'][number]): string | undefined {
  const command = (input as { readonly command?: unknown } | undefined)?.command;
  return typeof command === 'string' ? command : undefined;
}
