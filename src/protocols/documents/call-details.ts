import { listFileChanges } from '../../projections/activity/file-changes.ts';
import { type FileDiff, buildFileDiff } from '../../projections/activity/file-diff.ts';
import { type OutputImage, outputView } from '../../projections/presentation/call-output.ts';
import { presentCall } from '../../projections/presentation/present-call.ts';
import { shortenedText } from '../../projections/presentation/shortened-text.ts';
import { readable, timeBetween, type Tone, toolWording } from '../../projections/presentation/wording.ts';
import type { ToolPart } from '../../projections/reading/view-node.ts';

/** A call as a document shows it. */
export interface CallDetails {
  readonly verb: string;
  readonly object: string;
  /** Additional facts for its line, such as its outcome and duration. */
  readonly facts: readonly string[];
  readonly tone: Tone;
  /** The files that it changed; empty when it changed none. */
  readonly diffs: readonly FileDiff[];
  /** Its input, unless the line or the diffs have all of it. */
  readonly input: string;
  readonly output: string;
  readonly images: readonly OutputImage[];
}

/** Returns the details of a call for a document. */
export function describeCall(tool: ToolPart): CallDetails {
  const { verb, object, command, exitCode } = presentCall(tool);
  const { label, tone } = toolWording[tool.status];
  const hasFailed = tool.status === 'done' && exitCode !== undefined && exitCode !== 0;
  const diffs = listFileChanges(tool).map(buildFileDiff);
  const [added, removed] = [sum(diffs, 'added'), sum(diffs, 'removed')];
  const facts = [
    tool.status === 'done' ? '' : label.toLowerCase(),
    hasFailed ? `exit code ${exitCode}` : '',
    added + removed > 0 ? `+${added} −${removed}` : '',
    timeBetween(tool.startedAt, tool.endedAt),
  ];
  const { text, images } = tool.output === undefined ? { text: '', images: [] } : outputView(tool.output);
  const input = 'input' in tool ? readable(tool.input) : tool.inputText;
  return {
    verb,
    object,
    facts: facts.filter(fact => fact !== ''),
    tone: hasFailed ? 'bad' : tone,
    diffs,
    input: diffs.length > 0 || isWholeInput(tool.input, command ?? object) ? '' : input,
    // The content of a changed file is in its diff.
    output: diffs.length > 0 && tool.status === 'done' ? '' : text,
    images,
  };
}

function sum(diffs: readonly FileDiff[], count: 'added' | 'removed'): number {
  return diffs.reduce((total, diff) => total + diff[count], 0);
}

/** Whether a call has no argument but the one in the line about it. */
function isWholeInput(input: unknown, object: string): boolean {
  if (typeof input !== 'object' || input === null) return input === object;
  const [value, ...others] = Object.values(input);
  return others.length === 0 && (value === undefined || object === value || object.endsWith(` ${String(value)}`));
}

/** Returns a text whose middle is replaced by a line that states how much is omitted. */
export function shorten(text: string, headLines: number, tailLines: number): string {
  const trimmed = text.replace(/\n+$/, '');
  const short = shortenedText(trimmed, { headLines, tailLines, chars: 400 * (headLines + tailLines) });
  if (short === undefined) return trimmed;
  const { head, tail, hidden, unit } = short;
  return `${head.replace(/\n$/, '')}\n… ${hidden.toLocaleString('en')} more ${unit} …\n${tail}`;
}
