import { lazy, Suspense, useCallback, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { BranchBody } from '../../../src/protocols/http-api.ts';
import type { ThreadAddress } from '../app/address.ts';

const BranchDialog = lazy(async () => ({ default: (await import('./branch-dialog.tsx')).BranchDialog }));

interface BranchingOptions {
  readonly client: Client;
  readonly threadId: string;
  readonly agents: readonly AgentInfo[];
  /** The agent that answered last. */
  readonly agent: string | undefined;
  readonly open: (address: ThreadAddress) => void;
}

/**
 * Returns a function that creates and opens a branch, and the dialog that asks how a branch after a message continues.
 */
export function useBranching({ client, threadId, agents, agent, open }: BranchingOptions) {
  const [message, setMessage] = useState<string>();
  const branch = useCallback(
    async (body: BranchBody) => {
      const { id } = await client.branchThread(threadId, body);
      open({ section: 'thread', threadId: id });
    },
    [client, threadId, open],
  );
  const dialog = message !== undefined && (
    <Suspense fallback={null}>
      <BranchDialog
        agents={agents}
        agent={agent}
        onBranch={send => branch({ message, send })}
        onClose={() => setMessage(undefined)}
      />
    </Suspense>
  );
  return { branch, dialog, branchInto: setMessage };
}
