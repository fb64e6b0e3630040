import type { AgentEvent } from 'singletree/events';
import { agUiEncoder, aiSdkEncoder, type Encoder } from 'singletree/protocols';
import { conversation } from './conversation.ts';
import { race } from './measure.ts';
import type { Result } from './result.ts';

const count = 100_000;

/** Encoding an event for a client of AG-UI costs at most half more than for the AI SDK. */
export async function* facesAgUi(): AsyncGenerator<Result> {
  const turns = splitTurns(conversation(count));
  const encodeTurns = (create: () => Encoder<unknown>) => {
    let chunks = 0;
    for (const events of turns) {
      const encoder = create();
      for (const event of events) chunks += encoder.encode(event).length;
      chunks += encoder.end().length;
    }
    return chunks;
  };
  const { agUi, aiSdk } = await race(
    { agUi: () => encodeTurns(agUiEncoder), aiSdk: () => encodeTurns(aiSdkEncoder) },
    { warmups: 5, rounds: 15 },
  );
  const perEvent = (milliseconds: number) => (milliseconds / count) * 1_000;
  yield {
    claim: 'encode an event for AG-UI: time vs the AI SDK encoder',
    size: '100 k events',
    unit: 'µs',
    ours: perEvent(agUi),
    peer: perEvent(aiSdk),
    goal: { atMost: 1.5 },
  };
}

/** The events of each request, with the message that it answers. */
function splitTurns(events: readonly AgentEvent[]): AgentEvent[][] {
  const turns: AgentEvent[][] = [];
  for (const event of events)
    if (event.type === 'user') turns.push([event]);
    else turns.at(-1)?.push(event);
  return turns;
}
