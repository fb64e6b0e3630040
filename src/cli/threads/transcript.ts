import type { AgentEvent, EventOf, LoggedEvent } from '../../events/index.ts';
import { createActivityState, projectActivity } from '../../projections/activity/index.ts';
import { folderWords } from '../../projections/index.ts';
import { presentAnswer, presentRelay } from '../../projections/presentation/present-relay.ts';
import { relayStanding } from '../../projections/relay-book.ts';
import { endText } from '../../terminal/rows/part-rows.ts';
import { activityLine } from './activity-line.ts';
import { plainText, printableText } from '../../events/terminal-text.ts';

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
