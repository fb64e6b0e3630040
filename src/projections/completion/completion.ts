import { type Ranked, ranked } from './fuzzy-match.ts';
import { defined } from '../../base/defined.ts';

/** A message that is written: its text, where the cursor is, and whether a slash in it is only a slash. */
export interface WrittenText {
  readonly text: string;
  readonly cursor: number;
  readonly isLiteral: boolean;
}

/** A command that begins with a slash. */
export interface OfferedCommand {
  readonly name: string;
  /** The argument as it is shown: `[name]` is optional. */
  readonly argument?: string;
  /** The kind of values that complete its argument, as `CompletionSources.values` takes it. */
  readonly completes?: string;
  readonly does: string;
}

/** The part of the draft that is being completed, and the kind of its completions. */
export interface CompletionRequest {
  readonly kind: 'file' | 'command' | 'argument';
  /** The part that the user has typed. */
  readonly query: string;
  /** The part of the draft that a completion replaces. */
  readonly from: number;
  readonly to: number;
  /** The command whose argument it is. */
  readonly command?: string;
}

/** One completion. */
export interface CompletionItem {
  /** The text that it inserts. */
  readonly text: string;
  /** The text that is displayed, and the offsets in it that matched the query. */
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

/** The sources of completions. */
export interface CompletionSources {
  readonly files: (query: string, limit: number) => readonly Ranked<string>[];
  /** The commands in the order in which they are offered. */
  readonly commands: readonly OfferedCommand[];
  /** Returns the values for an argument of a kind: models, modes, threads. */
  readonly values: (kind: string) => readonly { readonly text: string; readonly detail?: string }[];
}

const mostItems = 50;

/** Returns the completion request at the cursor; undefined when there is nothing to complete. */
export function completionRequest({ text, cursor, isLiteral }: WrittenText): CompletionRequest | undefined {
  const before = text.slice(0, cursor);
  const command = isLiteral ? null : /^\/([\w:-]*)$/.exec(before);
  if (command !== null) return { kind: 'command', query: command[1] ?? '', from: 0, to: wordEndAt(text, cursor) };
  const argument = isLiteral ? null : /^\/([\w:-]+) ([^\n]*)$/.exec(before);
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
  written: WrittenText,
  sources: CompletionSources,
  before?: Completion,
): Completion | undefined {
  const request = completionRequest(written);
  if (request === undefined) return undefined;
  const items = listItems(request, sources);
  const only = items[0];
  // An item that is already written in full needs no list.
  const whole = items.find(({ text }) => text.trimEnd() === written.text.slice(request.from, request.to));
  if (only === undefined || (items.length === 1 && whole !== undefined)) return undefined;
  const chosen = before?.request.query === request.query ? before.items[before.index]?.text : whole?.text;
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

/** Returns what the marked completion replaces in the draft, and by which text. */
export function markedChange({ request: { from, to }, items, index }: Completion) {
  return { from, to, text: items[index]?.text ?? '' };
}

/**
 * Whether a completion is a whole line that can be sent: a command without an argument, one that needs none and is written
 * in full, or a whole argument.
 */
export function isWholeLine({ request, items, index }: Completion, commands: readonly OfferedCommand[]): boolean {
  if (request.kind === 'argument') return true;
  const name = items[index]?.text.trim().slice(1);
  const command = request.kind === 'command' ? commands.find(each => each.name === name) : undefined;
  if (command === undefined) return false;
  return command.argument === undefined || (command.argument.startsWith('[') && request.query === name);
}

function listItems(request: CompletionRequest, sources: CompletionSources): readonly CompletionItem[] {
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
