import type { EventOf } from '../../events/index.ts';
import { visibleText } from '../../events/terminal-text.ts';
import { fileDiffOf } from '../../projections/activity/file-diff.ts';
import { diffRows } from '../../terminal/rows/diff-lines.ts';
import { textOfLine } from '../../terminal/screen/styled-line.ts';
import type { CallPlace } from '../../projections/presentation/present-call.ts';
import { type NamedValue, presentRelay } from '../../projections/presentation/present-relay.ts';

/** What a person reads before answering: what would happen, exactly, what cannot be undone, and why. */
export function relayText(relay: EventOf<'relay'>, place: CallPlace = { cwd: process.cwd() }): string {
  const { title, command, changes, patch, fields, plan, options, reason, risks } = presentRelay(relay, place);
  const lines = [
    ...risks.map(risk => `! ${risk}`),
    ...(command === undefined ? [] : commandLines(command)),
    ...diffRows(changes.map(fileDiffOf), { width: 80, most: 1_000, printable: text => text }).map(textOfLine),
    ...[patch, plan].flatMap(text => text?.trimEnd().split('\n') ?? []),
    ...options.map(({ label, description }, at) => `${at + 1}. ${label}${description ? `: ${description}` : ''}`),
    ...fields.flatMap(fieldLines),
    ...(reason === undefined ? [] : [`because: ${reason}`]),
  ];
  if (lines.length === 0 && relay.relayKind === 'permission') lines.push('(no input)');
  return visibleText([`? ${title}`, ...lines.map(line => `  ${line}`)].join('\n'));
}

function commandLines(command: string): string[] {
  return command
    .trimEnd()
    .split('\n')
    .map((line, index) => `${index === 0 ? '$' : '>'} ${line}`);
}

/** A text of several lines is read as it will be used. */
function fieldLines({ name, value }: NamedValue): string[] {
  const [first = '', ...more] = value.trimEnd().split('\n');
  return more.length === 0 ? [`${name}: ${first}`] : [`${name}:`, ...[first, ...more].map(line => `  ${line}`)];
}
