import type { ConversationState } from '../../control/conversations/conversation-reader.ts';
import type { RelayEntry } from '../../projections/relay-book.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { ageText, counted } from '../../projections/presentation/wording.ts';
import { slashCommands } from '../completion/commands.ts';
import { actions, actionNames, type KeyContext } from '../keys/actions.ts';
import { type KeyMap, findKeys } from '../keys/key-map.ts';
import type { PickerEntry } from './list-picker.ts';

/** Returns how long ago something was: `3 h ago`. */
export function agoText(at: number, now: number): string {
  return now - at < 60_000 ? 'just now' : `${ageText(now - at)} ago`;
}

const groups: Readonly<Record<KeyContext, string>> = {
  chat: 'keys',
  relay: 'keys of a question',
  list: 'keys of a list',
  viewer: 'keys of the transcript',
};

/** Returns every action with its keys, and every command, as entries of the help. */
export function helpEntries(map: KeyMap): readonly PickerEntry[] {
  const keys = actionNames.map(name => {
    const { in: context, does } = actions[name];
    const shown = findKeys(map, name) ?? 'no key';
    return { id: name, label: `${shown.padEnd(24)} ${does}`, keywords: name, detail: name, group: groups[context] };
  });
  const commands = slashCommands.map(command => ({
    id: `/${command.name}`,
    label: `${`/${command.name} ${'argument' in command ? command.argument : ''}`.padEnd(24)} ${command.does}`,
    group: 'commands',
  }));
  const prefixes = [
    ['@', 'a file of the folder'],
    ['!', 'run a shell line; the model reads its output'],
    ['!!', 'run a shell line that the model does not read'],
    ['\\ and Enter', 'start a new line in every terminal'],
  ].map(([text = '', does = '']) => ({ id: text, label: `${text.padEnd(24)} ${does}`, group: 'in a message' }));
  return [...prefixes, ...commands, ...keys];
}

/** A thread as a list shows it. */
export interface ListedThread {
  readonly id: string;
  readonly title: string | undefined;
  /** The folder in which it was started. */
  readonly folder: string | undefined;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly state: ConversationState;
  readonly isOpen: boolean;
}

/**
 * Returns threads as entries: those of this folder before the others, within each by state (waiting first, idle last),
 * then newest first.
 */
export function threadEntries(threads: readonly ListedThread[], folder: string, now: number): readonly PickerEntry[] {
  const rank = { waiting: 0, interrupted: 1, running: 2, queued: 3, idle: 4 } as const;
  const isHere = (thread: ListedThread) => thread.folder === folder;
  const sorted = threads.toSorted(
    (one, other) =>
      Number(isHere(other)) - Number(isHere(one)) ||
      rank[one.state] - rank[other.state] ||
      other.updatedAt - one.updatedAt,
  );
  return sorted.map(thread => ({
    id: thread.id,
    label: `${thread.title ?? thread.id.slice(0, 8)}${thread.isOpen ? ' (open)' : ''}`,
    detail: [stateWords[thread.state], agoText(thread.updatedAt, now)].filter(text => text !== '').join(' · '),
    group: isHere(thread) ? 'this folder' : 'other folders',
    keywords: `${thread.id} ${thread.folder ?? ''}`,
    preview: thread.folder === undefined ? [] : [thread.folder],
  }));
}

const stateWords = {
  waiting: 'waits for you',
  interrupted: 'interrupted',
  running: 'runs',
  queued: 'messages wait',
  idle: '',
} as const;

/** Returns the agents as entries; `current` is that of the thread that is shown. */
export function agentEntries(
  agents: readonly { readonly id: string; readonly name: string; readonly detail?: string }[],
  current: string,
): readonly PickerEntry[] {
  return agents.map(({ id, name, detail }) => ({
    id,
    label: id === current ? `${id} (this thread)` : id,
    ...((detail ?? name) !== id && { detail: detail ?? name }),
  }));
}

/** A model as a list shows it. */
interface ListedModel {
  readonly id: string;
  readonly provider: string;
  readonly hasApiKey: boolean;
  readonly apiKeyEnvVar?: string;
  readonly useCount: number;
}

interface ModelListOptions {
  /** The model in use; empty when that is not known. */
  readonly current: string;
  /** Returns how many tokens the context of a model takes; undefined when that is not known. */
  readonly contextSize?: ((modelId: string) => number | undefined) | undefined;
}

/** An agent fills a smaller context with its first files. */
const leastContext = 32_000;

/** Returns the models that an agent can work with now: they have a key, and no context that is known to be small. */
export function usableModels<Model extends ListedModel>(
  models: readonly Model[],
  { current, contextSize }: ModelListOptions,
): readonly Model[] {
  return models.filter(
    ({ id, hasApiKey }) => id === current || (hasApiKey && (contextSize?.(id) ?? leastContext) >= leastContext),
  );
}

/**
 * Returns models as entries: the one in use, then those that can be used, then those that miss a key; each by use, then
 * those with the largest context and the newest names first.
 */
export function modelEntries(
  models: readonly ListedModel[],
  { current, contextSize }: ModelListOptions,
): readonly PickerEntry[] {
  const rank = ({ id, hasApiKey }: ListedModel) => (id === current ? 2 : hasApiKey ? 1 : 0);
  const size = ({ id }: ListedModel) => contextSize?.(id) ?? 0;
  return models
    .toSorted(
      (one, other) =>
        rank(other) - rank(one) ||
        other.useCount - one.useCount ||
        size(other) - size(one) ||
        other.id.localeCompare(one.id, 'en', { numeric: true }),
    )
    .map(model => {
      const { id, hasApiKey, apiKeyEnvVar } = model;
      const context = size(model) === 0 ? '' : `${Math.round(size(model) / 1_000)}k context`;
      const detail = hasApiKey ? context : apiKeyEnvVar === undefined ? 'no key' : `needs ${apiKeyEnvVar}`;
      return {
        id,
        label: `${id}${id === current ? ' (in use)' : ''}`,
        ...(detail !== '' && { detail }),
        group: hasApiKey || id === current ? 'ready' : 'without a key',
      };
    });
}

/** A question that waits, in any thread. */
export interface InboxItem {
  readonly threadId: string;
  readonly threadTitle: string | undefined;
  readonly entry: RelayEntry;
}

/** Returns the pending relays as entries, oldest first, with their threads. */
export function inboxEntries(items: readonly InboxItem[], now: number): readonly PickerEntry[] {
  return items
    .toSorted((one, other) => askedAt(one, now) - askedAt(other, now))
    .map(item => ({
      id: `${item.threadId} ${item.entry.id}`,
      label: presentRelay(item.entry.relay).summary,
      detail: `${item.threadTitle ?? item.threadId.slice(0, 8)} · ${agoText(askedAt(item, now), now)}`,
    }));
}

function askedAt({ entry }: InboxItem, now: number): number {
  const at = Date.parse(entry.since ?? '');
  return Number.isNaN(at) ? now : at;
}

/** Returns the queued messages and commands as entries, in the order in which they are sent. */
export function queueEntries(items: readonly { readonly id: string; readonly text: string }[]): readonly PickerEntry[] {
  return items.map(({ id, text }, index) => ({ id, label: `${index + 1}. ${text}`, preview: text.split('\n') }));
}

/** A message to which a thread can go back. */
export interface RewindTarget {
  readonly messageId: string;
  readonly text: string;
  /** How long ago it was sent, in words. */
  readonly age: string;
}

/** The files that a rewind changes. */
interface RewindFile {
  readonly path: string;
  readonly action: 'create' | 'change' | 'delete' | 'none';
  /** Whether anyone else changed the file since. */
  readonly isConflict: boolean;
}

/** The id of the entry that changes nothing, and of the one that goes forward again. */
export const nowEntry = 'now';
export const forwardEntry = 'forward';

/** Returns the messages as entries, the oldest first; the last entry is the present, which is marked first. */
export function rewindEntries(targets: readonly RewindTarget[], canGoForward: boolean): readonly PickerEntry[] {
  return [
    ...targets.map(({ messageId, text, age }) => ({
      id: messageId,
      label: text,
      detail: age,
      preview: text.split('\n'),
    })),
    { id: nowEntry, label: '(now)', detail: 'change nothing' },
    ...(canGoForward
      ? [{ id: forwardEntry, label: '(forward again)', detail: 'return to where the rewind began' }]
      : []),
  ];
}

const signs = { create: '+', change: '±', delete: '−', none: ' ' } as const;

/** Returns what can be taken back; the conversation alone comes first when others have touched the files. */
export function scopeEntries(files: readonly RewindFile[]): readonly PickerEntry[] {
  const changed = files.filter(({ action }) => action !== 'none');
  const conflicts = changed.filter(({ isConflict }) => isConflict).length;
  const lines = changed.map(
    ({ path, action, isConflict }) => `${signs[action]} ${path}${isConflict ? ' (changed by others since: kept)' : ''}`,
  );
  const count = `${counted(changed.length, 'file')}${conflicts > 0 ? `, ${conflicts} changed by others` : ''}`;
  const both = { id: 'both', label: 'files and conversation', detail: count, preview: lines };
  const conversation = { id: 'conversation', label: 'conversation only', detail: 'files stay as they are' };
  const onlyFiles = { id: 'files', label: 'files only', detail: count, preview: lines };
  if (changed.length === 0) return [conversation];
  return conflicts > 0 ? [conversation, both, onlyFiles] : [both, conversation, onlyFiles];
}
