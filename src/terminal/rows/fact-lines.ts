import { parseSystemReminder } from '../../control/conversations/system-reminder.ts';
import type { ContentPart } from '../../events/content.ts';
import type { FactPart, RelayPart, ReplPart, UserPart } from '../../projections/reading/view-node.ts';
import { toNotice } from '../../projections/reading/notice.ts';
import { lead, type Line, span } from '../screen/styled-line.ts';
import { rowLines, rowText } from '../../base/terminal-text.ts';
import { MarkdownLines } from './markdown-lines.ts';
import { MarkdownUnits } from './text-rows.ts';
import { excerpt } from './tool-row.ts';
import { oneLine } from '../../projections/presentation/present-call.ts';
import { presentAnswer, presentRelay } from '../../projections/presentation/present-relay.ts';

/** Draws what a person wrote; a reminder to the model, such as the output of a shell line, is dim. */
export function userLines({ content, by, automatic }: UserPart): Line[] {
  const text = typeof content === 'string' ? content : content.map(contentText).join('\n');
  const reminder = parseSystemReminder(text);
  if (reminder !== undefined)
    return rowLines(reminder.message.trim()).map((line, at) => [
      lead(span(at === 0 ? '· ' : '  ', 'dim')),
      span(line, 'dim'),
    ]);
  const lines = rowLines(text.trimEnd());
  const who = by === undefined ? [] : [span(` (${rowText(by)})`, 'dim')];
  const mark = automatic === true ? span('» ', 'dim') : span('› ', 'cyan', 'bold');
  return lines.map((line, index) => [
    lead(index === 0 ? mark : span('  ')),
    span(line, automatic === true ? 'dim' : 'bold'),
    ...(index === lines.length - 1 ? who : []),
  ]);
}

function contentText(part: ContentPart): string {
  if (part.type === 'text') return part.text;
  const name = 'filename' in part && typeof part.filename === 'string' ? ` ${part.filename}` : '';
  return `[${part.type}${name}]`;
}

/** Draws a fact on one line; nothing for what a person need not read. */
export function factLines({ event }: FactPart): Line[] {
  if (event.type === 'tasks') return tasksLines(event.tasks);
  const notice = toNotice(event);
  if (notice === undefined) return [];
  const [mark, ink] = ({ error: ['✗', 'red'], warning: ['!', 'yellow'], info: ['·', 'dim'] } as const)[notice.level];
  const [first = '', ...more] = rowLines(notice.message.trimEnd());
  const lines: Line[] = [[lead(span(`${mark} `, ink)), notice.level === 'info' ? span(first, 'dim') : span(first)]];
  return [...lines, ...more.slice(0, 8).map((line): Line => [lead(span('  ')), span(line, 'dim')])];
}

interface Task {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm?: string | undefined;
}

/** Returns the line about a task list: how many are done, and the current one. */
export function tasksSummary(tasks: readonly Task[]): string | undefined {
  if (tasks.length === 0) return undefined;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const current =
    tasks.find(({ status }) => status === 'in_progress') ?? tasks.find(({ status }) => status === 'pending');
  return `${done}/${tasks.length} ${oneLine(current === undefined ? 'all tasks done' : (current.activeForm ?? current.content), 100)}`;
}

/** Draws a task list. */
export function taskList(tasks: readonly Task[]): Line[] {
  return tasks.map(({ content, status }) => {
    const text = oneLine(content);
    if (status === 'completed') return [lead(span('  ☑ ', 'green')), span(text, 'dim')];
    return status === 'in_progress'
      ? [lead(span('  ▶ ', 'cyan')), span(text, 'bold')]
      : [lead(span('  ☐ ')), span(text)];
  });
}

function tasksLines(tasks: readonly Task[]): Line[] {
  const summary = tasksSummary(tasks);
  return summary === undefined ? [] : [[lead(span('☰ ', 'cyan')), span(`Tasks ${summary}`)]];
}

/** Draws a question, plan or other request that stands by itself, with its answer. */
export function relayLines(part: RelayPart, width: number): Line[] {
  const { relay } = part;
  const end: Line = [lead(span('  → ', 'dim')), span(oneLine(presentAnswer(part)), 'dim')];
  if (relay.relayKind === 'plan') return [...planLines(relay, width), end];
  return [[lead(span('? ', 'magenta')), span(presentRelay(relay).summary)], end];
}

/** Draws a plan: its title, then its text. */
export function planLines(
  { title, plan }: { readonly title?: string | undefined; readonly plan: string },
  width: number,
): Line[] {
  return [
    [span('▣ Plan', 'bold', 'magenta'), ...(title === undefined ? [] : [span(` ${oneLine(title)}`, 'bold')])],
    ...markdown(plan, width),
  ];
}

/** Draws a whole text. */
export function markdown(text: string, width: number): Line[] {
  const lines = new MarkdownLines();
  return new MarkdownUnits().take(text.trimEnd(), true).flatMap(unit => lines.draw(unit, width));
}

/** Draws executed code and what it printed. */
export function replLines({ code, printed, output }: ReplPart, most: number): Line[] {
  const [first = ''] = rowLines(code ?? '');
  const text = printed.map(piece => piece.text).join('');
  const failed = output !== undefined && 'error' in output && output.error !== undefined;
  return [
    [lead(span(failed ? '✗ ' : '• ', failed ? 'red' : 'dim')), span('Executed', 'bold'), span(` ${oneLine(first)}`)],
    ...excerpt(text, most),
  ];
}
