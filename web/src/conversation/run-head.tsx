import { memo } from 'react';
import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import { NextIcon } from '../parts/icons.tsx';
import { QuietButton } from '../parts/quiet-button.tsx';
import { useListActions } from './list-actions.ts';
import type { Work } from './work.ts';

interface RunHeadProps {
  readonly node: ViewNode;
  /** Whether another run started it: then it can be folded. */
  readonly isNested: boolean;
  readonly isOpen: boolean;
}

/** The agent of a run and its model; of a nested run also its state, and a switch that folds it. */
export const RunHead = memo(function RunHead({ node, isNested, isOpen }: RunHeadProps) {
  const { id, runId, agentId, model, status = 'running', partList } = node;
  const { nameOf, fold, stop } = useListActions();
  const name = nameOf(agentId);
  const facts = (
    <>
      <strong>{name}</strong>
      {model !== undefined && <span>{model}</span>}
    </>
  );
  if (!isNested) return <p className="run-head">{facts}</p>;
  const steps = `${partList.length} ${partList.length === 1 ? 'part' : 'parts'}`;
  const state = status === 'running' ? 'Running' : status === 'complete' ? 'Done' : 'Ended early';
  return (
    <div className="run-head-row">
      <button
        type="button"
        className="run-head fold"
        aria-expanded={isOpen}
        aria-label={`Run of ${name}, ${state}`}
        onClick={() => fold(id, !isOpen)}
      >
        <NextIcon />
        {facts}
        <span data-state={status}>{isOpen ? state : `${state} · ${steps}`}</span>
      </button>
      {status === 'running' && runId !== undefined && (
        <QuietButton label={`Stop only ${name}`} onClick={() => stop(runId)}>
          Stop
        </QuietButton>
      )}
    </div>
  );
});

interface WorkLineProps {
  readonly messageId: string;
  readonly work: Work;
  readonly isOpen: boolean;
}

/** The steps of a run before its answer, in one line that expands. */
export const WorkLine = memo(function WorkLine({ messageId, work, isOpen }: WorkLineProps) {
  const { fold } = useListActions();
  return (
    <button
      type="button"
      className="run-head fold"
      aria-expanded={isOpen}
      onClick={() => fold(`work of ${messageId}`, !isOpen)}
    >
      <NextIcon />
      <span>{work.summary}</span>
    </button>
  );
});
