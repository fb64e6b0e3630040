import { memo, type ReactElement } from 'react';
import { toNotice } from '../../../src/projections/reading/notice.ts';
import type { ViewPart } from '../../../src/projections/reading/view-node.ts';
import { withoutRetry } from '../../../src/projections/presentation/wording.ts';
import { RelayCard } from '../relays/relay-card.tsx';
import { CompactionRow } from './compaction-row.tsx';
import { AnswerText, Notice, Reasoning, ReplCard, TaskList } from './item-cards.tsx';
import { ToolCard } from './tool-card.tsx';
import { Bubble } from './user-message.tsx';

interface PartViewProps {
  readonly part: ViewPart;
  /** Whether it is being written. */
  readonly live: boolean;
}

/** One part of a message. */
export const PartView = memo(function PartView({ part, live }: PartViewProps): ReactElement | null {
  if (part.kind === 'user') {
    if (part.automatic !== true) return <Bubble content={part.content} by={part.by} />;
    return <Notice level="info" message={`The agent received the result of the subagent "${part.by}".`} />;
  }
  if (part.kind === 'text') return <AnswerText text={part.text} live={live} />;
  if (part.kind === 'reasoning') return <Reasoning text={part.text} live={live} />;
  if (part.kind === 'tool') return <ToolCard tool={part} />;
  if (part.kind === 'relay') return <RelayCard relay={part} />;
  if (part.kind === 'repl') return <ReplCard item={part} />;
  if (part.kind === 'run') return null;
  if (part.event.type === 'tasks') return <TaskList tasks={part.event.tasks} />;
  if (part.event.type === 'summary' && part.event.kind === 'compaction')
    return <CompactionRow event={part.event} seq={part.seq} />;
  const notice = toNotice(part.event);
  if (notice === undefined) return null;
  return <Notice level={notice.level} message={live ? notice.message : withoutRetry(notice.message)} />;
});
