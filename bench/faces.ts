import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AgentEvent } from 'singletree/events';
import { aiSdkEncoder, type Encoder } from 'singletree/protocols';
import { build } from 'vite';
import { conversation } from './conversation.ts';
import { race } from './measure.ts';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const count = 100_000;

/** Encoding an event for the client of another protocol costs at most half more than for the AI SDK. */
export async function* faces(): AsyncGenerator<Result> {
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
  const acpEncoder = await loadAcpEncoder();
  const { acp, aiSdk } = await race(
    { acp: () => encodeTurns(acpEncoder), aiSdk: () => encodeTurns(aiSdkEncoder) },
    { warmups: 5, rounds: 15 },
  );
  const perEvent = (milliseconds: number) => (milliseconds / count) * 1_000;
  yield {
    claim: 'encode an event for an editor (ACP): time vs the AI SDK encoder',
    size: '100 k events',
    unit: 'µs',
    ours: perEvent(acp),
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

/** Builds the encoder by itself: the package loads it only for an editor. */
async function loadAcpEncoder(): Promise<() => Encoder<unknown>> {
  const folder = temporaryFolder();
  try {
    const entry = fileURLToPath(new URL('../../src/protocols/acp/acp-encoder.ts', import.meta.url));
    const output = { entryFileNames: 'acp-encoder.mjs' };
    const options = { ssr: entry, outDir: folder.path('dist'), minify: false, rolldownOptions: { output } };
    await build({ configFile: false, logLevel: 'silent', ssr: { noExternal: true }, build: options });
    const file = pathToFileURL(folder.path('dist/acp-encoder.mjs')).href;
    return ((await import(file)) as { acpEncoder: () => Encoder<unknown> }).acpEncoder;
  } finally {
    folder.remove();
  }
}
