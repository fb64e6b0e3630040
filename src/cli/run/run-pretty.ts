import { type AgentEvent, type EventOf, toolOutputOf } from '../../events/index.ts';
import type { RunOutcome } from '../../control/index.ts';
import type { Activity } from '../../projections/activity/index.ts';
import { scriptOfLine } from '../../agents/permissions/shell-script.ts';
import { pathFrom } from '../../terminal/rows/path-from.ts';
import { durationText } from '../../terminal/rows/duration-text.ts';
import type { RunTotals } from './run-totals.ts';
import { plainText, printableText } from '../../events/terminal-text.ts';
import type { StandardStream } from '../../control/standard-output.ts';

interface PrettyRunOptions {
  readonly runId: string;
  /** The folder of the run: paths inside it are shown without it. */
  readonly cwd: string;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** The most pieces of output that wait for a question to be answered; the log has them all. */
const mostHeld = 1_000;

/** Prints a run for people as it happens: streaming text, one line per activity, a summary at the end. */
export class PrettyRun {
  readonly #screen: StandardStream;
  readonly #mainRun: string;
  readonly #cwd: string;
  readonly #spinner: ReturnType<typeof setInterval> | undefined;
  #inText = false;
  #textId: string | undefined;
  #event: AgentEvent | undefined;
  #frame = 0;
  #spins = false;
  #isPaused = false;
  /** What was printed while a question was open: the last of it. */
  readonly #held: string[] = [];

  constructor(screen: StandardStream, { runId, cwd }: PrettyRunOptions) {
    this.#screen = screen;
    this.#mainRun = runId;
    this.#cwd = cwd;
    // A terminal shows that the run is alive while nothing happens.
    this.#spinner = screen.isTerminal ? setInterval(() => this.#spin(), 100) : undefined;
    this.#spinner?.unref();
  }

  event(event: AgentEvent): void {
    this.#event = event;
    if (event.type !== 'text' || event.runId !== this.#mainRun || event.content === '') return;
    // Another message begins on a line of its own.
    if (event.id !== this.#textId) this.#breakLine();
    else this.#clear();
    this.#textId = event.id;
    this.#write(printableText(event.content));
    this.#inText = !event.content.endsWith('\n');
  }

  /** Prints an activity of the last event. */
  activity(activity: Activity): void {
    const shown = 'path' in activity && activity.path !== undefined ? this.#inFolder(activity) : activity;
    const line = activityLine(shown, this.#event);
    if (line === undefined) return;
    this.#breakLine();
    this.#write(`${plainText(line)}\n`);
  }

  end(outcome: RunOutcome, milliseconds: number, totals: RunTotals): void {
    const { inputTokens, outputTokens, cost } = totals.usage;
    clearInterval(this.#spinner);
    this.pause(false);
    this.#breakLine();
    const files = totals.filesChanged.map(path => pathFrom(this.#cwd, path));
    const parts = [
      outcome === 'complete' ? 'done' : outcome,
      durationText(milliseconds),
      ...(inputTokens + outputTokens === 0 ? [] : [`${inputTokens} tokens in, ${outputTokens} out`]),
      ...(cost === undefined ? [] : [cost > 0 && cost < 0.0001 ? '< $0.0001' : `$${cost.toFixed(4)}`]),
      ...(files.length === 0
        ? []
        : [`${files.length} file${files.length === 1 ? '' : 's'} changed: ${files.join(', ')}`]),
      ...(totals.rejected.length === 0 ? [] : [`rejected: ${totals.rejected.join(', ')}`]),
      ...(totals.denied.length === 0 ? [] : [`denied: ${totals.denied.join(', ')}`]),
    ];
    this.#write(`\n${plainText(parts.join(' · '))}\n`);
  }

  #inFolder<Shown extends { readonly path?: string }>(activity: Shown): Shown {
    return { ...activity, path: pathFrom(this.#cwd, activity.path ?? '') };
  }

  #breakLine(): void {
    this.#clear();
    if (this.#inText) this.#write('\n');
    this.#inText = false;
  }

  /** Leaves the screen to a question, which nothing is printed after, or takes it back and prints what came meanwhile. */
  pause(isPaused: boolean): void {
    if (isPaused && !this.#isPaused) this.#breakLine();
    this.#isPaused = isPaused;
    if (!isPaused) for (const text of this.#held.splice(0)) void this.#screen.write(text);
  }

  #write(text: string): void {
    if (!this.#isPaused) void this.#screen.write(text);
    else if (this.#held.push(text) > mostHeld) this.#held.shift();
  }

  #spin(): void {
    if (this.#inText || this.#isPaused) return;
    this.#spins = true;
    this.#screen.redraw(`${frames[this.#frame++ % frames.length]} `);
  }

  #clear(): void {
    if (this.#spins) this.#screen.redraw('');
    this.#spins = false;
  }
}

/** Returns one activity of an event as one line; undefined for text, which was streamed. */
export function activityLine(activity: Activity, event?: AgentEvent): string | undefined {
  const mark = 'isSuccess' in activity && !activity.isSuccess ? '✗' : '•';
  switch (activity.type) {
    case 'agent':
      return undefined;
    case 'command': {
      const exit =
        activity.exitCode === undefined || activity.exitCode === 0 ? '' : ` (exit code ${activity.exitCode})`;
      return `${mark} $ ${oneLine(scriptOfLine(activity.command) ?? activity.command)}${exit}`;
    }
    case 'read':
    case 'write':
    case 'skill':
      return `${mark} ${activity.type} ${activity.path}${rangeText(activity)}`;
    case 'search':
      return `${mark} search ${JSON.stringify(activity.query)}${activity.path === undefined ? '' : ` in ${activity.path}`}`;
    case 'list':
      return `${mark} list ${activity.path ?? '.'}`;
    case 'orchestration':
      return `${mark} ${activity.action.replace('_', ' ')}${activity.subagentName === undefined ? '' : ` (${activity.subagentName})`}`;
    case 'error':
    case 'warning':
      return `${activity.type === 'error' ? '✗' : '!'} ${activity.message}`;
    case 'unknown':
      return isCall(event) ? callLine(event) : `? ${oneLine(JSON.stringify(activity.raw))}`;
    default:
      return activity satisfies never;
  }
}

type Call = EventOf<'tool_call'> | EventOf<'tool_result'>;

function isCall(event: AgentEvent | undefined): event is Call {
  return event?.type === 'tool_call' || event?.type === 'tool_result';
}

/** A call of a tool that is no activity of a known kind. */
function callLine(event: Call): string {
  const isDone = event.type === 'tool_call' || 'context' in toolOutputOf(event.output);
  return `${isDone ? '•' : '✗'} ${event.name}`;
}

function rangeText({ startLine, endLine }: { startLine?: number; endLine?: number }): string {
  return startLine === undefined ? '' : `:${startLine}${endLine === undefined ? '-' : `-${endLine}`}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
