import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type AgentEvent, parseEventText } from '../../src/events/index.ts';
import { aiSdkEncoder, checkFlowOrder, flowEncoder } from '../../src/protocols/index.ts';
import { encodeAll } from '../../src/protocols/encoder.ts';
import { readMessage, versions } from './ai-sdk-clients.ts';

const folder = fileURLToPath(new URL('../cli-agents/fixtures/', import.meta.url));
const recorded = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('events.jsonl'))
  .map(dirname);

function eventsOf(name: string): AgentEvent[] {
  const lines = readFileSync(`${folder}${name}/events.jsonl`, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => parseEventText(line, `line ${index + 1}`));
}

describe('the recorded runs of real agents', () => {
  it('are there', () => expect(recorded.length).toBeGreaterThan(10));

  it.each(recorded)('%s is served over flow and to every AI SDK client', async name => {
    const events = eventsOf(name);
    expect(checkFlowOrder(encodeAll(flowEncoder(), events))).toEqual([]);
    for (const version of versions) {
      const chunks = encodeAll(aiSdkEncoder({ version }), events);
      const failures = chunks.flatMap(chunk => (chunk.type === 'error' ? [chunk.errorText] : []));
      expect((await readMessage(version, chunks)).errors).toEqual(failures);
    }
  });
});
