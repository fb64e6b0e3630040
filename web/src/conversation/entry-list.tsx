import { memo, type ReactElement } from 'react';
import {
  noticeOf,
  type PagedList,
  type ThreadReading,
  type ViewNode,
  type ViewPart,
} from '../../../src/projections/index.ts';
import type { AgentInfo } from '../../../src/protocols/index.ts';
import { EarlierButton } from './earlier-button.tsx';
import { AnswerText, Notice, Reasoning, ReplCard, TaskList } from './item-cards.tsx';
import { MemoryRun } from './memory-run.tsx';
import { RelayCard } from '../relays/relay-card.tsx';
import { RunFoot } from './run-foot.tsx';
import { ToolCard } from './tool-card.tsx';
import { useNewest } from '../parts/use-newest.ts';
import { Bubble, UserMessage } from './user-message.tsx';
import { endWording } from '../parts/wording.ts';

interface EntryListProps {
  readonly nodes: PagedList<ViewNode>;
  readonly agents: readonly AgentInfo[];
  /** The newest task list: the others are hidden. */
  readonly tasks: ThreadReading['tasks'];
  /** Messages of which nothing is loaded, and those of which the beginning is not. */
  readonly hidden: ThreadReading['hidden'];
  readonly cut: ThreadReading['cut'];
  /** Loads earlier messages; undefined when all are loaded. */
  readonly loadEarlier: (() => Promise<void>) | undefined;
}

/** The newest messages of the conversation, and earlier ones on demand. */
export function EntryList({ nodes, agents, tasks, hidden, cut, loadEarlier }: EntryListProps) {
  const { items, before, showEarlier } = useNewest(nodes, 100);
  const shown = items.filter(({ id }) => !hidden.has(id));
  const left = before - (nodes.length - hidden.size > before ? Math.min(hidden.size, before) : 0);
  const showLoaded = async () => {
    await loadEarlier?.();
    showEarlier();
  };
  const blocks = shown.map(node => {
    const tasksId = node.id === tasks?.messageId ? tasks.partId : undefined;
    // The same key for all versions of a message: the focus stays when another one is shown.
    const key = node.siblings.ids[0];
    if (node.role !== 'assistant') return <MessageBlock key={key} node={node} tasksId={tasksId} />;
    const name = agents.find(agent => agent.id === node.agentId)?.name;
    const earlier = cut.has(node.id) ? loadEarlier : undefined;
    return <RunBlock key={key} node={node} name={name} tasksId={tasksId} loadEarlier={earlier} isMessage />;
  });
  return (
    <>
      {left > 0 || loadEarlier === undefined ? (
        <EarlierButton count={left} of="messages" onClick={showEarlier} />
      ) : (
        <EarlierButton count={undefined} of="messages" onClick={showLoaded} />
      )}
      {blocks}
    </>
  );
}

/** A message of a person, or the events before the first message, with related facts. */
const MessageBlock = memo(function MessageBlock({ node, tasksId }: { node: ViewNode; tasksId: string | undefined }) {
  const said = node.role === 'user' ? node.parts.find(part => part.kind === 'user') : undefined;
  return (
    <>
      {said !== undefined && (
        <UserMessage content={said.content} by={said.by} messageId={node.id} siblings={node.siblings} />
      )}
      {node.parts.map(part =>
        part === said ? null : <PartBlock key={part.id} part={part} live={false} tasksId={tasksId} />,
      )}
    </>
  );
});

interface RunBlockProps {
  readonly node: ViewNode;
  readonly name?: string | undefined;
  readonly tasksId?: string | undefined;
  /** Whether it is a message of the conversation, not a run that another one started. */
  readonly isMessage?: boolean;
  /** Loads earlier parts of it; undefined when all are loaded. */
  readonly loadEarlier?: (() => Promise<void>) | undefined;
}

/** A run: its agent, its activity, its outcome, and its versions. */
export const RunBlock = memo(function RunBlock({ node, name, tasksId, isMessage = false, loadEarlier }: RunBlockProps) {
  const { id, agentId, model, status = 'running', partList, siblings, answers } = node;
  const { items: parts, before, showEarlier } = useNewest(partList, 200);
  const running = status === 'running';
  const last = parts.at(-1);
  const end = endWording[status];
  const writes = last?.kind === 'text' || (last?.kind === 'tool' && last.status !== 'done') || last?.kind === 'relay';
  return (
    <section className="run" aria-label={`Run of ${name ?? agentId ?? 'an agent'}`}>
      <p className="run-head">
        <strong>{name ?? agentId ?? 'agent'}</strong>
        {model !== undefined && <span>{model}</span>}
      </p>
      {before > 0 || loadEarlier === undefined ? (
        <EarlierButton count={before} of="steps" onClick={showEarlier} />
      ) : (
        <EarlierButton count={undefined} of="steps" onClick={loadEarlier} />
      )}
      {parts.map(part => (
        <PartBlock key={part.id} part={part} live={running && part === last} tasksId={tasksId} />
      ))}
      {running && !writes && <p className="working" aria-label="Working" />}
      {end !== undefined && <p className="run-end">{end}</p>}
      {isMessage && <RunFoot messageId={id} siblings={siblings} retryable={answers !== undefined && !running} />}
    </section>
  );
});

interface PartBlockProps {
  readonly part: ViewPart;
  readonly live: boolean;
  readonly tasksId: string | undefined;
}

const PartBlock = memo(function PartBlock({ part, live, tasksId }: PartBlockProps): ReactElement | null {
  if (part.kind === 'user') {
    if (part.automatic !== true) return <Bubble content={part.content} by={part.by} />;
    return <Notice level="info" message={`The agent received the result of the subagent "${part.by}".`} />;
  }
  if (part.kind === 'text' || part.kind === 'reasoning')
    return part.kind === 'text' ? (
      <AnswerText text={part.text} live={live} />
    ) : (
      <Reasoning text={part.text} live={live} />
    );
  if (part.kind === 'tool') return <ToolCard tool={part} />;
  if (part.kind === 'relay') return <RelayCard relay={part} />;
  if (part.kind === 'repl') return <ReplCard item={part} />;
  if (part.kind === 'run')
    return (
      <>
        {part.runs.map(run =>
          run.memory === undefined ? <RunBlock key={run.id} node={run} /> : <MemoryRun key={run.id} node={run} />,
        )}
      </>
    );
  if (part.event.type === 'tasks') return part.id === tasksId ? <TaskList tasks={part.event.tasks} /> : null;
  const notice = noticeOf(part.event);
  return notice === undefined ? null : <Notice level={notice.level} message={notice.message} />;
});
