import { memo, type ReactNode, use, useMemo, useState } from 'react';
import type { FileChange } from '../../../src/projections/activity/diff-changes.ts';
import type { ToolPart } from '../../../src/projections/reading/view-node.ts';
import { progressText } from '../../../src/projections/reading/thread-tool.ts';
import { LongText } from '../code/long-text.tsx';
import { countLines } from '../../../src/projections/presentation/shortened-text.ts';
import { visibleText } from '../code/visible-text.ts';
import { DiffCounts, DiffView } from '../diff/diff-view.tsx';
import { getSize, useFileDiffs } from '../diff/use-file-diffs.ts';
import { FolderContext } from '../parts/folder-path.ts';
import { readable, sizeText, timeBetween, toolWording } from '../../../src/projections/presentation/wording.ts';
import { RelayCard, RelayPanel } from '../relays/relay-card.tsx';
import {
  isAskedAlone,
  isShownAsCall,
  presentCall,
  presentChanges,
} from '../../../src/projections/presentation/present-call.ts';
import { Elapsed } from './elapsed.tsx';
import { type OutputView, outputView } from '../../../src/projections/presentation/call-output.ts';

const limits = { headLines: 12, tailLines: 8, chars: 20_000 };
const inputLimits = { headLines: 30, tailLines: 10, chars: 20_000 };
/** Larger changes are counted only when they are opened. */
const mostCounted = 200_000;

/** A tool call: one line about it, and behind that its input, changes and output, and its relays. */
export const ToolCard = memo(function ToolCard({ tool }: { tool: ToolPart }) {
  const [isOpen, setOpen] = useState(false);
  const { kind, verb, object, command, exitCode } = presentCall(tool, { cwd: use(FolderContext) });
  const isOwn = kind === 'question' || kind === 'plan' || kind === 'tasks';
  const hasFailed = tool.status === 'done' && exitCode !== undefined && exitCode !== 0;
  const { label, tone } = hasFailed
    ? ({ label: `Exit code ${exitCode}`, tone: 'bad' } as const)
    : toolWording[tool.status];
  const changes = useMemo(
    () => ('input' in tool ? presentChanges(tool) : []),
    // The other parts of a call say nothing about its changes.
    // oxlint-disable-next-line exhaustive-deps
    [tool.name, tool.input, tool.output, tool.relays],
  );
  const output = useMemo(() => tool.output && outputView(tool.output), [tool.output]);
  const permission = tool.relays.findLast(relay => !isAskedAlone(relay));
  const isProblem = output !== undefined && (tool.status !== 'done' || hasFailed);
  return (
    <>
      {isShownAsCall(tool) && (
        <section className="card" data-tone={tone} aria-label={isOwn ? `${verb} ${object}` : `Tool ${tool.name}`}>
          <details className="card-details" onToggle={event => setOpen(event.currentTarget.open)}>
            <summary className="card-head">
              <span className="dot" data-tone={tone} />
              <span className="card-name" title={isOwn ? undefined : tool.name}>
                {verb}
              </span>
              <span className="card-gist" title={object}>
                {permission?.status === 'pending' ? '' : visibleText(object)}
              </span>
              <CardFacts tool={tool} changes={changes} output={output} />
              <span className={tone === 'good' ? 'unseen' : 'card-status'} data-tone={tone}>
                {label}
              </span>
            </summary>
            {isOpen && (
              <div className="card-body">
                {changes.length > 0 ? <DiffView changes={changes} /> : <CallInput tool={tool} command={command} />}
                {output !== undefined && !isProblem && <CallOutput output={output} />}
              </div>
            )}
          </details>
          {isProblem && (
            <div className="card-problem" data-tone={tone}>
              <LongText text={output.text} limits={limits} className="card-line" />
            </div>
          )}
          {tool.status === 'unknown' && (
            <p className="card-line" data-tone={tone}>
              It may have been carried out, or not: nobody saw it end.
            </p>
          )}
          {tool.status === 'running' && <Progress progress={tool.progress} />}
          {permission && <RelayPanel relay={permission} />}
        </section>
      )}
      {tool.relays.filter(isAskedAlone).map(relay => (
        <RelayCard key={relay.id} relay={relay} />
      ))}
    </>
  );
});

interface CardFactsProps {
  readonly tool: ToolPart;
  readonly changes: readonly FileChange[];
  readonly output: OutputView | undefined;
}

/** The sizes and the time of a call. */
function CardFacts({ tool: { status, startedAt, endedAt }, changes, output }: CardFactsProps) {
  const diffs = useFileDiffs(changes, changes.length > 0 && getSize(changes) <= mostCounted);
  const isKnown = diffs?.some(diff => !diff.isUnknown) === true;
  const size = output === undefined || changes.length > 0 ? '' : sizeText(output.text, countLines(output.text));
  const time = timeBetween(startedAt, endedAt);
  return (
    <span className="card-facts">
      {isKnown && (
        <DiffCounts
          added={diffs.reduce((sum, { added }) => sum + added, 0)}
          removed={diffs.reduce((sum, { removed }) => sum + removed, 0)}
        />
      )}
      {size !== '' && status === 'done' && <span>{size}</span>}
      {time !== '' && <span>{time}</span>}
      {status === 'running' && startedAt !== undefined && <Elapsed since={startedAt} />}
    </span>
  );
}

/** The input of a call: a command as a person would type it, anything else as it is. */
function CallInput({ tool, command }: { tool: ToolPart; command: string | undefined }) {
  const isCommand = command !== undefined;
  const input = isCommand ? command : 'input' in tool ? readable(tool.input) : tool.inputText;
  return (
    <>
      {!isCommand && <p className="card-caption">Input</p>}
      <div data-kind={isCommand ? 'command' : undefined}>
        <LongText text={input} limits={inputLimits} className="card-pre" label="Input" />
      </div>
    </>
  );
}

function CallOutput({ output: { text, images } }: { output: OutputView }): ReactNode {
  return (
    <>
      <p className="card-caption">Output</p>
      {text !== '' && <LongText text={text} limits={limits} className="card-pre output" label="Output" />}
      {images.map(({ mediaType, data }, index) => (
        // Images have no other identity, and an output never changes.
        // oxlint-disable-next-line no-array-index-key
        <img key={index} className="card-image" src={`data:${mediaType};base64,${data}`} alt="In the output" />
      ))}
    </>
  );
}

/** The latest progress of a running call; text progress is the end of the output. */
function Progress({ progress }: { progress: readonly unknown[] }) {
  if (progress.length === 0) return null;
  const text = progressText(progress) || progress.slice(-5).map(readable).join('\n');
  return (
    <pre className="card-pre progress" aria-label="Progress">
      {visibleText(text.split('\n').slice(-12).join('\n'))}
    </pre>
  );
}
