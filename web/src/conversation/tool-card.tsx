import { memo } from 'react';
import type { ToolOutput } from '../../../src/events/index.ts';
import type { RelayPart, ToolPart } from '../../../src/projections/index.ts';
import { RelayCard, RelayPanel } from '../relays/relay-card.tsx';
import { gist, readable, toolWording } from '../parts/wording.ts';

/** A tool call: its input, its status, its outcome and its relays; the runs it started are rows of their own. */
export const ToolCard = memo(function ToolCard({ tool }: { tool: ToolPart }) {
  const { label, tone } = toolWording[tool.status];
  const input = 'input' in tool ? readable(tool.input) : tool.inputText;
  const about = 'input' in tool ? gist(tool.input) : '';
  const output = tool.output && outputText(tool.output);
  const permission = tool.relays.findLast(relay => !isAlone(relay));
  const asks = permission?.status === 'pending';
  const card = (
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
        {output !== undefined && tool.status === 'done' && (
          <>
            <p className="card-caption">Output</p>
            <pre className="card-pre output">{output}</pre>
          </>
        )}
      </details>
      {output !== undefined && tool.status !== 'done' && (
        <p className="card-line" data-tone={tone}>
          {output}
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
      {permission && <RelayPanel relay={permission} />}
    </section>
  );
  return (
    <>
      {card}
      {tool.relays.filter(isAlone).map(relay => (
        <RelayCard key={relay.id} relay={relay} />
      ))}
    </>
  );
});

/** Whether the relay is not about the call itself. */
function isAlone({ relay: { relayKind } }: RelayPart): boolean {
  return relayKind === 'question' || relayKind === 'plan';
}

function outputText(output: ToolOutput): string {
  if ('error' in output) return output.error;
  if ('reason' in output) return output.reason;
  return readable(output.context);
}
