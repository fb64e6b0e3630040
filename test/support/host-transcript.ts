import type { RecordingHost } from './recorded-channel.ts';

/** Returns everything that a channel did to its host, in order, but the messages to the program and timers. */
export function transcriptOf(host: RecordingHost): object[] {
  const counts = { event: 0, request: 0, withdrawn: 0, steered: 0, end: 0 };
  return host.calls.map(call => {
    const [name] = call.split(' ');
    if (name === 'emit') return host.events[counts.event++] as object;
    if (name === 'request') return { request: host.requests[counts.request++] };
    if (name === 'withdraw') return { withdrawn: host.withdrawn[counts.withdrawn++] };
    if (name === 'steered') return { steered: host.steerings[counts.steered++] };
    if (name === 'turnEnded') return { ended: host.ends[counts.end++] };
    return name === 'ready' ? { ready: host.session } : { failed: host.problem };
  });
}
