import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type {
  ChannelHost,
  LiveAdapter,
  LiveChannel,
  LiveRequest,
  LiveStart,
  LiveTurnEnd,
} from '../../src/agents/cli/contract/live-channel.ts';
import type { AgentEvent } from '../../src/events/index.ts';

const recordedLine = z.object({
  dir: z.enum(['in', 'out']),
  t: z.number(),
  line: z.string(),
  proc: z.string().optional(),
});

/** A message of a recording: `in` went to the program, `out` came from it. */
export type RecordedLine = z.infer<typeof recordedLine>;

/** Reads a recording of one process; `proc` names another process or other connections than the first. */
export function readRecording(file: string, proc?: string | readonly string[]): RecordedLine[] {
  const procs: readonly (string | undefined)[] = [proc].flat();
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => recordedLine.parse(JSON.parse(line)))
    .filter(line => procs.includes(line.proc) && line.line !== '<EOF>');
}

/** Records everything that a channel does to its host; timers run only when the test runs them. */
export class RecordingHost implements ChannelHost {
  readonly sent: string[] = [];
  readonly events: AgentEvent[] = [];
  readonly requests: LiveRequest[] = [];
  readonly withdrawn: { readonly id: string; readonly reason: string }[] = [];
  readonly steerings: { readonly id: string; readonly delivery: 'joined' | 'queued' }[] = [];
  readonly ends: LiveTurnEnd[] = [];
  /** Every call but `send` and `after`, in order: for expectations of the whole sequence. */
  readonly trace: object[] = [];
  session: { readonly sessionId?: string; readonly model?: string; readonly mode?: string } | undefined;
  problem: { readonly message: string; readonly code: string } | undefined;
  readonly #timers = new Set<{ readonly ms: number; readonly run: () => void }>();

  send(message: string): void {
    this.sent.push(message);
  }

  ready(session: { readonly sessionId?: string; readonly model?: string; readonly mode?: string }): void {
    this.trace.push({ ready: session });
    this.session = session;
  }

  failed(problem: { readonly message: string; readonly code: string }): void {
    this.trace.push({ failed: problem });
    this.problem = problem;
  }

  emit(events: readonly AgentEvent[]): void {
    for (const event of events) this.trace.push({ emit: event });
    this.events.push(...events);
  }

  request(request: LiveRequest): void {
    this.trace.push({ request });
    this.requests.push(request);
  }

  withdraw(requestId: string, reason: string): void {
    this.trace.push({ withdraw: requestId, reason });
    this.withdrawn.push({ id: requestId, reason });
  }

  steered(messageId: string, delivery: 'joined' | 'queued'): void {
    this.trace.push({ steered: messageId, delivery });
    this.steerings.push({ id: messageId, delivery });
  }

  turnEnded(end: LiveTurnEnd): void {
    this.trace.push({ turnEnded: end });
    this.ends.push(end);
  }

  waiting(reason: string): void {
    this.trace.push({ waiting: reason });
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { ms, run: callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Runs the timers that are waiting, the shortest first. */
  runTimers(): void {
    for (const timer of [...this.#timers].toSorted((one, other) => one.ms - other.ms))
      if (this.#timers.delete(timer)) timer.run();
  }
}

/** How the messages of one program are read, so that the ids of our requests and of the recorded ones can differ. */
export interface MessageIds {
  /** The id that our side chose for a message to the program; undefined when it answers or has none. */
  idOf(message: unknown): string | number | undefined;
  /** Returns a message of the program with the recorded id that it refers to replaced by ours. */
  withId(message: unknown, ours: (recorded: string | number) => string | number): unknown;
}

export interface ReplayOptions {
  readonly adapter: LiveAdapter;
  readonly start?: Partial<LiveStart>;
  readonly recording: readonly RecordedLine[];
  readonly ids: MessageIds;
  /** Performs the command that a recorded message to the program corresponds to; nothing when the channel sends it itself. */
  readonly drive: (message: unknown, channel: LiveChannel, host: RecordingHost) => void;
  /** Whether the channel is not expected to send a recorded message, such as a probe of the recording client. */
  readonly skip?: (message: unknown, host: RecordingHost) => boolean;
  /** Removes what may differ between two equal messages: ids, versions. Applied to both sides. */
  readonly normalise: (message: unknown) => unknown;
  /** Whether the program closed its output at the end of the recording. Default: true. */
  readonly closes?: boolean;
}

export interface Replayed {
  readonly host: RecordingHost;
  readonly channel: LiveChannel;
  /** Our messages and the recorded ones, normalised: they are expected to be equal. */
  readonly sent: readonly unknown[];
  readonly recorded: readonly unknown[];
}

/**
 * Feeds a recording to a channel: lines of the program are received, messages to the program become commands. The ids
 * of our requests are mapped to the recorded ones by the order in which both were sent.
 */
export function replayChannel(options: ReplayOptions): Replayed {
  const { adapter, recording, ids, drive, skip = () => false, normalise } = options;
  const host = new RecordingHost();
  const start: LiveStart = { cwd: '$CWD', environment: {}, folder: '$TMP/session', ...options.start };
  const channel = adapter.channel(host, start);
  const expected: unknown[] = [];
  const ours = (recorded: string | number): string | number => {
    const index = expected.findIndex(message => ids.idOf(message) === recorded);
    const sent = host.sent[index];
    return (sent === undefined ? undefined : ids.idOf(parsed(sent))) ?? recorded;
  };
  channel.open();
  let number = 0;
  for (const { dir, line } of recording) {
    const message = parsed(line);
    if (dir === 'out') {
      const mapped = typeof message === 'string' ? line : JSON.stringify(ids.withId(message, ours));
      channel.receive(mapped, ++number);
    } else if (!skip(message, host)) {
      expected.push(message);
      drive(message, channel, host);
    }
  }
  if (options.closes !== false) channel.closed();
  return {
    host,
    channel,
    sent: host.sent.map(message => normalise(parsed(message))),
    recorded: expected.map(normalise),
  };
}

/** A message as JSON; a line that is not JSON as text. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return line;
  }
}
