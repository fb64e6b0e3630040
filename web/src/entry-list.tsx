import { memo, type ReactElement } from 'react';
import type { BranchEntry, Siblings } from '../../src/projections/branch-view.ts';
import type { ItemView, RunView } from '../../src/projections/thread-view-tree.ts';
import type { AgentInfo } from '../../src/protocols/index.ts';
import { Notice, Reasoning, ReplCard, TaskList } from './item-cards.tsx';
import { Prose } from './prose-view.tsx';
import { RelayCard } from './relay-card.tsx';
import { RunFoot } from './run-foot.tsx';
import { ToolCard } from './tool-card.tsx';
import { Bubble, UserMessage } from './user-message.tsx';
import { endWording } from './wording.ts';

/** The conversation from its first message to its newest. */
export function EntryList({ entries, agents }: { entries: readonly BranchEntry[]; agents: readonly AgentInfo[] }) {
  return entries.map(entry => {
    const key = keyOf(entry);
    if (entry.kind === 'run') {
      const { run, messageId, siblings, answers } = entry;
      const name = agents.find(agent => agent.id === run.agentId)?.name;
      const place = { messageId, siblings, retryable: answers !== undefined };
      return <RunBlock key={key} run={run} name={name} {...place} />;
    }
    if (entry.kind === 'user' && entry.messageId !== undefined) {
      const { content, messageId, siblings } = entry;
      return <UserMessage key={key} content={content} messageId={messageId} siblings={siblings} />;
    }
    return <ItemBlock key={key} item={entry} live={false} />;
  });
}

/** The same for all versions of a message: what has the focus keeps it when another one is shown. */
function keyOf(entry: BranchEntry): string | number {
  if (entry.kind !== 'user' && entry.kind !== 'run') return entry.seq;
  return entry.siblings?.ids[0] ?? entry.messageId ?? entry.seq;
}

interface RunBlockProps {
  readonly run: RunView;
  readonly name?: string | undefined;
  /** The message it is; absent when another run started it. */
  readonly messageId?: string | undefined;
  readonly siblings?: Siblings | undefined;
  readonly retryable?: boolean;
}

/** A run: who runs, what it did, how it ended, and its versions. */
export const RunBlock = memo(function RunBlock({ run, name, messageId, siblings, retryable = false }: RunBlockProps) {
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
      {messageId !== undefined && (
        <RunFoot messageId={messageId} siblings={siblings} retryable={retryable && !running} />
      )}
    </section>
  );
});

const ItemBlock = memo(function ItemBlock({ item, live }: { item: ItemView; live: boolean }): ReactElement {
  if (item.kind === 'user') return <Bubble content={item.content} />;
  if (item.kind === 'text') return <Prose text={item.content} />;
  if (item.kind === 'reasoning') return <Reasoning text={item.content} live={live} />;
  if (item.kind === 'tool') return <ToolCard tool={item} />;
  if (item.kind === 'relay') return <RelayCard relay={item} />;
  if (item.kind === 'repl') return <ReplCard item={item} />;
  if (item.kind === 'tasks') return <TaskList tasks={item.tasks} />;
  return <Notice level={item.level} message={item.message} />;
});
