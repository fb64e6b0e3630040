/** What a server counts, as Prometheus reads it. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  eventsSent = 0;

  /** Counts one answered request; `route` is the route's path, so the number of series is bounded. */
  countRequest(method: string, route: string, status: number): void {
    const key = `method="${method}",route="${route}",status="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }

  /** The text exposition, with what is true right now. */
  render(now: { openStreams: number; runningRuns: number; authFailures: number }): string {
    const { rss, heapUsed } = process.memoryUsage();
    const requests = [...this.#requests].map(([labels, count]): Sample => [labels, count]);
    return [
      family('singletree_http_requests_total', 'counter', 'Requests answered, by route and status.', requests),
      family('singletree_open_streams', 'gauge', 'Event streams that are open.', [['', now.openStreams]]),
      family('singletree_running_runs', 'gauge', 'Runs under way in this process.', [['', now.runningRuns]]),
      family('singletree_events_sent_total', 'counter', 'Events sent to readers.', [['', this.eventsSent]]),
      family('singletree_auth_failures_total', 'counter', 'Requests with a wrong token.', [['', now.authFailures]]),
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
