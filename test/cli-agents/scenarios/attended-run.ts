import type { RelayAnswer } from '../../../src/agents/contract/host.ts';
import type { RunHandle } from '../../../src/control/supervision/run-control.ts';
import type { EventOf, LoggedEvent } from '../../../src/events/index.ts';
import type { LiveScene } from '../support/live-scene.ts';

/** Answers every relay of a run as it comes, until the run ends; returns the relays with its events. */
export async function attendedRun(
  live: LiveScene,
  run: RunHandle,
  answerTo: (relay: EventOf<'relay'>) => Omit<RelayAnswer, 'relayId'>,
): Promise<{ readonly outcome: string; readonly events: LoggedEvent[]; readonly relays: EventOf<'relay'>[] }> {
  const relays: EventOf<'relay'>[] = [];
  const tail = live.log.tail(live.threadId, 0);
  const attending = (async () => {
    for await (const event of tail)
      if (event.type === 'relay') {
        relays.push(event);
        await live.answer(event, answerTo(event));
      }
  })();
  // A failed answer ends the test; else the run would wait for ever.
  const finished = await Promise.race([live.finished(run), attending.then(() => live.finished(run))]);
  tail.leave?.();
  return { ...finished, relays };
}
