import { Fragment, type ReactNode, useState } from 'react';
import type { Address } from '../app/address.ts';
import { ViewLink } from '../app/view-link.tsx';
import type { ThreadSummary } from '../history/thread-summary.ts';
import { visibleText } from '../code/visible-text.ts';
import { RelayPanel } from '../relays/relay-card.tsx';
import { relayIn } from '../relays/relay-summary.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Compared, isWorking, getName } from './compared.ts';
import { dollars, durationText, shortCount } from '../../../src/projections/presentation/wording.ts';

interface CompareTableProps {
  readonly columns: readonly Compared[];
  readonly open: (address: Address) => void;
  /** Called with the thread whose changes are kept. */
  readonly onKeep: (threadId: string) => void;
}

const rows: readonly (readonly [name: string, show: (summary: ThreadSummary, column: Compared) => ReactNode])[] = [
  ['State', ({ status }, column) => <State status={status} column={column} />],
  ['Model', ({ model = '–' }) => model],
  [
    'Answer',
    ({ answer }) => (
      <p className="compare-answer" tabIndex={0}>
        {answer || '–'}
      </p>
    ),
  ],
  ['Files changed', ({ files }, { worktree }) => <Files files={worktree?.files ?? files} />],
  ['Time', ({ wallMs }) => durationText(wallMs)],
  ['Cost (estimated)', ({ cost }) => (cost === undefined ? '–' : `≈ ${dollars(cost)}`)],
  ['Tokens in / out', ({ inputTokens, outputTokens }) => `${shortCount(inputTokens)} / ${shortCount(outputTokens)}`],
  ['Steps', ({ steps }) => steps.toLocaleString('en')],
  ['Model calls', ({ modelCalls }) => modelCalls.toLocaleString('en')],
  [
    'Tool calls',
    ({ toolCalls, failures }) => `${toolCalls.toLocaleString('en')}${failures > 0 ? ` (${failures} failed)` : ''}`,
  ],
  ['What it did', ({ done }) => <Done done={done} />],
  ['First words after', ({ firstTextMs }) => (firstTextMs === undefined ? '–' : durationText(firstTextMs))],
  ['Model, tools, waiting', summary => <Latency summary={summary} />],
  ['Folder', (summary, { worktree }) => <Folder summary={summary} worktree={worktree} />],
];

/** Threads side by side: their state, cost and changes. */
export function CompareTable({ columns, open, onKeep }: CompareTableProps) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Comparison">
      <table className="compare-table">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            {columns.map(column => (
              <th key={column.threadId} scope="col">
                <ViewLink to={{ section: 'thread', threadId: column.threadId }} open={open}>
                  {getName(column)}
                </ViewLink>
                <span className="compare-links">
                  <ViewLink to={{ section: 'thread', threadId: column.threadId, view: 'runs' }} open={open}>
                    Runs
                  </ViewLink>
                  <ViewLink to={{ section: 'thread', threadId: column.threadId, view: 'graph' }} open={open}>
                    Graph
                  </ViewLink>
                </span>
                <Keep column={column} onKeep={onKeep} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, show]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {columns.map(column => (
                <td key={column.threadId}>
                  {column.problem !== undefined || column.summary === undefined
                    ? name === 'State' && (column.problem ?? 'Loading…')
                    : show(column.summary, column)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The state of a thread, with forms to answer its pending relays. */
function State({ status, column: { waiting = [] } }: { status: string; column: Compared }) {
  if (waiting.length === 0) return <span data-status={status}>{status}</span>;
  return (
    <>
      <span data-status="waiting">waiting for you</span>
      {waiting.map(info => (
        <div key={info.id} className="card" data-tone="ask">
          <RelayPanel
            relay={{ kind: 'relay', id: info.id, relay: relayIn(info), status: 'pending' }}
            agentId={info.agentId}
          />
        </div>
      ))}
    </>
  );
}

/** How the time was spent, as a bar with its numbers. */
function Latency({ summary: { modelMs, toolMs, waitMs } }: { summary: ThreadSummary }) {
  const parts = [
    ['model', modelMs],
    ['tool', toolMs],
    ['person', waitMs],
  ] as const;
  const all = Math.max(1, modelMs + toolMs + waitMs);
  return (
    <>
      <span className="latency" aria-hidden="true">
        {parts.map(([kind, ms]) => (
          <span key={kind} data-kind={kind} style={{ width: `${(ms / all) * 100}%` }} />
        ))}
      </span>
      {parts.map(([kind, ms], index) => (
        <Fragment key={kind}>
          {index > 0 && ' · '}
          {durationText(ms)}
        </Fragment>
      ))}
    </>
  );
}

const mostFiles = 30;

function Keep({ column, onKeep }: { column: Compared; onKeep: (threadId: string) => void }) {
  const { worktree, threadId } = column;
  if (worktree === undefined) return null;
  if (worktree.kept !== undefined && worktree.isClean) return <span className="compare-kept">Kept</span>;
  const isEmpty = worktree.files.length === 0;
  return (
    <button
      type="button"
      className="button primary"
      disabled={isEmpty || isWorking(column)}
      title={isEmpty ? 'It changed no files' : isWorking(column) ? 'It still works' : undefined}
      aria-label={`Keep this one: ${getName(column)}`}
      onClick={() => onKeep(threadId)}
    >
      Keep this one
    </button>
  );
}

function Folder({ summary: { folder }, worktree }: { summary: ThreadSummary } & Pick<Compared, 'worktree'>) {
  const path = worktree?.folder ?? folder?.path;
  if (path === undefined) return 'that of the agent';
  const branch = worktree?.branch ?? folder?.branch;
  return (
    <span className="compare-folder">
      <span>
        <code>{visibleText(path)}</code> <CopyButton text={path} />
      </span>
      {branch !== undefined && (
        <span>
          branch <code>{visibleText(branch)}</code>
        </span>
      )}
      {folder?.note !== undefined && <span className="compare-note">{folder.note}</span>}
    </span>
  );
}

function Files({ files }: { files: readonly { readonly path: string; readonly writes?: number }[] }) {
  if (files.length === 0) return 'none';
  return (
    <ul className="compare-files">
      {files.slice(0, mostFiles).map(({ path, writes = 1 }) => (
        <li key={path}>
          <code>{visibleText(path)}</code>
          {writes > 1 && ` ×${writes}`}
        </li>
      ))}
      {files.length > mostFiles && <li>and {files.length - mostFiles} more</li>}
    </ul>
  );
}

/** The steps of a thread; rendered only while expanded. */
function Done({ done }: Pick<ThreadSummary, 'done'>) {
  const [isOpen, setOpen] = useState(false);
  if (done.length === 0) return '–';
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{done.length === 1 ? '1 step' : `${done.length} steps`}</summary>
      {isOpen && (
        <ol className="compare-done" tabIndex={0}>
          {done.map(({ seq, label, detail, status }) => (
            <li key={seq} data-status={status}>
              <strong>{label}</strong> {detail}
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}
