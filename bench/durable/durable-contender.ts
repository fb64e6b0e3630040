/** One framework with its store in a SQLite file: what all of them do in the comparison. */
export interface DurableContender {
  /** Creates a thread and returns its id. */
  createThread(): Promise<string>;
  /** Runs one turn and resolves when everything of it is stored. */
  send(threadId: string, content: string): Promise<void>;
  /** Continues the turn that the last process left open in the thread, as far as the framework can. */
  resume(threadId: string): Promise<void>;
  close(): Promise<void>;
}

/** What the models of all frameworks answer. */
export interface ModelWork {
  /** How many tool calls a turn has, one after another. */
  readonly calls: number;
  /** How many words end a turn. */
  readonly words: number;
  /** Called before each model call, with the number of results that this turn has so far. */
  readonly onModelCall?: (results: number) => void;
}

/** What a contender is made of. */
export interface DurableSetting extends ModelWork {
  /** The folder the framework is installed in; unused by those that the repository has itself. */
  readonly folder: string;
  /** The SQLite file. */
  readonly file: string;
}

/** What the tool of all frameworks is called, says and does. */
export const doubling = {
  name: 'double',
  description: 'doubles a number',
  double: ({ value }: { readonly value: number }): number => value * 2,
} as const;

/** What a model is told beside its messages. */
export const instructions = 'Double numbers.';

/** Returns the number of tool results after the last message of a person: how far the turn is. */
export function countResults(roles: readonly (string | undefined)[], resultRole = 'tool'): number {
  let results = 0;
  for (let at = roles.length - 1; at >= 0 && roles[at] !== 'user'; at--) if (roles[at] === resultRole) results++;
  return results;
}

/** Returns the words of a final answer, each as a model streams it. */
export function listWords(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `word${at} `);
}
