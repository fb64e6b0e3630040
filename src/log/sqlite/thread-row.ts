/** Where the events of a thread are: in its own row, and up to `fork` in that of its owner. */
export interface Place {
  readonly key: number;
  readonly owner: number | null;
  readonly fork: number;
}

/** A thread as the file holds it. */
export interface ThreadRow extends Place {
  readonly id: string;
  readonly resource: string;
  readonly info: string;
  readonly created: string;
  readonly updated: string;
  /** The open things of the thread, as JSON. */
  readonly open: string;
  readonly seq: number;
  /** The newest event that was imported; null when the thread was not made for an import. */
  readonly imported: number | null;
}

/** A thread of a file, also one that was deleted and is kept for its branches. */
export interface KeptThread extends Place {
  readonly imported: number | null;
  readonly isHidden: boolean;
  /** Empty when it was deleted. */
  readonly id: string;
  readonly resource: string;
  readonly updated: string;
  readonly title: string | undefined;
}

export interface Head {
  readonly key: number;
  readonly seq: number;
  readonly token: number | undefined;
  /** Whether the thread is in the derivation backlog. */
  readonly isMarked: boolean;
}
