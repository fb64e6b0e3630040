import { createContext, useContext } from 'react';
import type { MessageBody } from '../../src/protocols/index.ts';

/** What can be done with the messages of a conversation. */
export interface BranchActions {
  /** Says something else in the place of a message; rejects when it was not taken. */
  readonly edit: (messageId: string, content: MessageBody['content']) => Promise<void>;
  /** Asks the agent of a run once more. */
  readonly retry: (messageId: string) => void;
  /** Shows another version of a message. */
  readonly select: (messageId: string) => void;
  /** Why none of it is possible now. */
  readonly blocked: string | undefined;
}

/** Provides what can be done to the messages below it. */
export const Branches = createContext<BranchActions>({
  edit: () => Promise.reject(new Error('nobody listens')),
  retry: () => {},
  select: () => {},
  blocked: undefined,
});

/** What can be done with the messages of the conversation. */
export function useBranches(): BranchActions {
  return useContext(Branches);
}
