import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import { Prose } from '../markdown/prose-view.tsx';

const wording = {
  observation: { running: 'Noting what was said…', complete: 'Noted what was said', failed: 'Noted nothing' },
  reflection: { running: 'Condensing the notes…', complete: 'Condensed the notes', failed: 'Condensed no notes' },
  title: { running: 'Finding a title…', complete: 'Found a title', failed: 'Found no title' },
} as const;

/** An observer or a reflector: one line, with what it made or why it failed behind it. */
export function MemoryRun({ node: { memory = 'observation', status = 'running', parts } }: { node: ViewNode }) {
  const isRunning = status === 'running';
  const made = parts.flatMap(part => {
    if (part.kind !== 'fact') return [];
    const { event } = part;
    return event.type === 'summary' ? [event.text] : event.type === 'error' ? [event.message] : [];
  });
  return (
    <details className="reasoning">
      <summary data-live={isRunning}>
        {wording[memory][isRunning ? 'running' : status === 'complete' ? 'complete' : 'failed']}
      </summary>
      <Prose text={made.join('\n')} />
    </details>
  );
}
