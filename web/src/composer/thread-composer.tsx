import { type ReactNode, useState } from 'react';
import { defined } from '../../../src/base/defined.ts';
import type { Client } from '../../../src/client/client.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { BranchBody, MessageBody } from '../../../src/protocols/http-api.ts';
import type { UsualChoice } from './agent-pickers.tsx';
import { Composer } from './composer.tsx';
import { createFindFiles } from './find-files.ts';
import type { PageCommand } from './page-command.ts';
import { QueueList } from './queue-list.tsx';
import { useQueue } from './use-queue.ts';

interface ThreadComposerProps {
  readonly client: Client;
  readonly threadId: string;
  readonly agents: readonly AgentInfo[];
  readonly usual: UsualChoice;
  readonly running: boolean;
  /** The newest event of the thread; 0 until it is loaded. */
  readonly seq: number;
  readonly onSend: (message: MessageBody) => Promise<void>;
  /** Continues in a branch. */
  readonly onBranch: (branch: BranchBody) => Promise<void>;
  readonly commands: readonly PageCommand[];
  readonly onStop: () => void;
  readonly children?: ReactNode;
}

/** The input field of a thread, with the messages that wait above it. */
export function ThreadComposer({ client, seq, onSend, onBranch, ...rest }: ThreadComposerProps) {
  const queue = useQueue(client, rest.threadId, rest.running, seq);
  const [isApart, setApart] = useState(false);
  const send = async (message: MessageBody) => {
    if (isApart && message.agent !== rest.usual.agent) {
      const { content, agent, model, mode } = message;
      await onBranch({ send: { content, ...defined({ agent, model, mode }), worktree: true } });
      return;
    }
    await onSend(message);
    if (message.delivery === 'follow_up') await queue.read();
  };
  return (
    <>
      <QueueList queue={queue} isRunning={rest.running} />
      <Composer
        {...rest}
        findFiles={createFindFiles(client, rest.threadId)}
        onSend={send}
        apart={{ isApart, setApart }}
      />
    </>
  );
}
