import type { AgentEvent, EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import { toolOutputOf } from '../../events/tools.ts';
import { plainText, printableText } from '../../base/terminal-text.ts';
import type { Activity } from '../../projections/activity/activity.ts';
import { createActivityState, projectActivity } from '../../projections/activity/project-activity.ts';
import { folderWords } from '../../projections/reading/notice.ts';
import { isShownAsCall, oneLine, presentCall, presentOperation } from '../../projections/presentation/present-call.ts';
import { presentAnswer, presentRelay } from '../../projections/presentation/present-relay.ts';
import { relayStanding } from '../../projections/relay-book.ts';
import { endText } from '../../terminal/rows/part-rows.ts';
import { objectText } from '../../terminal/rows/tool-row.ts';

/** Turns the events of a thread into text for a terminal, append-only: what was printed never changes. */
export class Transcript {
  readonly #activity = createActivityState();
  /** Runs that other runs started: their text is not shown. */
  readonly #nested = new Set<string>();
  readonly #asked = new Map<string, EventOf<'relay'>>();
  #isInText = false;

  /** Returns what an event adds; empty when it adds nothing. */
  take(event: LoggedEvent): string {
    if (event.type === 'harness_start' && event.parentId !== undefined && !event.parentId.endsWith(':user'))
      this.#nested.add(event.runId);
    const text = event.type === 'text' && !this.#nested.has(event.runId) ? this.#text(event.content) : '';
    const indent = this.#nested.has(event.runId) ? '  ' : '';
    const lines = [...projectActivity(this.#activity, event)].flatMap(
      activity => plainText(activityLine(activity, event) ?? '') || [],
    );
    if (event.type === 'relay') this.#asked.set(event.id, event);
    const own = event.type === 'relay_resolved' ? this.#answer(event) : lineOf(event);
    return text + [...lines, ...(own === undefined ? [] : [own])].map(line => this.#line(indent + line)).join('');
  }

  /** Ends an open line. */
  end(): string {
    return this.#isInText ? this.#line('') : '';
  }

  #answer(answer: EventOf<'relay_resolved'>): string | undefined {
    const relay = this.#asked.get(answer.relayId);
    this.#asked.delete(answer.relayId);
    if (relay === undefined) return undefined;
    return `  → ${plainText(presentAnswer({ relay, ...relayStanding(relay, { answer, hasRunEnded: false }) }))}`;
  }

  #text(content: string): string {
    if (content !== '') this.#isInText = !content.endsWith('\n');
    return printableText(content);
  }

  #line(line: string): string {
    const begin = this.#isInText ? '\n' : '';
    this.#isInText = false;
    return line === '' ? begin : `${begin}${line}\n`;
  }
}

function lineOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'user':
      return `\n› ${plainText(wordsOf(event))}${event.by === undefined ? '' : ` (${plainText(event.by)})`}`;
    case 'relay':
      return `? ${presentRelay(event).summary}`;
    case 'summary':
      return event.active === false ? undefined : summaryLines(event);
    case 'folder_changed':
      return `· ${plainText(folderWords(event))}`;
    case 'error':
      return event.fatal === true ? undefined : `✗ ${plainText(event.message)}`;
    case 'harness_end':
      return endText(event.reason);
    default:
      return undefined;
  }
}

/** A summary in the place of earlier messages: how much shorter it is, its text, and how to go back. */
function summaryLines({ text, tokens, coveredTokens, seq }: EventOf<'summary'>): string {
  const size = tokens === undefined || coveredTokens === undefined ? '' : `: ${coveredTokens} → ${tokens} tokens`;
  const undo = seq === undefined ? '' : `. To take it back: singletree branch THREAD --at ${seq - 1}`;
  const lines = printableText(text).trimEnd().split('\n');
  return [`≡ Summarised what came before${size}${undo}`, ...lines.map(line => `  │ ${line}`)].join('\n');
}

function wordsOf({ content }: EventOf<'user'>): string {
  if (typeof content === 'string') return content;
  return content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ');
}

/** Returns one activity of an event as one line; undefined for text. */
export function activityLine(activity: Activity, event?: AgentEvent): string | undefined {
  const mark = 'isSuccess' in activity && !activity.isSuccess ? '✗' : '•';
  switch (activity.type) {
    case 'agent':
      return undefined;
    case 'command':
    case 'read':
    case 'write':
    case 'skill':
    case 'search':
    case 'list': {
      const call = presentOperation(activity);
      const exitCode = 'exitCode' in activity ? (activity.exitCode ?? 0) : 0;
      return `${mark} ${call.verb} ${objectText(call)}${exitCode === 0 ? '' : ` · exit code ${exitCode}`}`;
    }
    case 'orchestration':
      return `${mark} ${activity.action.replace('_', ' ')}${activity.subagentName === undefined ? '' : ` (${activity.subagentName})`}`;
    case 'error':
    case 'warning':
      return `${activity.type === 'error' ? '✗' : '!'} ${activity.message}`;
    case 'unknown':
      return isCall(event) ? callLine(event) : `? ${oneLine(JSON.stringify(activity.raw), 120)}`;
    default:
      return activity satisfies never;
  }
}

type Call = EventOf<'tool_call'> | EventOf<'tool_result'>;

function isCall(event: AgentEvent | undefined): event is Call {
  return event?.type === 'tool_call' || event?.type === 'tool_result';
}

/** A call of a tool that is no activity of a known kind; nothing for one that asks a person or changes the tasks. */
function callLine(event: Call): string | undefined {
  const isDone = event.type === 'tool_call' || 'context' in toolOutputOf(event.output);
  const status = isDone ? 'done' : 'failed';
  if (!isShownAsCall({ name: event.name, status, relays: [] })) return undefined;
  const { verb, object } = presentCall({ name: event.name, status });
  return `${isDone ? '•' : '✗'} ${verb} ${object}`;
}
