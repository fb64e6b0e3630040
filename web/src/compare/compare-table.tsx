import { Fragment, type ReactNode } from 'react';
import type { Address } from '../app/address.ts';
import { ViewLink } from '../app/view-link.tsx';
import type { ThreadSummary } from '../history/thread-summary.ts';
import { durationText } from '../parts/time-wording.ts';
import { dollars, shortCount } from '../parts/wording.ts';

/** One column: a thread, and what it came to once that is known. */
export interface Compared {
  readonly threadId: string;
  readonly summary: ThreadSummary | undefined;
  readonly problem: string | undefined;
}

interface CompareTableProps {
  readonly columns: readonly Compared[];
  readonly open: (address: Address) => void;
}

const rows: readonly (readonly [name: string, show: (summary: ThreadSummary) => ReactNode])[] = [
  ['State', ({ status }) => <span data-status={status}>{status}</span>],
  ['Model', ({ model = '–' }) => model],
  ['Time', ({ wallMs }) => durationText(wallMs)],
  ['First words after', ({ firstTextMs }) => (firstTextMs === undefined ? '–' : durationText(firstTextMs))],
  ['Model, tools, waiting', summary => <Latency summary={summary} />],
  ['Steps', ({ steps }) => steps.toLocaleString('en')],
  ['Model calls', ({ modelCalls }) => modelCalls.toLocaleString('en')],
  [
    'Tool calls',
    ({ toolCalls, failures }) => `${toolCalls.toLocaleString('en')}${failures > 0 ? ` (${failures} failed)` : ''}`,
  ],
  ['Tokens in / out', ({ inputTokens, outputTokens }) => `${shortCount(inputTokens)} / ${shortCount(outputTokens)}`],
  ['Cost (estimated)', ({ cost }) => (cost === undefined ? '–' : `≈ ${dollars(cost)}`)],
  ['Files changed', ({ files }) => <Files files={files} />],
  ['What it did', ({ done }) => <Done done={done} />],
  [
    'Answer',
    ({ answer }) => (
      <p className="compare-answer" tabIndex={0}>
        {answer || '–'}
      </p>
    ),
  ],
];

/** Threads side by side: their state, what they took and what they changed. */
export function CompareTable({ columns, open }: CompareTableProps) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Comparison">
      <table className="compare-table">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            {columns.map(({ threadId, summary }) => (
              <th key={threadId} scope="col">
                <ViewLink to={{ section: 'thread', threadId }} open={open}>
                  {summary?.agentId || 'Conversation'}
                </ViewLink>
                <span className="compare-links">
                  <ViewLink to={{ section: 'thread', threadId, view: 'runs' }} open={open}>
                    Runs
                  </ViewLink>
                  <ViewLink to={{ section: 'thread', threadId, view: 'graph' }} open={open}>
                    Graph
                  </ViewLink>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, show]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {columns.map(({ threadId, summary, problem }) => (
                <td key={threadId}>
                  {problem !== undefined || summary === undefined
                    ? name === 'State' && (problem ?? 'Loading…')
                    : show(summary)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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

function Files({ files }: Pick<ThreadSummary, 'files'>) {
  if (files.length === 0) return 'none';
  return (
    <ul className="compare-files">
      {files.slice(0, mostFiles).map(({ path, writes }) => (
        <li key={path}>
          <code>{path}</code>
          {writes > 1 && ` ×${writes}`}
        </li>
      ))}
      {files.length > mostFiles && <li>and {files.length - mostFiles} more</li>}
    </ul>
  );
}

function Done({ done }: Pick<ThreadSummary, 'done'>) {
  if (done.length === 0) return '–';
  return (
    <details>
      <summary>{done.length} steps</summary>
      <ol className="compare-done" tabIndex={0}>
        {done.map(({ seq, label, detail, status }) => (
          <li key={seq} data-status={status}>
            <strong>{label}</strong> {detail}
          </li>
        ))}
      </ol>
    </details>
  );
}
