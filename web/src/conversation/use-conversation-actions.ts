import { useMemo } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { MessageBody } from '../../../src/protocols/http-api.ts';
import { writeAddress } from '../app/address.ts';
import type { useReadingList } from './use-reading-list.ts';

interface ListActionsOptions {
  readonly client: Client;
  readonly agents: readonly AgentInfo[];
  readonly threadId: string;
  readonly fold: ReturnType<typeof useReadingList>['fold'];
  readonly onProblem: (problem: string) => void;
}

/** Returns the callbacks for the rows of a conversation; they are stable until its agents change. */
export function useListActions({ client, agents, threadId, fold, onProblem }: ListActionsOptions) {
  return useMemo(
    () => ({
      nameOf: (agentId?: string) => agents.find(({ id }) => id === agentId)?.name ?? agentId ?? 'agent',
      fold,
      stop: (runId: string) =>
        void client.stopSubagent(threadId, runId).catch((error: Error) => onProblem(error.message)),
      linkTo: (seq: number) => location.origin + writeAddress({ section: 'thread', threadId, at: seq }),
    }),
    [agents, client, fold, threadId, onProblem],
  );
}

interface RunActionsOptions {
  readonly client: Client;
  readonly threadId: string;
  readonly running: readonly { readonly runId: string }[];
  /** Shows a message that the run reads at its next step. */
  readonly enqueue: (message: MessageBody) => void;
  readonly onSend: () => void;
  readonly onProblem: (problem: string | undefined) => void;
}

/** Returns functions that send a message to a conversation and stop its runs. */
export function useRunActions({ client, threadId, running, enqueue, onSend, onProblem }: RunActionsOptions) {
  return {
    send: async (message: MessageBody) => {
      onSend();
      const { steered } = await client.sendMessage(threadId, message);
      if (steered) enqueue(message);
      onProblem(undefined);
    },
    stop: () => {
      const stopping = running.map(run => client.abortRun(run.runId));
      Promise.all(stopping).catch((error: Error) => onProblem(error.message));
    },
  };
}
