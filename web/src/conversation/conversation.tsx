import { useCallback, useEffect, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { PagedList } from '../../../src/projections/reading/paged-list.ts';
import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import { answerIn } from '../../../src/projections/reading/final-answer.ts';
import { ChangesDialog } from '../changes/changes-dialog.tsx';
import { RedoStrip } from '../changes/redo-strip.tsx';
import { useNewThreadScope } from '../changes/thread-scope.ts';
import { CommentDialog } from '../comments/comment-dialog.tsx';
import { CommentsContext, useComments } from '../comments/use-comments.ts';
import { Meters } from '../composer/meters.tsx';
import { ThreadComposer } from '../composer/thread-composer.tsx';
import { ConversationHistory } from './conversation-history.tsx';
import { LatestButton } from './latest-button.tsx';
import type { ThreadAddress } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { FolderContext } from '../parts/folder-path.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { StatusLine } from '../app/status-line.tsx';
import { ThreadFolder } from '../projects/thread-folder.tsx';
import { TopBar } from '../app/top-bar.tsx';
import { ViewTabs } from '../app/view-tabs.tsx';
import { useThreads } from '../threads/use-threads.ts';
import { useBranchActions } from './use-branch-actions.ts';
import { useBranching } from './use-branching.tsx';
import { useQueued } from './use-queued.ts';
import { PinnedTasks } from './pinned-tasks.tsx';
import { useThreadCommands } from './thread-commands.ts';
import { useConnection } from './use-connection.ts';
import { useFoundWords } from './use-found-words.ts';
import { useListActions, useRunActions } from './use-conversation-actions.ts';
import { useListKeys } from './use-list-keys.ts';
import { useReadingList } from './use-reading-list.ts';
import { useStopKey } from './use-stop-key.ts';
import { useThread } from './use-thread.ts';

interface ConversationProps extends PageProps {
  readonly address: ThreadAddress;
  readonly open: (address: ThreadAddress) => void;
  readonly title: string | undefined;
}

/** One conversation: its history, its live updates, and the input field. */
export function Conversation({ client, agents, address, open, title, onMenu }: ConversationProps) {
  const { threadId, at, find } = address;
  const { thread, store } = useThread(client, threadId);
  const { nodeList: nodes, newestList, running, pending } = thread ?? nothingYet;
  const { queued, enqueue } = useQueued(thread ?? nothingYet);
  const [problem, setProblem] = useState<string>();
  const list = useReadingList(store, thread);
  const { elements, position, toEnd, toTurn, toEvent, fold } = list;
  const connection = useConnection(thread?.isReconnecting === true && thread.error === undefined, thread?.lostBy);
  const info = useThreads().threads.find(({ id }) => id === threadId);
  const folder = info?.folder;
  const comments = useComments(threadId);
  const scope = useNewThreadScope({
    client,
    threadId,
    nodes,
    isWhole: thread?.hasEarlier !== true && thread?.hasLater !== true,
    openThread: id => open({ section: 'thread', threadId: id }),
  });
  const [showsChanges, setShowsChanges] = useState(false);
  const showChanges = () => setShowsChanges(true);
  useShortcuts({ d: showChanges, 'alt+d': showChanges });
  const answer = useAnswer(client, threadId);
  const usual = { ...lastAnswer(newestList), mode: info?.mode };
  const { branch, branchInto, dialog } = useBranching({ client, threadId, agents, agent: usual.agent, open });
  const branches = useBranchActions({
    client,
    threadId,
    nodes,
    agents,
    isRunning: running.length > 0,
    onAsked: toEnd,
    onSelect: useCallback(() => position.stay(), [position]),
    onBranch: branch,
    onBranchInto: branchInto,
    onProblem: setProblem,
  });

  const isLoaded = thread !== undefined && !thread.isLoading;
  useEffect(() => {
    if (isLoaded && at !== undefined) void toEvent(at);
  }, [isLoaded, at, toEvent]);
  useFoundWords(elements.column, find);
  const toStart = useCallback(() => void toEvent(1, false), [toEvent]);
  useListKeys({ position, toStart, toEnd });
  const actions = useListActions({ client, agents, threadId, fold, onProblem: setProblem });
  const { send, stop } = useRunActions({ client, threadId, running, enqueue, onSend: toTurn, onProblem: setProblem });
  useStopKey(running.length > 0, stop);
  const commands = useThreadCommands({
    onView: view => open({ section: 'thread', threadId, view }),
    onChanges: showChanges,
    onStop: stop,
    onRename: name =>
      void client.changeThread(threadId, { title: name }).catch((error: Error) => setProblem(error.message)),
    answer: () => newestAnswer(newestList),
    onProblem: setProblem,
  });

  return (
    <FolderContext value={folder}>
      <CommentsContext value={comments}>
        <main className="main">
          <TopBar
            title={title ?? 'Conversation'}
            {...(thread && { usage: thread.usage })}
            tabs={<ViewTabs address={address} open={open} />}
            onMenu={onMenu}
          >
            <ThreadFolder client={client} threadId={threadId} />
            <button type="button" className="quiet-button" title="Changed files (D)" onClick={showChanges}>
              Changes
            </button>
          </TopBar>
          <ConversationHistory
            thread={thread}
            list={list}
            isRunning={running.length > 0}
            queued={queued}
            contexts={{ answer, branches, scope, actions }}
          />
          <div className="foot">
            <LatestButton shown={list.isAway} newRows={list.newRows} onClick={toEnd} />
            <StatusLine waiting={pending} running={running.length > 0} connection={connection} problem={problem} />
            <PinnedTasks tasks={thread?.tasks} />
            <RedoStrip scope={scope} />
            <ThreadComposer
              {...{ client, threadId, agents, commands }}
              usual={usual}
              running={running.length > 0}
              seq={thread?.seq ?? 0}
              onSend={send}
              onBranch={branch}
              onStop={stop}
            >
              {thread && <Meters usage={thread.usage} context={thread.context} agents={agents} />}
            </ThreadComposer>
          </div>
          {showsChanges && <ChangesDialog scope={scope} onClose={() => setShowsChanges(false)} />}
          <CommentDialog />
          {dialog}
        </main>
      </CommentsContext>
    </FolderContext>
  );
}

/** The agent that answered last, and its model. */
function lastAnswer(nodes: PagedList<ViewNode>) {
  const { agentId: agent, model } = nodes.findLast(node => (node.role === 'assistant' ? node : undefined)) ?? {};
  return { agent, model };
}

function newestAnswer(nodes: PagedList<ViewNode>): string {
  const node = nodes.findLast(each => (each.role === 'assistant' && answerIn(each) !== '' ? each : undefined));
  return node === undefined ? '' : answerIn(node);
}

const noNodes = PagedList.of<ViewNode>([]);
const nothingYet = { seq: 0, nodeList: noNodes, newestList: noNodes, running: [], pending: [] };

function useAnswer(client: Client, threadId: string) {
  const [answer] = useState(() => client.answerRelay.bind(client, threadId));
  return answer;
}
