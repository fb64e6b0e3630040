import type { Context } from 'react';
import { ThreadScopeContext } from '../changes/thread-scope.ts';
import { RelayAnswers } from '../relays/relay-answers.ts';
import { Branches } from './branch-actions.ts';
import { EntryList } from './entry-list.tsx';
import { ListActionsContext } from './list-actions.ts';
import { TargetRow } from './row-view.tsx';
import { ThreadState } from './thread-state.tsx';
import type { useQueued } from './use-queued.ts';
import type { useReadingList } from './use-reading-list.ts';
import type { useThread } from './use-thread.ts';

interface ConversationHistoryProps {
  readonly thread: ReturnType<typeof useThread>['thread'];
  readonly list: ReturnType<typeof useReadingList>;
  readonly isRunning: boolean;
  readonly queued: ReturnType<typeof useQueued>['queued'];
  /** The actions and the data that the rows read from context. */
  readonly contexts: {
    readonly answer: Given<typeof RelayAnswers>;
    readonly branches: Given<typeof Branches>;
    readonly scope: Given<typeof ThreadScopeContext>;
    readonly actions: Given<typeof ListActionsContext>;
  };
}

type Given<Of> = Of extends Context<infer Value> ? Value : never;

/** The rows of a conversation, what was sent and not read yet, and the place of the reader. */
export function ConversationHistory({ thread, list, isRunning, queued, contexts }: ConversationHistoryProps) {
  const { rows, elements, target } = list;
  const { answer, branches, scope, actions } = contexts;
  return (
    <section className="scroll" aria-label="History" tabIndex={0} ref={elements.scroll}>
      <div
        className="column"
        role="log"
        aria-label="Conversation"
        aria-live="off"
        aria-busy={isRunning}
        ref={elements.column}
      >
        <ThreadState thread={thread} />
        <RelayAnswers value={answer}>
          <Branches value={branches}>
            <ThreadScopeContext value={scope}>
              <ListActionsContext value={actions}>
                <TargetRow value={target}>
                  <EntryList rows={rows} scroll={elements.scroll} ref={elements.list} />
                </TargetRow>
              </ListActionsContext>
            </ThreadScopeContext>
          </Branches>
        </RelayAnswers>
        {queued.map(({ key, text }) => (
          <p key={key} className="bubble queued">
            {text}
            <span className="queued-note">Will be read at the next step</span>
          </p>
        ))}
        <div className="turn-room" ref={elements.spacer} />
      </div>
    </section>
  );
}
