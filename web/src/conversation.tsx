import { useCallback, useEffect, useRef, useState } from 'react';
import type { Client } from '../../src/client/index.ts';
import type { ThreadView } from '../../src/projections/thread-view-tree.ts';
import type { MessageBody } from '../../src/protocols/index.ts';
import { Branches } from './branch-actions.ts';
import { Composer } from './composer.tsx';
import { EntryList } from './entry-list.tsx';
import { GraphView } from './graph-view.tsx';
import { DownIcon } from './icons.tsx';
import type { PageProps } from './page.ts';
import { RelayAnswers } from './relay-answers.ts';
import { StatusLine } from './status-line.tsx';
import { TopBar } from './top-bar.tsx';
import { useBranchActions } from './use-branch-actions.ts';
import { useQueued } from './use-queued.ts';
import { useStickToBottom } from './use-stick-to-bottom.ts';
import { useThreadView } from './use-thread-view.ts';

interface ConversationProps extends PageProps {
  readonly threadId: string;
  readonly title: string | undefined;
}

/** One conversation: what was said and done so far, as it goes on, and the place to write. */
export function Conversation({ client, agents, threadId, title, refresh, onMenu }: ConversationProps) {
  const { view, conversation, connected, failure } = useThreadView(client, threadId);
  const { queued, enqueue } = useQueued(view);
  const [problem, setProblem] = useState<string>();
  const { element, away, onScroll, toBottom, stay } = useStickToBottom(view, queued.length);
  const graph = useGraphToggle();
  const answer = useAnswer(client, threadId);
  const branches = useBranchActions({
    client,
    threadId,
    view,
    agents,
    onAsked: toBottom,
    onSelect: stay,
    onProblem: setProblem,
  });
  const running = view.running.length;

  useEffect(refresh, [running, refresh]);

  const send = async (message: MessageBody) => {
    const { steered } = await client.sendMessage(threadId, message);
    if (steered) enqueue(message);
    setProblem(undefined);
    toBottom();
  };
  const stop = () => {
    const stopping = view.running.map(run => client.abortRun(run.runId));
    Promise.all(stopping).catch((error: Error) => setProblem(error.message));
  };

  return (
    <main className="main">
      <TopBar title={title ?? 'Conversation'} usage={view.usage} graph={graph} onMenu={onMenu} />
      <div className="scroll" data-shown={!graph.shown} ref={element} onScroll={onScroll}>
        <div className="column" role="log" aria-label="Conversation" aria-busy={running > 0}>
          <RelayAnswers value={answer}>
            <Branches value={branches}>
              <EntryList entries={view.entries} agents={agents} />
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
      {graph.shown && <GraphView conversation={conversation} onClose={graph.onClose} />}
      <div className="foot">
        <button
          type="button"
          className="to-bottom"
          data-shown={away && !graph.shown}
          aria-label="Go to the newest"
          onClick={toBottom}
        >
          <DownIcon />
        </button>
        <StatusLine view={view} connected={connected || failure !== undefined} problem={problem} />
        <Composer agents={agents} usual={lastAgent(view)} running={running > 0} onSend={send} onStop={stop} />
      </div>
    </main>
  );
}

/** The agent that answered last. */
function lastAgent({ entries }: ThreadView): string | undefined {
  const entry = entries.findLast(each => each.kind === 'run');
  return entry?.kind === 'run' ? entry.run.agentId : undefined;
}

function useAnswer(client: Client, threadId: string) {
  const [answer] = useState(() => client.answerRelay.bind(client, threadId));
  return answer;
}

/** Whether the drawing takes the place of the thread, which stays as it is behind it. */
function useGraphToggle() {
  const [shown, setShown] = useState(false);
  const ref = useRef<HTMLButtonElement>(null);
  const onToggle = () => setShown(!shown);
  const onClose = useCallback(() => {
    if (document.activeElement?.closest('.graph')) ref.current?.focus();
    setShown(false);
  }, []);
  return { shown, ref, onToggle, onClose };
}
