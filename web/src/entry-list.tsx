import { memo, type ReactElement } from 'react';
import type { Entry, ItemView, RunView } from '../../src/projections/thread-view-tree.ts';
import type { AgentInfo } from '../../src/protocols/index.ts';
import { Notice, Reasoning, ReplCard, TaskList } from './item-cards.tsx';
import { Prose } from './prose-view.tsx';
import { RelayCard } from './relay-card.tsx';
import { ToolCard } from './tool-card.tsx';
import { UserMessage } from './user-message.tsx';
import { endWording } from './wording.ts';

/** The conversation from its first message to its newest. */
export function EntryList({ entries, agents }: { entries: readonly Entry[]; agents: readonly AgentInfo[] }) {
  return entries.map(entry =>
    entry.kind === 'run' ? (
      <RunBlock key={entry.seq} run={entry.run} name={agents.find(agent => agent.id === entry.run.agentId)?.name} />
    ) : (
      <ItemBlock key={entry.seq} item={entry} live={false} />
    ),
  );
}

/** A run: who runs, what it did, and how it ended. */
export const RunBlock = memo(function RunBlock({ run, name }: { run: RunView; name?: string | undefined }) {
  const running = run.status === 'running';
  const last = run.items.at(-1);
  const end = endWording[run.status];
  const writes = last?.kind === 'text' || (last?.kind === 'tool' && last.status !== 'done') || last?.kind === 'relay';
  return (
    <section className="run" aria-label={`Run of ${name ?? run.agentId ?? 'an agent'}`}>
      <p className="run-head">
        <strong>{name ?? run.agentId ?? 'agent'}</strong>
        {run.model !== undefined && <span>{run.model}</span>}
      </p>
      {run.items.map(item => (
        <ItemBlock key={item.seq} item={item} live={running && item === last} />
      ))}
      {running && !writes && <p className="working" aria-label="Working" />}
      {end !== undefined && <p className="run-end">{end}</p>}
    </section>
  );
});

const ItemBlock = memo(function ItemBlock({ item, live }: { item: ItemView; live: boolean }): ReactElement {
  if (item.kind === 'user') return <UserMessage content={item.content} />;
  if (item.kind === 'text') return <Prose text={item.content} />;
  if (item.kind === 'reasoning') return <Reasoning text={item.content} live={live} />;
  if (item.kind === 'tool') return <ToolCard tool={item} />;
  if (item.kind === 'relay') return <RelayCard relay={item} />;
  if (item.kind === 'repl') return <ReplCard item={item} />;
  if (item.kind === 'tasks') return <TaskList tasks={item.tasks} />;
  return <Notice level={item.level} message={item.message} />;
});
