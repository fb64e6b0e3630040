import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';

/** One line about an event that is not part of the conversation text. */
export interface Notice {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
}

/** The line that a person reads about a fact; undefined when there is nothing to say. */
export function toNotice(event: AgentEvent): Notice | undefined {
  switch (event.type) {
    case 'error':
      return { level: 'error', message: event.message };
    case 'warning':
      return { level: 'warning', message: event.message };
    case 'file_registered':
      return { level: 'info', message: `File ready: ${event.path}` };
    case 'mode_changed':
      return { level: 'info', message: `Mode: ${event.modeId}` };
    case 'model_changed':
      return { level: 'info', message: `Model: ${event.modelId}` };
    case 'folder_changed':
      return { level: event.note === undefined ? 'info' : 'warning', message: folderWords(event) };
    case 'grant_revoked':
      return { level: 'info', message: 'A lasting approval was revoked: the next turn asks again.' };
    case 'summary':
      if (event.active === false) return undefined;
      return { level: 'info', message: 'Earlier messages were summarised for the agent.' };
    default:
      return undefined;
  }
}

/** Returns the folder of a thread in words: its path, its branch, and the fate of its changes. */
export function folderWords({ folder, worktree, kept, note }: EventOf<'folder_changed'>): string {
  const place = worktree === undefined ? `Folder: ${folder}` : `Worktree: ${folder}, branch ${worktree.branch}`;
  const files = kept === undefined ? undefined : `Changes applied: ${kept.length === 0 ? 'none' : kept.join(', ')}`;
  return [place, files, note].filter(text => text !== undefined).join('. ');
}
