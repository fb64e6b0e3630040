import { createContext, useContext } from 'react';

/** The callbacks with which rows control the list. */
export interface ListActions {
  /** The name of an agent. */
  readonly nameOf: (agentId: string | undefined) => string;
  /** Opens or folds a run or the work of one. */
  readonly fold: (id: string, isOpen: boolean) => void;
  /** Stops one subagent. */
  readonly stop: (runId: string) => void;
  /** The address of an event of this thread. */
  readonly linkTo: (seq: number) => string;
}

/** Provides the actions to the rows below it. */
export const ListActionsContext = createContext<ListActions>({
  nameOf: agentId => agentId ?? 'agent',
  fold: () => {},
  stop: () => {},
  linkTo: () => '',
});

/** Returns the actions of the list. */
export function useListActions(): ListActions {
  return useContext(ListActionsContext);
}
