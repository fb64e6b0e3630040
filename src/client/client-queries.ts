/** Which lines of a program to read. */
export interface RawLinePart {
  /** Only lines with a higher number. */
  readonly after?: number;
  readonly limit?: number;
}

/** Which files to find. */
export interface MentionSearch {
  /** Characters that the path has, in this order. */
  readonly query?: string;
  readonly threadId?: string;
  /** The open project to search, without a thread. */
  readonly folder?: string;
  readonly limit?: number;
}

/** Which usage to add up. */
export interface UsageSearch {
  /** The first day and the last, in UTC, such as `2026-01-31`. */
  readonly from?: string;
  readonly to?: string;
  readonly resourceId?: string;
  /** With `tool` the calls of tools are added up in place of those of models. */
  readonly by?: readonly ('day' | 'agent' | 'model' | 'resource' | 'thread' | 'tool')[];
}

/** Which words to find. */
export interface WordSearch {
  readonly text: string;
  readonly resourceId?: string;
  /** 20 when absent. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
}

/** Which threads to list. */
export interface ThreadSearch {
  readonly resourceId?: string;
  readonly limit?: number;
  /** Words that are in the title. */
  readonly query?: string;
  /** `next` of the page before. */
  readonly cursor?: string;
}
