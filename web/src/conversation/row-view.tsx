import { createContext, memo, useContext } from 'react';
import { presentEnd } from '../../../src/projections/presentation/wording.ts';
import { MemoryRun } from './memory-run.tsx';
import { PartView } from './part-view.tsx';
import type { Row } from './rows.ts';
import { RunFoot } from './run-foot.tsx';
import { RunHead, WorkLine } from './run-head.tsx';
import { UserMessage } from './user-message.tsx';

/** The row that an address points at, by its key. */
export const TargetRow = createContext<string | undefined>(undefined);

/** One row of the conversation. */
export const RowView = memo(function RowView({ row }: { row: Row }) {
  const isTarget = useContext(TargetRow) === row.key;
  return (
    <div
      className="row"
      data-kind={row.kind}
      data-depth={Math.min(row.depth, 4)}
      data-seq={row.seq}
      data-target={isTarget}
    >
      <RowContent row={row} />
    </div>
  );
});

function RowContent({ row }: { row: Row }) {
  switch (row.kind) {
    case 'edge':
      return row.isLoading ? <p className="edge-note">Loading…</p> : null;
    case 'user': {
      const { content, by, ts } = row.part;
      return (
        <UserMessage
          content={content}
          by={by}
          at={ts}
          messageId={row.node.id}
          siblings={row.node.siblings}
          seq={row.seq}
        />
      );
    }
    case 'head':
      return <RunHead node={row.node} isNested={row.depth > 0} isOpen={row.isOpen} />;
    case 'work':
      return <WorkLine messageId={row.node.id} work={row.work} isOpen={row.isOpen} />;
    case 'part':
      return <PartView part={row.part} live={row.isLive} />;
    case 'memory':
      return <MemoryRun node={row.node} />;
    default:
      return <RunEnd row={row} />;
  }
}

function RunEnd({ row: { node, isWorking, depth, seq } }: { row: Row & { kind: 'end' } }) {
  const end = presentEnd(node.status);
  return (
    <>
      {isWorking && (
        <p className="working">
          <span className="unseen">Working</span>
        </p>
      )}
      {end !== undefined && <p className="run-end">{end}</p>}
      {depth === 0 && <RunFoot node={node} seq={node.partList.at(0)?.seq ?? seq} />}
    </>
  );
}
