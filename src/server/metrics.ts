import { openKinds, type OpenKind } from '../log/open-things.ts';
import type { RunCounts } from '../control/supervision/run-counts.ts';
import { usageNames } from '../events/usage-sum.ts';
import type { SpanCounts } from '../telemetry/span-sender.ts';

/** The current values of a server's gauges and run counters. */
export interface MetricsState {
  readonly openStreams: number;
  readonly runningRuns: number;
  /** The threads with runs of this process, whose leases it holds. */
  readonly heldLeases: number;
  readonly authFailures: number;
  /** The outcomes, usage and errors of the runs of this process. */
  readonly runs: RunCounts;
  /** The open items of all threads of the log, for all processes. */
  readonly open: Readonly<Record<OpenKind, number>>;
  /** The spans that were exported, when they are. */
  readonly spans?: SpanCounts | undefined;
}

/** Counts events of a server for Prometheus: only totals, without labels for threads or users. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  eventsSent = 0;

  /** Counts one answered request; `route` is the route's path, so the number of series is bounded. */
  countRequest(method: string, route: string, status: number): void {
    addTo(this.#requests, `method="${method}",route="${route}",status="${status}"`);
  }

  /** Counts a failure by its code. */
  countError(code: string): void {
    addTo(this.#errors, code);
  }

  /** Returns the counters and the current state in the Prometheus text format. */
  render({ openStreams, runningRuns, heldLeases, authFailures, runs, open, spans }: MetricsState): string {
    const { rss, heapUsed } = process.memoryUsage();
    const errors = new Map(this.#errors);
    for (const [code, count] of runs.errors) addTo(errors, code, count);
    const { cost = 0, ...tokens } = runs.usage;
    const tokenNames = usageNames.filter(name => name !== 'cost');
    return [
      family('singletree_http_requests_total', 'counter', 'Requests answered, by route and status.', [
        ...this.#requests,
      ]),
      family('singletree_open_streams', 'gauge', 'Event streams that are open.', [['', openStreams]]),
      family('singletree_running_runs', 'gauge', 'Runs under way in this process.', [['', runningRuns]]),
      family('singletree_leases_held', 'gauge', 'Threads that this process may write to.', [['', heldLeases]]),
      family(
        'singletree_open',
        'gauge',
        'Open runs, unanswered relays and waiting messages of the whole log.',
        openKinds.map(kind => [`kind="${kind}"`, open[kind]]),
      ),
      family(
        'singletree_runs_total',
        'counter',
        'Runs that ended in this process, by outcome.',
        labelled('outcome', runs.outcomes),
      ),
      family('singletree_events_appended_total', 'counter', 'Events that runs of this process emitted.', [
        ['', runs.events],
      ]),
      family(
        'singletree_errors_total',
        'counter',
        'Failures of requests, runs and background work, by code.',
        labelled('code', errors),
      ),
      family(
        'singletree_tokens_total',
        'counter',
        'Tokens that runs of this process used, by kind.',
        tokenNames.map(name => [`kind="${name.replace('Tokens', '')}"`, tokens[name] ?? 0]),
      ),
      family('singletree_cost_dollars_total', 'counter', 'What they cost, as far as it is known.', [['', cost]]),
      family('singletree_events_sent_total', 'counter', 'Events sent to readers.', [['', this.eventsSent]]),
      family('singletree_auth_failures_total', 'counter', 'Requests with a wrong token.', [['', authFailures]]),
      ...(spans === undefined
        ? []
        : [
            family('singletree_spans_total', 'counter', 'Spans that were sent to the receiver of traces, or dropped.', [
              ['result="sent"', spans.sent],
              ['result="dropped"', spans.dropped],
            ]),
            family('singletree_spans_waiting', 'gauge', 'Spans that wait to be sent.', [['', spans.waiting]]),
          ]),
      family('process_resident_memory_bytes', 'gauge', 'Resident memory.', [['', rss]]),
      family('nodejs_heap_size_used_bytes', 'gauge', 'Heap in use.', [['', heapUsed]]),
      family('process_uptime_seconds', 'gauge', 'Time since the process started.', [['', process.uptime()]]),
    ].join('');
  }
}

type Sample = readonly [labels: string, value: number];

function family(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Samples with one label each, whose values may be any text. */
function labelled(label: string, counts: ReadonlyMap<string, number>): Sample[] {
  const escape = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return [...counts].map(([value, count]): Sample => [`${label}="${escape(value)}"`, count]);
}

function addTo(counts: Map<string, number>, key: string, count = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
