import { defined } from '../../../src/base/defined.ts';
import { useMemo, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { ThreadReading } from '../../../src/projections/reading/thread-reading.ts';
import type { BranchBody } from '../../../src/protocols/http-api.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import { useLatest } from '../parts/use-latest.ts';
import type { BranchActions } from './branch-actions.ts';

interface Conversation {
  readonly client: Client;
  readonly threadId: string;
  readonly nodes: ThreadReading['nodeList'];
  readonly isRunning: boolean;
  readonly agents: readonly AgentInfo[];
  /** Called when a run was requested. */
  readonly onAsked: () => void;
  /** Called before another version is shown. */
  readonly onSelect: () => void;
  /** Makes a branch and opens it. */
  readonly onBranch: (branch: BranchBody) => Promise<void>;
  readonly onBranchInto: (messageId: string) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

/** Edits, retries and selects messages of a conversation; edits and retries use the agent that answered before. */
export function useBranchActions(conversation: Conversation): BranchActions {
  const latest = useLatest(conversation);
  const [asking, setAsking] = useState(false);
  const blocked = conversation.isRunning
    ? 'Wait until the run has ended, or stop it'
    : asking
      ? 'One moment'
      : undefined;

  return useMemo(() => {
    const showFailure = (sent: Promise<unknown>) => {
      const { onProblem } = latest.current;
      return sent.then(
        () => onProblem(undefined),
        (error: Error) => onProblem(error.message),
      );
    };
    return {
      blocked,
      edit: async (messageId, content) => {
        const { client, threadId, onAsked } = latest.current;
        await client.sendMessage(threadId, { content, edits: messageId, ...answerer(latest.current, messageId) });
        onAsked();
      },
      retry: messageId => {
        const { client, threadId, onAsked } = latest.current;
        setAsking(true);
        const asked = client.retry(threadId, { messageId, ...answerer(latest.current, messageId) }).then(onAsked);
        void showFailure(asked).finally(() => setAsking(false));
      },
      select: messageId => {
        const { client, threadId, onSelect } = latest.current;
        onSelect();
        void showFailure(client.selectBranch(threadId, { nodeId: messageId }));
      },
      branchBefore: seq => {
        void showFailure(latest.current.onBranch({ seq: seq - 1 }));
      },
      branchAfter: message => {
        void showFailure(latest.current.onBranch({ message }));
      },
      branchInto: messageId => latest.current.onBranchInto(messageId),
    };
  }, [blocked, latest]);
}

/** Returns the agent and the model of an answer, as far as they are still offered. */
function answerer({ nodes, agents }: Conversation, messageId: string): { agent?: string; model?: string } {
  const at = nodes.items.findIndex(({ id }) => id === messageId);
  const run = at < 0 ? undefined : nodes.slice(at).find(({ role }) => role === 'assistant');
  const agent = agents.find(({ id }) => id === run?.agentId);
  const model = agent?.models?.find(id => id === run?.model);
  return { ...(agent && { agent: agent.id }), ...defined({ model }) };
}
