import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { eventsWithoutSecrets } from '../../agents/redaction/redacted-events.ts';
import { createRedactor } from '../../agents/redaction/redactor.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../../log/all-threads.ts';
import { readEvents } from '../../log/read-events.ts';
import type { Thread } from '../../log/event-log.ts';
import { toLines } from '../../log/jsonl.ts';
import type { ViewNode } from '../../projections/reading/view-node.ts';
import { shortCount } from '../../projections/presentation/wording.ts';
import { type CommandName, parseCommand } from '../completion/commands.ts';
import { costText } from '../rows/part-rows.ts';
import { densities, isDensity } from '../rows/tool-row.ts';
import type { ChatApp } from './chat-app.ts';
import { ruleLines } from './rule-lines.ts';

type Command = (app: ChatApp, argument: string) => unknown;

const commands: Readonly<Record<CommandName, Command>> = {
  help: (app, query) => app.lists.help(query),
  quit: app => app.quit(),
  new: (app, title) => app.startNew(title),
  bg: app => app.startNew(),
  mode: (app, modeId) => switchMode(app, modeId),
  model: (app, modelId) => (modelId === '' ? app.lists.models() : app.switchModel(modelId)),
  agent: (app, agentId) => (agentId === '' ? app.lists.agents() : app.switchAgent(agentId)),
  key: (app, provider) => enterKey(app, provider),
  threads: (app, id) => threads(app, id),
  rename: (app, title) => rename(app, title),
  rewind: app => app.lists.rewind(),
  undo: app => app.lists.undo(),
  redo: app => app.lists.redo(),
  expand: app => app.lists.expand(),
  inbox: app => app.lists.inbox(),
  queue: app => app.lists.queue(),
  history: (app, query) => app.lists.history(query),
  tasks: app => {
    app.showsTasks = !app.showsTasks;
  },
  agents: app => agents(app),
  density: (app, name) => setDensity(app, name),
  copy: (app, what) => copy(app, what),
  rules: (app, id) => rules(app, id),
  context: app => context(app),
  transcript: app => app.transcript.open(),
  fullscreen: app => app.screen.fullscreen(!app.screen.isFullscreen),
  usage: app => usage(app),
  editor: app => app.editDraft(),
  export: (app, file) => exportTo(app, file),
};

/** Runs a slash command; what fails is a row. */
export function runCommand(app: ChatApp, line: string): void {
  const parsed = parseCommand(line);
  if (parsed.type === 'command') return app.attempt(() => commands[parsed.name](app, parsed.argument));
  const near = parsed.near.map(name => `/${name}`).join(' or ');
  app.note(
    `Unknown command "/${parsed.name}". ${near === '' ? '/help lists them.' : `Did you mean ${near}?`}`,
    'warning',
  );
}

async function switchMode(app: ChatApp, modeId: string): Promise<void> {
  if (modeId !== '') return app.threads.switchMode(modeId);
  const modes = app.threads.modes.map(({ id }) => id);
  app.note(`Modes: ${modes.join(', ')}. Shift+Tab goes to the next one.`);
}

/** Asks for the key outside the composer: what is typed there is kept as history and drafts. */
async function enterKey(app: ChatApp, provider: string): Promise<void> {
  const { enterKey: enter } = app.options;
  if (enter === undefined) throw new SingletreeError('not_supported', 'Keys cannot be stored here.');
  app.note(await app.lendTerminal(() => enter(provider)));
}

/** Opens the thread whose id begins like this, else the list of those that match. */
async function threads(app: ChatApp, query: string): Promise<void> {
  const found: Thread[] = [];
  if (query !== '')
    for await (const thread of allThreads(app.options.log, { resourceId: 'default' }))
      if (thread.id.startsWith(query)) found.push(thread);
  const [only] = found;
  await (only !== undefined && found.length === 1 ? app.open(only.id) : app.lists.threads(query));
}

async function rename(app: ChatApp, title: string): Promise<void> {
  if (title === '')
    throw new SingletreeError(
      'invalid_argument',
      'A title is missing. Write it after the command: /rename Fix the build',
    );
  const { threadId, conversations } = app.threads;
  if (threadId === undefined) throw new SingletreeError('invalid_argument', 'There is no thread to rename yet.');
  await conversations.label(threadId, { title });
  app.note(`Renamed to ${title}`);
}

function agents(app: ChatApp): void {
  const { follower, background } = app.threads;
  const here = follower?.reading.running.length ?? 0;
  const lines = [
    here === 0 ? 'Nothing runs in this thread.' : `${here} ${here === 1 ? 'run' : 'runs'} in this thread.`,
  ];
  for (const threadId of background) lines.push(`In the background: ${threadId}`);
  app.note(lines.join('\n'));
}

/** Rows that are printed stay as they are: it applies to those that follow. */
function setDensity(app: ChatApp, name: string): void {
  if (name !== '' && !isDensity(name))
    throw new SingletreeError(
      'invalid_argument',
      `Unknown density "${name}". Use one of: ${Object.keys(densities).join(', ')}.`,
    );
  if (name !== '') app.density = name;
  app.note(`Density: ${app.density}. The transcript (Ctrl+O) shows everything.`);
}

function copy(app: ChatApp, what: string): void {
  const found = textToCopy(app.threads.follower?.reading.nodes ?? [], what);
  if (found === undefined)
    return app.note(
      'There is nothing like this to copy yet. Use /copy answer, /copy code or /copy command.',
      'warning',
    );
  app.io.write(copyText(found));
  app.note(`Sent ${found.length} characters to the clipboard of the terminal.`);
}

/** Lists what decides about calls, as the page does; with the id of a saved rule, revokes that. */
async function rules(app: ChatApp, id: string): Promise<void> {
  const { rules: host } = app.options;
  if (host === undefined) throw new SingletreeError('not_supported', 'Rules cannot be listed here.');
  if (id !== '') {
    host.remove(id);
    return app.note('Revoked: the next call is asked about again.');
  }
  app.note(ruleLines(await host.list(), await app.threads.conversations.listGrants()).join('\n'));
}

function context(app: ChatApp): void {
  const { lastInput, lastModel } = app.threads.follower?.times ?? {};
  if (lastInput === undefined)
    return app.note(
      lastModel === undefined
        ? 'The model has not been called yet.'
        : 'This agent reports the tokens of whole turns: what one request had is not known.',
    );
  const size = app.options.contextSize?.(app.threads.modelId || (lastModel ?? ''));
  const of = size === undefined ? '' : ` of ${shortCount(size)} (${Math.round((lastInput / size) * 100)} % used)`;
  app.note(`The last request had ${shortCount(lastInput)} tokens${of}.`);
}

function usage(app: ChatApp): void {
  const total = app.threads.follower?.reading.usage;
  if (total === undefined) return app.note('Nothing was used yet.');
  const cost = total.cost === undefined ? '' : ` · ${costText(total.cost)}`;
  app.note(`This thread: ${shortCount(total.inputTokens)} tokens in, ${shortCount(total.outputTokens)} out${cost}`);
}

/** Writes the events of the thread as JSON lines, which `singletree import` reads, without secrets. */
async function exportTo(app: ChatApp, file: string): Promise<void> {
  const threadId = app.threads.follower?.threadId;
  if (threadId === undefined) return app.note('There is no thread to export yet.', 'warning');
  const path = resolve(app.options.cwd, file === '' ? `${threadId}.jsonl` : file);
  const { log, redactor = createRedactor([]) } = app.options;
  const lines = toLines(eventsWithoutSecrets(readEvents(log, threadId), redactor));
  await writeFile(path, lines, { flag: 'wx', mode: 0o600 });
  app.note(`Wrote ${path}`);
}

/** Returns the newest answer, code block or command of a thread; undefined when there is none. */
function textToCopy(nodes: readonly ViewNode[], what: string): string | undefined {
  const answers = nodes.filter(({ role, text }) => role === 'assistant' && text.trim() !== '');
  if (what === 'command')
    return nodes
      .flatMap(({ toolCalls }) => toolCalls)
      .map(commandOf)
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

function commandOf({ input }: ViewNode['toolCalls'][number]): string | undefined {
  const command = (input as { readonly command?: unknown } | undefined)?.command;
  return typeof command === 'string' ? command : undefined;
}
