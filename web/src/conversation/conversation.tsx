import { useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import { errorText } from '../../../src/events/index.ts';
import { PagedList, type ViewNode } from '../../../src/projections/index.ts';
import type { MessageBody } from '../../../src/protocols/index.ts';
import { Branches } from './branch-actions.ts';
import { RedoStrip } from '../changes/redo-strip.tsx';
import { ThreadScopeContext, useNewThreadScope } from '../changes/thread-scope.ts';
import { CommentDialog } from '../comments/comment-dialog.tsx';
import { CommentsContext, useComments } from '../comments/use-comments.ts';
import { Meters } from '../composer/meters.tsx';
import { ThreadComposer } from '../composer/thread-composer.tsx';
import { EntryList } from './entry-list.tsx';
import { DownIcon } from '../parts/icons.tsx';
import type { ThreadAddress } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { RelayAnswers } from '../relays/relay-answers.ts';
import { StatusLine } from '../app/status-line.tsx';
import { TopBar } from '../app/top-bar.tsx';
import { ViewTabs } from '../app/view-tabs.tsx';
import { useBranchActions } from './use-branch-actions.ts';
import { useQueued } from './use-queued.ts';
import { useStickToBottom } from './use-stick-to-bottom.ts';
import { useThread } from './use-thread.ts';

interface ConversationProps extends PageProps {
  readonly address: ThreadAddress;
  readonly open: (address: ThreadAddress) => void;
  readonly title: string | undefined;
}

/** One conversation: its history, its live updates, and the input field. */
export function Conversation({ client, agents, address, open, title, onMenu }: ConversationProps) {
  const { threadId } = address;
  const { thread, loadEarlier } = useThread(client, threadId);
  const { nodeList: nodes, running, pending, hidden, cut } = thread ?? nothingYet;
  const earlier = thread?.hasEarlier === true ? loadEarlier : undefined;
  const failure = thread?.error === undefined ? undefined : errorText(thread.error);
  const { queued, enqueue } = useQueued(thread ?? nothingYet);
  const [problem, setProblem] = useState<string>();
  const { element, away, onScroll, toBottom, stay } = useStickToBottom(nodes, queued.length);
  const comments = useComments(threadId);
  const scope = useNewThreadScope(client, threadId, nodes, id => open({ section: 'thread', threadId: id }));
  const answer = useAnswer(client, threadId);
  const branches = useBranchActions({
    client,
    threadId,
    nodes,
    agents,
    isRunning: running.length > 0,
    onAsked: toBottom,
    onSelect: stay,
    onProblem: setProblem,
  });

  const send = async (message: MessageBody) => {
    const { steered } = await client.sendMessage(threadId, message);
    if (steered) enqueue(message);
    setProblem(undefined);
    toBottom();
  };
  const stop = () => {
    const stopping = running.map(run => client.abortRun(run.runId));
    Promise.all(stopping).catch((error: Error) => setProblem(error.message));
  };

  return (
    <CommentsContext value={comments}>
      <main className="main">
        <TopBar
          title={title ?? 'Conversation'}
          {...(thread && { usage: thread.usage })}
          tabs={<ViewTabs address={address} open={open} />}
          onMenu={onMenu}
        />
        <div className="scroll" ref={element} onScroll={onScroll}>
          <div className="column" role="log" aria-label="Conversation" aria-busy={running.length > 0}>
            <RelayAnswers value={answer}>
              <Branches value={branches}>
                <ThreadScopeContext value={scope}>
                  <EntryList
                    nodes={nodes}
                    agents={agents}
                    tasks={thread?.tasks}
                    hidden={hidden}
                    cut={cut}
                    loadEarlier={earlier}
                  />
                </ThreadScopeContext>
              </Branches>
            </RelayAnswers>
            {queued.map(({ key, text }) => (
              <p key={key} className="bubble queued">
                {text}
                <span className="queued-note">Will be read at the next step</span>
              </p>
            ))}
            {failure !== undefined && (
              <p className="notice" data-level="error">
                {failure}
              </p>
            )}
          </div>
        </div>
        <div className="foot">
          <button
            type="button"
            className="to-bottom"
            data-shown={away}
            aria-label="Go to the newest"
            onClick={toBottom}
          >
            <DownIcon />
          </button>
          <StatusLine
            waiting={pending}
            running={running.length > 0}
            connected={thread?.isReconnecting !== true || failure !== undefined}
            problem={problem}
          />
          <RedoStrip scope={scope} />
          <ThreadComposer
            client={client}
            threadId={threadId}
            agents={agents}
            usual={lastAgent(nodes)}
            running={running.length > 0}
            seq={thread?.seq ?? 0}
            onSend={send}
            onStop={stop}
          >
            {thread && <Meters usage={thread.usage} context={thread.context} agents={agents} />}
          </ThreadComposer>
        </div>
        <CommentDialog />
      </main>
    </CommentsContext>
  );
}

/** The agent that answered last. */
function lastAgent(nodes: PagedList<ViewNode>): string | undefined {
  return nodes.findLast(node => (node.role === 'assistant' ? node : undefined))?.agentId;
}

const none: ReadonlySet<string> = new Set();
const nothingYet = {
  seq: 0,
  nodeList: PagedList.of<ViewNode>([]),
  running: [],
  pending: [],
  hidden: none,
  cut: none,
};

function useAnswer(client: Client, threadId: string) {
  const [answer] = useState(() => client.answerRelay.bind(client, threadId));
  return answer;
}
