import { createContext, useContext } from 'react';
import type { MessageBody } from '../../../src/protocols/http-api.ts';

/** The actions on the messages of a conversation. */
export interface BranchActions {
  /** Adds an edited version of a message; rejects when the server refuses it. */
  readonly edit: (messageId: string, content: MessageBody['content']) => Promise<void>;
  /** Retries the run. */
  readonly retry: (messageId: string) => void;
  /** Shows another version of a message. */
  readonly select: (messageId: string) => void;
  /** Continues in a branch that ends before an event. */
  readonly branchBefore: (seq: number) => void;
  /** Continues in a branch that ends with a message. */
  readonly branchAfter: (messageId: string) => void;
  /** Asks for the agent and the message that continue a branch that ends with a message. */
  readonly branchInto: (messageId: string) => void;
  /** The reason that the actions are disabled now. */
  readonly blocked: string | undefined;
}

/** Provides the actions to the messages below it. */
export const Branches = createContext<BranchActions>({
  edit: () => Promise.reject(new Error('no provider')),
  retry: () => {},
  select: () => {},
  branchBefore: () => {},
  branchAfter: () => {},
  branchInto: () => {},
  blocked: undefined,
});

/** Returns the actions on the messages of the conversation. */
export function useBranches(): BranchActions {
  return useContext(Branches);
}
