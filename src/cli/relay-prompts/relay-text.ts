import { standardOutput, withoutSecrets } from '../../control/standard-output.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import type { CallPlace } from '../../projections/presentation/present-call.ts';
import { relayDetails, relayTitle } from '../../terminal/rows/relay-details.ts';
import { ansiOfLine, lead, type Line, span, type Styling } from '../../terminal/screen/styled-line.ts';
import { createStyling } from '../../terminal/screen/terminal-styling.ts';
import { wrapLine } from '../../terminal/screen/wrap-line.ts';

interface RelayTextOptions {
  /** The agent that asks, and the folder it works in. */
  readonly place?: CallPlace;
  /** The text before the title. */
  readonly mark?: string;
  /** The maximum number of diff lines to draw. */
  readonly mostDiff?: number;
  /** How to see the remaining lines. */
  readonly hint?: string;
  /** Additional facts, shown as the last line. */
  readonly facts?: readonly string[];
}

const unstyled: Styling = { inks: 'none', hasLinks: false };

/** Returns the text of a relay as the chat draws it, for `writeDrawn`: wrapped and styled on a terminal. */
export function relayText(
  relay: EventOf<'relay'>,
  { place = { cwd: process.cwd() }, mark = '? ', mostDiff = 1_000, hint, facts = [] }: RelayTextOptions = {},
): string {
  const { columns, isTerminal } = standardOutput;
  const shown = withoutSecrets(relay);
  const indent = lead(span(' '.repeat(mark.length)));
  const details = relayDetails(shown, { width: columns - mark.length, mostDiff, hint, place });
  const lines: Line[] = [
    [lead(span(mark, 'magenta')), span(relayTitle(shown, place), 'bold')],
    ...details.map((line): Line => [indent, ...line]),
    ...(facts.length === 0 ? [] : [[indent, span(facts.join(' · '), 'dim')]]),
  ];
  const rows = isTerminal ? lines.flatMap(line => wrapLine(line, columns)) : lines;
  const styling = isTerminal ? createStyling(process.env) : unstyled;
  return rows.map(row => `${ansiOfLine(row, styling).trimEnd()}\n`).join('');
}

/** Parses a line as an answer: options by number, with commas between several where multiple choice is allowed. */
export function questionAnswer(relay: EventOf<'relay'>, line: string): string | string[] {
  if (relay.relayKind !== 'question') return line;
  const { options = [], selectionMode } = relay;
  const findLabel = (text: string) => options[Number(text.trim()) - 1]?.label ?? text.trim();
  return selectionMode === 'multi_select' ? line.split(',').map(findLabel) : findLabel(line);
}
