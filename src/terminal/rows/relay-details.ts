import type { EventOf } from '../../events/vocabulary.ts';
import { visibleText } from '../../base/terminal-text.ts';
import { type CallPlace, oneLine } from '../../projections/presentation/present-call.ts';
import { type NamedValue, presentRelay } from '../../projections/presentation/present-relay.ts';
import { lead, type Line, span } from '../screen/styled-line.ts';
import { changeDiffs, diffRows } from './diff-lines.ts';
import { markdown } from './fact-lines.ts';

export interface RelayDetailsOptions {
  readonly width: number;
  /** The most lines that are drawn of changes. */
  readonly mostDiff: number;
  /** How a person sees the others. */
  readonly hint?: string | undefined;
  /** The agent that asks, and the folder it works in. */
  readonly place: CallPlace;
  /** The option that a key would choose, and those that are chosen. */
  readonly marked?: number | undefined;
  readonly chosen?: ReadonlySet<number>;
  /** A text that is appended to the line about irreversible effects. */
  readonly habit?: string;
}

/** Draws what a person reads before answering, below its title: what cannot be undone, what would happen exactly, and why. */
export function relayDetails(relay: EventOf<'relay'>, options: RelayDetailsOptions): Line[] {
  const { width, mostDiff, hint, place, marked, chosen, habit = '' } = options;
  const presented = presentRelay(relay, place);
  const { command, changes, patch, fields, plan, isMultiple, reason, risks } = presented;
  const shell = command === undefined ? [] : textLines(command);
  const diffs = changes.length === 0 ? [] : changeDiffs(() => changes, relay);
  const lines: Line[] = [
    ...shell.map((line, at): Line => [lead(span(at === 0 ? '$ ' : '> ', 'dim')), span(line)]),
    ...diffRows(diffs, { width, most: mostDiff, hint, printable: visible }),
    ...(patch === undefined ? [] : textLines(patch).map((line): Line => [span(line)])),
    ...(plan === undefined ? [] : markdown(plan, width)),
    ...presented.options.map(({ label, description }, at): Line => {
      const mark = marked === undefined ? '' : at === marked ? '› ' : '  ';
      const box = isMultiple ? (chosen?.has(at) ? '☑ ' : '☐ ') : '';
      return [
        lead(span(`${mark}${at + 1}. ${box}`, 'cyan')),
        span(visible(label), 'bold'),
        span(description === undefined ? '' : `: ${visible(description)}`, 'dim'),
      ];
    }),
    ...fields.flatMap(fieldLines),
    ...(reason === undefined ? [] : [[span(`because: ${visible(reason)}`, 'dim')]]),
  ];
  const isEmpty = lines.length === 0 && relay.relayKind === 'permission' && risks.length === 0;
  return [...riskLines(risks, habit), ...(isEmpty ? [[span('(no input)', 'dim')]] : lines)];
}

/** Returns the title of a relay on one line. */
export function relayTitle(relay: EventOf<'relay'>, place: CallPlace): string {
  return oneLine(visibleText(presentRelay(relay, place).title), 200);
}

function riskLines(risks: readonly string[], habit: string): Line[] {
  if (risks.length === 0) return [];
  return [[lead(span('! ', 'yellow')), span(`${oneLine(visible(risks.join('; ')))}${habit}`, 'yellow')]];
}

/** An argument of a call, as it will be used. */
function fieldLines({ name, value }: NamedValue): Line[] {
  const [first = '', ...more] = textLines(value);
  const named = span(`${visible(name)}:`, 'dim');
  if (more.length === 0) return [[named, span(` ${first}`)]];
  return [[named], ...[first, ...more].map((line): Line => [lead(span('  ')), span(line)])];
}

function textLines(text: string): string[] {
  return visibleText(text.trimEnd()).split('\n');
}

function visible(text: string): string {
  return visibleText(text).replaceAll('\n', ' ');
}
