import { memo } from 'react';
import type { ToolOutput } from '../../src/events/index.ts';
import type { ToolView } from '../../src/projections/thread-view-tree.ts';
import { RunBlock } from './entry-list.tsx';
import { RelayPanel } from './relay-card.tsx';
import { gist, readable, toolWording } from './wording.ts';

/** A tool call: what was asked, where it stands, what came of it, and the runs it started. */
export const ToolCard = memo(function ToolCard({ tool }: { tool: ToolView }) {
  const { label, tone } = toolWording[tool.status];
  const input = tool.call ? readable(tool.call.input) : tool.inputText;
  const about = tool.call ? gist(tool.call.input) : '';
  const told = tool.output && outputText(tool.output);
  const asks = tool.relay?.status === 'pending';
  return (
    <section className="card" data-tone={tone} aria-label={`Tool ${tool.name}`}>
      <details className="card-details">
        <summary className="card-head">
          <span className="dot" data-tone={tone} />
          <span className="card-name">{tool.name || 'tool'}</span>
          <span className="card-gist">{asks ? '' : about}</span>
          <span className="card-status" data-tone={tone}>
            {label}
          </span>
        </summary>
        <p className="card-caption">Input</p>
        <pre className="card-pre">{input}</pre>
        {told !== undefined && tool.status === 'done' && (
          <>
            <p className="card-caption">Output</p>
            <pre className="card-pre output">{told}</pre>
          </>
        )}
      </details>
      {told !== undefined && tool.status !== 'done' && (
        <p className="card-line" data-tone={tone}>
          {told}
        </p>
      )}
      {tool.status === 'unknown' && (
        <p className="card-line" data-tone={tone}>
          It may have been carried out, or not: nobody saw it end.
        </p>
      )}
      {tool.status === 'running' && tool.progress.length > 0 && (
        <pre className="card-pre progress" aria-label="Progress">
          {tool.progress.slice(-5).map(readable).join('\n')}
        </pre>
      )}
      {tool.relay && <RelayPanel relay={tool.relay} />}
      {tool.runs.length > 0 && (
        <div className="card-runs">
          {tool.runs.map(run => (
            <RunBlock key={run.runId} run={run} />
          ))}
        </div>
      )}
    </section>
  );
});

function outputText(output: ToolOutput): string {
  if ('error' in output) return output.error;
  if ('reason' in output) return output.reason;
  return readable(output.context);
}
