import { useEffect, useMemo, useRef, useState } from 'react';
import { type ThreadAddress, writeAddress } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { Branches } from '../conversation/branch-actions.ts';
import { ShownTime } from '../conversation/elapsed.tsx';
import { Folds } from '../conversation/folds.ts';
import { ListActionsContext } from '../conversation/list-actions.ts';
import { RowView } from '../conversation/row-view.tsx';
import { buildRows } from '../conversation/rows.ts';
import type { Moment } from '../history/moments.ts';
import { RelayAnswers } from '../relays/relay-answers.ts';
import { SeenThread } from './seen-thread.ts';

interface SeenRowsProps extends Pick<PageProps, 'agents'> {
  readonly threadId: ThreadAddress['threadId'];
  readonly moment: Moment | undefined;
  readonly isPlaying: boolean;
}

const nothing = new Set<string>();
const mostRows = 60;

/** Nothing that is shown can be changed: it is over. */
const past = {
  edit: () => Promise.reject(new Error('This is a playback. Edit it in the conversation.')),
  retry: () => {},
  select: () => {},
  branchBefore: () => {},
  branchAfter: () => {},
  branchInto: () => {},
  blocked: 'This is a playback',
};
const tooLate = () => Promise.reject(new Error('This is a playback. Answer in the conversation.'));

/** The conversation as a person saw it at a moment, with the rows of the conversation, its end in view. */
export function SeenRows({ agents, threadId, moment, isPlaying }: SeenRowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [seen] = useState(() => new SeenThread());
  const [folds] = useState(() => new Folds());
  const [foldVersion, setFoldVersion] = useState(0);
  const nodes = useMemo(() => moment && seen.getNodes(moment), [moment, seen]);
  const rows = useMemo(() => {
    if (nodes === undefined || moment === undefined) return [];
    // What a run did stays open when it ends: the reader watched it.
    for (const { id, status } of nodes) if (status !== undefined) folds.sawRunning(id);
    const { tasks } = moment;
    const shown = { nodeList: nodes, hidden: nothing, cut: nothing, firstSeq: 1, hasEarlier: false, hasLater: false };
    return buildRows({ ...shown, ...(tasks && { tasks }) }, folds).slice(-mostRows);
  }, [nodes, moment, folds, foldVersion]);
  const actions = useMemo(
    () => ({
      nameOf: (agentId?: string) => agents.find(({ id }) => id === agentId)?.name ?? agentId ?? 'agent',
      fold: (id: string, isOpen: boolean) => {
        folds.set(id, isOpen);
        setFoldVersion(folds.version);
      },
      // It is over.
      stop: () => {},
      linkTo: (seq: number) => location.origin + writeAddress({ section: 'thread', threadId, at: seq }),
    }),
    [agents, folds, threadId],
  );
  useEffect(() => {
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [moment]);
  return (
    <div className="playback-seen" ref={box} role="region" aria-label="Conversation at this moment" tabIndex={0}>
      <div className="column playback-column" aria-live={isPlaying ? 'off' : 'polite'}>
        <RelayAnswers value={tooLate}>
          <Branches value={past}>
            <ListActionsContext value={actions}>
              <ShownTime value={Date.parse(moment?.ts ?? '') || undefined}>
                {rows.map(row => (
                  <RowView key={row.key} row={row} />
                ))}
              </ShownTime>
            </ListActionsContext>
          </Branches>
        </RelayAnswers>
        {moment !== undefined && moment.pending > 0 && <p className="playback-note">Waits for you</p>}
      </div>
    </div>
  );
}
