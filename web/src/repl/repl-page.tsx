import '../styles/repl.css';
import { memo } from 'react';
import type { ReplEntry } from '../../../src/projections/project-repl.ts';
import type { ThreadViewProps } from '../app/thread-view-page.tsx';
import { HistoryNotice, HistoryState } from '../history/history-state.tsx';
import type { ReplRun } from '../history/repl-session.ts';
import { useAnswer, useHistory } from '../history/use-history.ts';
import { dollars, durationText, shortCount } from '../../../src/projections/presentation/wording.ts';

/** The runs of recursive language models: who started whom and at what cost, the code and what it printed. */
export function ReplPage({ address }: ThreadViewProps) {
  const state = useHistory(address.threadId);
  const session = useAnswer(state, 'repl', null);
  const isEmpty = session === undefined || session.entries.length === 0;
  return (
    <div className="scroll">
      <div className="view-column repl">
        <HistoryNotice status={state.status} />
        <HistoryState status={state.status} isEmpty={isEmpty} empty="No code was executed in this conversation." />
        {session && !isEmpty && (
          <>
            <h2>Runs</h2>
            <RunTree runs={session.runs} />
            <h2>Executions</h2>
            <ol className="repl-entries" aria-label="Executions">
              {session.entries.map((entry, index) => (
                <Execution key={entry.id} entry={entry} number={index + 1} />
              ))}
            </ol>
          </>
        )}
      </div>
    </div>
  );
}

function RunTree({ runs }: { runs: readonly ReplRun[] }) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Runs and their cost">
      <table className="numbers">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Executions</th>
            <th scope="col">Tokens</th>
            <th scope="col">
              Cost <span className="estimate">(estimated)</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ runId, agentId, model, depth, status, executions, tokens, cost, answer }) => (
            <tr key={runId}>
              <th scope="row" title={answer}>
                <span className="repl-depth" data-depth={Math.min(depth, 6)}>
                  {depth > 0 && '↳ '}
                  {agentId} {model !== undefined && <span className="view-note">{model}</span>}
                </span>
              </th>
              <td>{status}</td>
              <td>{executions}</td>
              <td>{shortCount(tokens)}</td>
              <td>{cost === undefined ? '–' : `≈ ${dollars(cost)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const stateText: Record<ReplEntry['state'], string> = {
  running: 'running',
  done: '',
  failed: 'failed',
  final: 'gave the answer',
};

const Execution = memo(function Execution({ entry, number }: { entry: ReplEntry; number: number }) {
  const { code, stdout, stderr, state, error, durationMs, truncated, depth, answers } = entry;
  return (
    <li className="repl-entry" data-state={state} data-depth={Math.min(depth, 6)}>
      <p className="repl-head">
        <strong>In [{number}]</strong>
        {depth > 0 && <span>depth {depth}</span>}
        {durationMs !== undefined && <span>{durationText(durationMs)}</span>}
        {stateText[state] !== '' && <span className="repl-state">{stateText[state]}</span>}
      </p>
      <pre className="repl-code" tabIndex={0}>
        {code}
      </pre>
      {answers.map((answer, index) => (
        <blockquote key={index} className="repl-answer">
          {answer}
        </blockquote>
      ))}
      {(stdout !== '' || stderr !== '' || error !== undefined) && (
        <pre className="repl-output" tabIndex={0}>
          {stdout}
          {stderr !== '' && <span className="repl-error">{stderr}</span>}
          {error !== undefined && <span className="repl-error">{error}</span>}
          {truncated === true && '\n… (cut)'}
        </pre>
      )}
    </li>
  );
});
