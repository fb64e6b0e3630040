import type { RecordingHost } from './recorded-channel.ts';

/** Returns everything that a channel did to its host, in order, but the messages to the program and timers. */
export function transcriptOf(host: RecordingHost): object[] {
  return host.trace.map(call => {
    if ('emit' in call) return call.emit as object;
    if ('withdraw' in call && 'reason' in call) return { withdrawn: { id: call.withdraw, reason: call.reason } };
    if ('steered' in call && 'delivery' in call) return { steered: { id: call.steered, delivery: call.delivery } };
    return 'turnEnded' in call ? { ended: call.turnEnded } : call;
  });
}
