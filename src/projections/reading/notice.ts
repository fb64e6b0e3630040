import type { AgentEvent } from '../../events/index.ts';

/** One line about what happened beside the words. */
export interface Notice {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
}

/** The line that a person reads about a fact; undefined when there is nothing to say. */
export function noticeOf(event: AgentEvent): Notice | undefined {
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
    case 'summary':
      if (event.active === false) return undefined;
      return { level: 'info', message: 'Earlier messages were summarised for the agent.' };
    default:
      return undefined;
  }
}
