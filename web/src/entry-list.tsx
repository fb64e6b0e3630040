import { memo, type ReactElement } from 'react';
import { noticeOf, type ViewNode, type ViewPart } from '../../src/projections/index.ts';
import type { AgentInfo } from '../../src/protocols/index.ts';
import { Notice, Reasoning, ReplCard, TaskList } from './item-cards.tsx';
import { Prose } from './prose-view.tsx';
import { RelayCard } from './relay-card.tsx';
import { RunFoot } from './run-foot.tsx';
import { ToolCard } from './tool-card.tsx';
import { Bubble, UserMessage } from './user-message.tsx';
import { endWording } from './wording.ts';

interface EntryListProps {
  readonly nodes: readonly ViewNode[];
  readonly agents: readonly AgentInfo[];
  /** The part with the newest task list: the others are hidden. */
  readonly tasksId: string | undefined;
}

/** The conversation from its first message to its newest. */
export function EntryList({ nodes, agents, tasksId }: EntryListProps) {
  return nodes.map(node => {
    const tasks = node.parts.some(part => part.id === tasksId) ? tasksId : undefined;
    // The same key for all versions of a message: the focus stays when another one is shown.
    const key = node.siblings.ids[0];
    if (node.role !== 'assistant') return <MessageBlock key={key} node={node} tasksId={tasks} />;
    const name = agents.find(agent => agent.id === node.agentId)?.name;
    return <RunBlock key={key} node={node} name={name} tasksId={tasks} isMessage />;
  });
}

/** A message of a person, or the events before the first message, with related facts. */
const MessageBlock = memo(function MessageBlock({ node, tasksId }: { node: ViewNode; tasksId: string | undefined }) {
  const said = node.role === 'user' ? node.parts.find(part => part.kind === 'user') : undefined;
  return (
    <>
      {said !== undefined && <UserMessage content={said.content} messageId={node.id} siblings={node.siblings} />}
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
}

/** A run: its agent, its activity, its outcome, and its versions. */
export const RunBlock = memo(function RunBlock({ node, name, tasksId, isMessage = false }: RunBlockProps) {
  const { id, agentId, model, status = 'running', parts, siblings, answers } = node;
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
    if (part.by === undefined) return <Bubble content={part.content} />;
    return <Notice level="info" message={`The agent received the result of the subagent "${part.by}".`} />;
  }
  if (part.kind === 'text' || part.kind === 'reasoning')
    return part.kind === 'text' ? <Prose text={part.text} /> : <Reasoning text={part.text} live={live} />;
  if (part.kind === 'tool') return <ToolCard tool={part} />;
  if (part.kind === 'relay') return <RelayCard relay={part} />;
  if (part.kind === 'repl') return <ReplCard item={part} />;
  if (part.kind === 'run')
    return (
      <>
        {part.runs.map(run => (
          <RunBlock key={run.id} node={run} />
        ))}
      </>
    );
  if (part.event.type === 'tasks') return part.id === tasksId ? <TaskList tasks={part.event.tasks} /> : null;
  const notice = noticeOf(part.event);
  return notice === undefined ? null : <Notice level={notice.level} message={notice.message} />;
});
