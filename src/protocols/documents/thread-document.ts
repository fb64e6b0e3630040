import type { LoggedEvent } from '../../events/vocabulary.ts';

/** The input from which a document of a thread is written. */
export interface ThreadDocument {
  readonly threadId: string;
  readonly title?: string | undefined;
  /** All events of the thread, in order, without secrets. */
  readonly events: readonly LoggedEvent[];
  /** The version of Singletree that writes it. */
  readonly version: string;
  /** The branch point; absent for a thread that is no branch. */
  readonly branchedFrom?: { readonly seq: number } | undefined;
}

/** The formats of a document of a thread, each with the end of its file's name and its media type. */
export const documentFormats = {
  markdown: { extension: 'md', contentType: 'text/markdown; charset=utf-8' },
  html: { extension: 'html', contentType: 'text/html; charset=utf-8' },
  atif: { extension: 'json', contentType: 'application/json' },
  otlp: { extension: 'json', contentType: 'application/json' },
} as const;

export type DocumentFormat = keyof typeof documentFormats;
