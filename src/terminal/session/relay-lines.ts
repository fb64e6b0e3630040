import type { RelayEntry } from '../../projections/index.ts';
import { planLines } from '../rows/fact-lines.ts';
import { diffRows } from '../rows/diff-lines.ts';
import { callDiffs, patchDiffs } from '../rows/call-diffs.ts';
import { type NamedCall, oneLine, type ToolPlace, toolWords } from '../rows/tool-object.ts';
import { lead, type Line, span, type Span } from '../screen/styled-line.ts';
import { textWidth } from '../screen/text-width.ts';
import { wrapLine } from '../screen/wrap-line.ts';
import { visibleText } from '../../events/terminal-text.ts';
import { type Band, besideChange, canRevise, isDestructive } from './relay-band.ts';

type Permission = Extract<RelayEntry['relay'], { relayKind: 'permission' }>;

/** Every row of the band begins with it. */
const bar: Span = lead(span('▌ ', 'magenta'), '▌ ');

/** How many things wait, and which of them the band shows. */
export interface BandPlace {
  readonly index: number;
  readonly count: number;
  readonly width: number;
  /** The most lines that it may take. */
  readonly most: number;
  /** The agent that asks, and the folder it works in. */
  readonly place: ToolPlace;
  /** Whether keys answer; else they write the message. */
  readonly takesKeys: boolean;
}

/** Draws the band: what would happen exactly, why, and the keys that answer. The line with the keys is always there. */
export function bandLines(entry: RelayEntry, band: Band, bandPlace: BandPlace): Line[] {
  const { index, count, width, most, place } = bandPlace;
  const number = count > 1 ? ` (${index + 1} of ${count})` : '';
  const title: Line = [bar, span(`${titleOf(entry, place)}${number}`, 'bold')];
  if (band.focus === 'left' || most < 3) return [[...title, span(' · Alt+A answers', 'dim')]];
  const keys = keyLines(entry, band, bandPlace);
  const head = wrapLine(title, width).slice(0, Math.max(1, most - 1 - keys.length));
  const room = Math.max(1, most - head.length - keys.length);
  const risk: Line[] = isDestructive(entry)
    ? [[span(`may destroy${width < narrow ? '' : ' something'}: Enter does not approve it`, 'yellow')]]
    : [];
  const details = [...risk, ...detailsOf(entry, band, bandPlace)].flatMap(line => wrapLine([bar, ...line], width));
  const shown =
    details.length <= room
      ? details
      : [...details.slice(0, room - 1), [bar, span(`… ${details.length - room + 1} more lines: Ctrl+F`, 'dim')]];
  return [...head, ...shown, ...keys];
}

function titleOf({ relay }: RelayEntry, place: ToolPlace): string {
  switch (relay.relayKind) {
    case 'permission':
      return callTitle(relay, place);
    case 'question':
      return `Question: ${oneLine(relay.question, 200)}`;
    case 'plan':
      return 'Approve this plan?';
    case 'access':
      return 'Allow this access?';
    case 'suspension':
      return `${oneLine(relay.tool, 40)} waits for you`;
    default:
      return relay satisfies never;
  }
}

/** Names the call: a command is below it, a file is part of it. */
function callTitle(relay: Permission, place: ToolPlace): string {
  const tool = oneLine(relay.tool, 40);
  if (commandIn(relay) !== undefined) return `Run this command? (${tool})`;
  const { kind, toDo, object } = toolWords(callOf(relay), place);
  if (kind !== 'other') return `${toDo} ${object}? (${tool})`;
  return relay.diff === undefined ? `Use ${tool}?` : `Make this change? (${tool})`;
}

/** The call that would run, with its hidden characters made visible. */
function callOf({ tool: name, params }: Permission): NamedCall {
  const input = Object.entries(params).map(([key, value]) => [
    key,
    typeof value === 'string' ? visibleText(value) : value,
  ]);
  return { name, input: Object.fromEntries(input), relays: [] };
}

/** The shell line that would run, when the call is one of a shell. */
function commandIn({ command, params }: Permission): string | undefined {
  if (command !== undefined) return command;
  return typeof params['command'] === 'string' ? params['command'] : undefined;
}

function detailsOf({ relay }: RelayEntry, band: Band, { width, takesKeys }: BandPlace): Line[] {
  const most = band.isLarge ? 1_000 : 12;
  switch (relay.relayKind) {
    case 'permission': {
      const why: Line[] = relay.reason === undefined ? [] : [[span(`because: ${visible(relay.reason)}`, 'dim')]];
      const command = commandIn(relay);
      if (command !== undefined)
        return [
          ...textLines(command).map((line, at): Line => [lead(span(at === 0 ? '$ ' : '> ', 'dim')), span(line)]),
          ...why,
        ];
      if (relay.diff !== undefined)
        return [...diffLines(patchDiffs(relay.diff, relay), relay.diff, width, most), ...why];
      const diffs = callDiffs(callOf(relay), undefined, relay);
      if (diffs.length > 0)
        return [
          ...diffRows(diffs, { width: width - 2, most, printable: visible }),
          ...paramLines(besideChange(relay.params)),
          ...why,
        ];
      return [...paramLines(relay.params), ...why];
    }
    case 'question':
      return (relay.options ?? []).map(({ label, description }, at) => {
        const mark = takesKeys && at === band.marked ? '›' : ' ';
        const box = relay.selectionMode === 'multi_select' ? (band.chosen.has(at) ? '☑ ' : '☐ ') : '';
        return [
          lead(span(`${mark} ${at + 1}. ${box}`, 'cyan')),
          span(visible(label), 'bold'),
          span(description === undefined ? '' : ` ${visible(description)}`, 'dim'),
        ];
      });
    case 'plan':
      return planLines(relay, width - 2);
    case 'access':
      return paramLines(relay.params);
    case 'suspension':
      return paramLines(asRecord(relay.payload ?? relay.params ?? {}));
    default:
      return relay satisfies never;
  }
}

/** A change that is asked for; one that is not understood is shown as it was written. */
function diffLines(diffs: ReturnType<typeof patchDiffs>, diff: string, width: number, most: number): Line[] {
  return diffs.some(({ hunks }) => hunks.length > 0)
    ? diffRows(diffs, { width: width - 2, most, printable: visible })
    : textLines(diff).map(line => [span(line)]);
}

/** The arguments of a call, each as it will be used. */
function paramLines(params: Readonly<Record<string, unknown>>): Line[] {
  return Object.entries(params).flatMap(([name, value]): Line[] => {
    const [first = '', ...more] = textLines(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
    return [
      [span(`${visible(name)}: `, 'dim'), span(first)],
      ...more.map((line): Line => [lead(span('  ')), span(line)]),
    ];
  });
}

/** Draws the keys; where a line is full, the next key begins another. */
function keyLines(entry: RelayEntry, band: Band, { width, takesKeys }: BandPlace): Line[] {
  const rows: string[] = [];
  for (const key of keyWords(entry, band, width, takesKeys).split(separator)) {
    const longer = rows.length === 0 ? key : `${rows.at(-1)}${separator}${key}`;
    if (rows.length > 0 && textWidth(longer) <= width - 2) rows[rows.length - 1] = longer;
    else rows.push(key);
  }
  const ink = takesKeys ? 'cyan' : 'dim';
  return rows.flatMap(row => wrapLine([bar, span(row, ink)], width));
}

const separator = ' · ';

function keyWords({ relay }: RelayEntry, band: Band, width: number, takesKeys: boolean): string {
  if (band.focus === 'reason') return 'reason for the agent, then Enter · Esc goes back';
  if (band.focus === 'answer') return 'your answer, then Enter · Esc leaves it in the inbox';
  if (takesKeys) return keysFor(relay, width);
  return width < narrow ? 'you write · Alt+A answers' : 'your keys write the message · Alt+A answers this';
}

/** A window with fewer columns has shorter words. */
const narrow = 60;

function keysFor(relay: RelayEntry['relay'], width: number): string {
  const { relayKind: kind } = relay;
  if (width < narrow) return shortKeys[kind];
  if (kind === 'question') return '1-9 or ↑ ↓ Enter chooses · Space marks · e writes an answer · Esc later';
  if (kind === 'plan') return 'y approve and carry out · n reject with comments · Ctrl+F all of it · Esc later';
  if (kind === 'access') return 'y allow · n reject · Esc later';
  if (kind === 'suspension') return 'y approve · n reject · Esc later';
  const edit = canRevise(relay) ? ' · e edit' : '';
  return `y once · s this thread · a always${edit} · n reject · Esc later`;
}

const shortKeys: Readonly<Record<RelayEntry['relay']['relayKind'], string>> = {
  question: '1-9 or Enter · e writes · Esc later',
  plan: 'y approve · n reject · Esc later',
  access: 'y allow · n reject · Esc later',
  permission: 'y once · s thread · a always · n no',
  suspension: 'y approve · n reject · Esc later',
};

function textLines(text: string): string[] {
  return visibleText(text.trimEnd()).split('\n');
}

function visible(text: string): string {
  return visibleText(text).replaceAll('\n', ' ');
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : { value };
}
