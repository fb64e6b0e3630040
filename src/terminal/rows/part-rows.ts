import type { EventOf } from '../../events/vocabulary.ts';
import type { FactPart, ViewNode, ViewPart } from '../../projections/reading/view-node.ts';
import { durationText, presentEnd, shortCount, withoutRetry } from '../../projections/presentation/wording.ts';
import { lead, type Line, span } from '../screen/styled-line.ts';
import { factLines, markdown, planLines, relayLines, replLines, userLines } from './fact-lines.ts';
import { rowText } from '../../base/terminal-text.ts';
import type { Row, RowKind } from './row.ts';
import { densities, type Density, groupLines, isSettled, type ShownCall, toolLines } from './tool-row.ts';
import type { EventTimes } from './times.ts';
import { isAskedAlone, isShownAsCall, oneLine } from '../../projections/presentation/present-call.ts';

/** The context for drawing parts. */
export interface RowContext {
  /** The user's folder; paths inside it are shown relative to it. */
  readonly cwd: string;
  readonly times: EventTimes;
  /** How much of calls is shown; normal when absent. */
  readonly density?: (() => Density) | undefined;
  /** The key that shows what rows hide; without one they name no key of the chat. */
  readonly hint?: string | undefined;
}

/** Whether the last part of a running message is complete. Text and reasoning end only when the next part starts. */
export function isFinished(part: ViewPart): boolean {
  switch (part.kind) {
    case 'tool':
      return isSettled(part);
    case 'repl':
      return part.output !== undefined;
    case 'relay':
      return part.status !== 'pending';
    case 'run':
      return part.runs.every(({ status }) => status !== 'running');
    case 'text':
    case 'reasoning':
      return false;
    case 'user':
    case 'fact':
      return true;
    default:
      return part satisfies never;
  }
}

/** Returns a call with its agent, folder and times. */
export function shownCall(
  part: ViewPart & { readonly kind: 'tool' },
  node: ViewNode,
  { cwd, times }: RowContext,
): ShownCall {
  return { part, place: { agentId: node.agentId, cwd }, time: times.getSpan(part.id) };
}

/** Returns the row of calls that are shown together. */
export function groupRow(calls: readonly ShownCall[], node: ViewNode): Row {
  const [first] = calls as [ShownCall];
  return {
    ...base(first.part.id, 'tool', node),
    lines: () => groupLines(calls),
    whole: width => calls.flatMap(call => toolLines(call, width)),
  };
}

/** Returns the row of a finished part; undefined when the part has none. Text becomes rows in `TextRows`. */
export function partRow(part: ViewPart, node: ViewNode, context: RowContext): Row | undefined {
  switch (part.kind) {
    case 'tool':
      return toolRow(part, node, context);
    case 'user':
      return fixed(part.id, 'user', node, userLines(part));
    case 'reasoning':
      return reasoningRow(part, node, context);
    case 'fact':
      if (part.event.type === 'summary' && part.event.kind === 'compaction')
        return compactionRow(part.id, part.event, node, context);
      return fixed(part.id, part.event.type === 'tasks' ? 'tool' : 'notice', node, factLines(part));
    case 'relay':
      return { ...base(part.id, 'notice', node), lines: width => relayLines(part, width) };
    case 'repl':
      return {
        ...base(part.id, 'tool', node),
        lines: () => replLines(part, 5),
        whole: () => replLines(part, Number.POSITIVE_INFINITY),
      };
    case 'run': {
      const shown = part.runs.filter(({ memory }) => memory === undefined);
      const lines = shown.map(
        ({ agentId = 'agent', status }): Line => [span(`· ${rowText(agentId)} ${status ?? ''}`, 'dim')],
      );
      return fixed(part.id, 'notice', node, lines);
    }
    case 'text':
      return undefined;
    default:
      return part satisfies never;
  }
}

/** Earlier messages that the agent reads in short from here on; in the chat the row unfolds to the short text. */
function compactionRow(
  id: string,
  { active, text, tokens, coveredTokens, seq }: EventOf<'summary'>,
  node: ViewNode,
  { hint }: RowContext,
): Row | undefined {
  if (active === false) return undefined;
  const size = tokens === undefined || coveredTokens === undefined ? '' : `: ${coveredTokens} → ${tokens} tokens`;
  const command = seq === undefined ? '' : ` · singletree branch THREAD --at ${seq - 1} goes back to before it`;
  const line: Line = [
    lead(span('≡ ', 'cyan')),
    span('Earlier messages were summarised for the agent', 'bold'),
    span(hint === undefined ? size + command : ` · ${hint} shows the summary · /expand goes back to before it`, 'dim'),
  ];
  const whole = (width: number) => [line, ...markdown(text, width)];
  return { ...base(id, 'notice', node), lines: width => (hint === undefined ? whole(width) : [line]), whole };
}

function toolRow(part: ViewPart & { readonly kind: 'tool' }, node: ViewNode, context: RowContext): Row | undefined {
  const plan = part.relays.map(({ relay }) => relay).find(relay => relay.relayKind === 'plan');
  const relay = part.relays.find(isAskedAlone);
  if (relay !== undefined)
    return {
      ...base(part.id, 'notice', node),
      lines: width => relayLines(relay, width),
      ...(plan && { whole: width => planLines(plan, width) }),
    };
  if (!isShownAsCall(part)) return undefined;
  const call = shownCall(part, node, context);
  const limits = { ...densities[context.density?.() ?? 'normal'], hint: context.hint };
  return {
    ...base(part.id, 'tool', node),
    lines: width => toolLines(call, width, limits),
    whole: width => toolLines(call, width),
  };
}

function reasoningRow(
  { id, text }: ViewPart & { readonly kind: 'reasoning' },
  node: ViewNode,
  { times }: RowContext,
): Row | undefined {
  if (text.trim() === '') return undefined;
  const time = times.getSpan(id);
  const took = time === undefined || time.to - time.from < 1_000 ? '' : ` for ${durationText(time.to - time.from)}`;
  const line: Line = [
    lead(span('∴ ', 'dim')),
    span(`Thought${took}: `, 'dim'),
    span(oneLine(text.trim().replaceAll('**', ''), 100), 'dim', 'italic'),
  ];
  return { ...base(id, 'reasoning', node), lines: () => [line], whole: width => [line, ...markdown(text, width)] };
}

/** Returns the row at the end of an answer: its outcome, duration and usage. */
export function turnRow(node: ViewNode, { times }: RowContext): Row | undefined {
  const { runId = '', status } = node;
  const time = times.getSpan(runId);
  const usage = times.usage.get(runId);
  const facts = [
    time === undefined || time.to === time.from ? undefined : durationText(time.to - time.from),
    usage === undefined ? undefined : `${shortCount(usage.inputTokens)} in, ${shortCount(usage.outputTokens)} out`,
    usage?.cost === undefined ? undefined : costText(usage.cost),
  ].filter(fact => fact !== undefined);
  const stop = status === 'aborted' ? times.stops.get(runId) : undefined;
  const end = endText(status, stop && rowText(stop.by));
  const words = [...(end === undefined ? [] : [end]), ...facts];
  if (words.length === 0) return undefined;
  const line: Line = [span(words.join(' · '), 'dim')];
  return fixed(`${node.id}:end`, 'turn', node, [line]);
}

/** Returns the words about the end of a run at a terminal; undefined when it succeeded or is running. */
export function endText(status: ViewNode['status'], by?: string): string | undefined {
  const sentence = presentEnd(status, by);
  return sentence && `■ ${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1, -1)}`;
}

/** A model call that failed, perhaps several times, and whether it was made again after the last failure. */
export interface FailedCall {
  readonly last: FactPart & { readonly event: EventOf<'warning'> };
  readonly count: number;
  readonly node: ViewNode;
}

/** Returns one row for the failures of a model call. */
export function retriesRow({ last, count, node }: FailedCall, isTriedAgain: boolean): Row {
  const { event } = last;
  const [first = [], ...more] = factLines({ ...last, event: { ...event, message: withoutRetry(event.message) } });
  const facts = [...(count === 1 ? [] : [`${count} times`]), isTriedAgain ? 'tried again' : 'not tried again'];
  return {
    ...base(last.id, 'notice', node),
    lines: () => [[...first, span(` · ${facts.join(', ')}`, 'dim')], ...more],
  };
}

/** Formats an amount of dollars. */
export function costText(cost: number): string {
  if (cost === 0) return '$0';
  return cost > 0 && cost < 0.0001 ? '< $0.0001' : `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

function base(id: string, kind: RowKind, node: ViewNode): Pick<Row, 'id' | 'kind' | 'messageId'> {
  return { id, kind, messageId: node.id };
}

function fixed(id: string, kind: RowKind, node: ViewNode, lines: readonly Line[]): Row | undefined {
  return lines.length === 0 ? undefined : { ...base(id, kind, node), lines: () => lines };
}
