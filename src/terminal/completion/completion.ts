import { type Composer, replaceRange } from '../composer/composer.ts';
import type { ArgumentKind, SlashCommand } from './commands.ts';
import { type Ranked, ranked } from './ranked.ts';
import { defined } from '../../events/defined.ts';

/** What is being completed: a part of the draft, and what it can become. */
export interface CompletionRequest {
  readonly kind: 'file' | 'command' | 'argument';
  /** What was written of it. */
  readonly query: string;
  /** The part of the draft that a completion replaces. */
  readonly from: number;
  readonly to: number;
  /** The command whose argument it is. */
  readonly command?: string;
}

/** One completion. */
export interface CompletionItem {
  /** What it inserts. */
  readonly text: string;
  /** What is shown of it, and offsets in it that matched. */
  readonly label: string;
  readonly positions: readonly number[];
  readonly detail?: string;
}

/** An open list of completions. */
export interface Completion {
  readonly request: CompletionRequest;
  readonly items: readonly CompletionItem[];
  readonly index: number;
}

/** What completions are made of. */
export interface CompletionSources {
  readonly files: (query: string, limit: number) => readonly Ranked<string>[];
  /** The commands in the order in which they are offered. */
  readonly commands: readonly SlashCommand[];
  /** What an argument can be: models, modes, threads. */
  readonly values: (kind: ArgumentKind) => readonly { readonly text: string; readonly detail?: string }[];
}

const mostItems = 50;

/** Returns what is being written at the cursor; undefined when nothing of it is completed. */
export function completionRequest({ text, cursor, isLiteral }: Composer): CompletionRequest | undefined {
  const before = text.slice(0, cursor);
  const command = isLiteral ? null : /^\/([a-z]*)$/.exec(before);
  if (command !== null) return { kind: 'command', query: command[1] ?? '', from: 0, to: wordEndAt(text, cursor) };
  const argument = isLiteral ? null : /^\/([a-z]+) ([^\n]*)$/.exec(before);
  if (argument !== null) {
    const [, name = '', query = ''] = argument;
    return { kind: 'argument', query, from: cursor - query.length, to: cursor, command: name };
  }
  // An at sign inside a word, as in an address, begins no path.
  const file = /(?<=^|[\s("'`])@([^\s@]*)$/.exec(before);
  if (file === null) return undefined;
  const query = file[1] ?? '';
  return { kind: 'file', query, from: cursor - query.length - 1, to: wordEndAt(text, cursor) };
}

/** Returns the completions at the cursor; undefined when there are none. The chosen one stays chosen, else what is written in full is. */
export function completionFor(
  composer: Composer,
  sources: CompletionSources,
  before?: Completion,
): Completion | undefined {
  const request = completionRequest(composer);
  if (request === undefined) return undefined;
  const items = itemsOf(request, sources);
  const only = items[0];
  // What is already written in full is no list.
  const written = items.find(({ text }) => text.trimEnd() === composer.text.slice(request.from, request.to));
  if (only === undefined || (items.length === 1 && written !== undefined)) return undefined;
  const chosen = before?.request.query === request.query ? before.items[before.index]?.text : written?.text;
  return {
    request,
    items,
    index: Math.max(
      0,
      items.findIndex(({ text }) => text === chosen),
    ),
  };
}

/** Moves the mark by one, around the ends. */
export function moveCompletion(completion: Completion, step: 1 | -1): Completion {
  const count = completion.items.length;
  return { ...completion, index: (completion.index + step + count) % count };
}

/** Writes the marked completion into the draft. */
export function acceptCompletion(composer: Composer, { request, items, index }: Completion): Composer {
  const item = items[index];
  return item === undefined ? composer : replaceRange(composer, request.from, request.to, item.text);
}

/**
 * Whether a completion is a whole line that can be sent: a command without an argument, one that needs none and is written
 * in full, or a whole argument.
 */
export function isWholeLine({ request, items, index }: Completion, commands: readonly SlashCommand[]): boolean {
  if (request.kind === 'argument') return true;
  const name = items[index]?.text.trim().slice(1);
  const command = request.kind === 'command' ? commands.find(each => each.name === name) : undefined;
  if (command === undefined) return false;
  return command.argument === undefined || (command.argument.startsWith('[') && request.query === name);
}

function itemsOf(request: CompletionRequest, sources: CompletionSources): readonly CompletionItem[] {
  if (request.kind === 'file')
    return sources.files(request.query, mostItems).map(({ entry, positions }) => ({
      text: `@${/[\s"]/.test(entry) ? JSON.stringify(entry) : entry} `,
      label: entry,
      positions,
    }));
  if (request.kind === 'command')
    return ranked(sources.commands, request.query, { textOf: ({ name }) => name, limit: mostItems })
      .filter(({ entry }) => request.query === '' || entry.name[0] === request.query[0])
      .map(({ entry, positions }) => ({
        text: entry.argument === undefined ? `/${entry.name}` : `/${entry.name} `,
        label: `/${entry.name}${entry.argument === undefined ? '' : ` ${entry.argument}`}`,
        positions: positions.map(position => position + 1),
        detail: entry.does,
      }));
  const kind = sources.commands.find(({ name }) => name === request.command)?.completes ?? 'none';
  return ranked(sources.values(kind), request.query, { textOf: ({ text }) => text, limit: mostItems }).map(
    ({ entry, positions }) => ({
      text: entry.text,
      label: entry.text,
      positions,
      ...defined({ detail: entry.detail }),
    }),
  );
}

function wordEndAt(text: string, cursor: number): number {
  return cursor + (/^[^\s]*/.exec(text.slice(cursor))?.[0].length ?? 0);
}
