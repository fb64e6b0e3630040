import { describe, expect, it } from 'vitest';
import { examples } from '../../test/support/request-examples.ts';
import { encodeAll } from './encoder.ts';
import { ndjsonFraming } from './framing.ts';
import type { Protocol } from './protocol.ts';
import { protocolRegistry, protocols } from './registry.ts';

const log = examples['a tool with progress'];

/** A whole response body, and its content type. */
async function respond({ encoder, framing }: Protocol): Promise<[string, string]> {
  const chunks = encodeAll(await encoder({ threadId: 'th' }), log);
  const body = [...chunks.map(chunk => framing.frame(JSON.stringify(chunk))), framing.last].join('');
  return [framing.headers['content-type'] as string, body];
}

describe('the protocols', () => {
  it('are found by name, built-in ones before added ones', () => {
    const registry = protocolRegistry({ mine: protocols.flow });
    expect([...registry.keys()]).toEqual(['events', 'flow', 'ai-sdk', 'activity', 'ag-ui', 'mine']);
    expect(registry.get('flow')).toBe(protocols.flow);
    expect(registry.get('toString')).toBeUndefined();
  });

  it('refuse a name that is taken, or that does not fit into an address', () => {
    expect(() => protocolRegistry({ flow: protocols.flow })).toThrow('a built-in protocol has this name');
    expect(() => protocolRegistry({ 'My Protocol': protocols.flow })).toThrow('expected lower-case letters');
  });

  it('write flow as server-sent events', async () => {
    const [type, body] = await respond(protocols.flow);
    expect(type).toBe('text/event-stream; charset=utf-8');
    expect(body.slice(0, 32)).toBe('data: {"type":"step-start"}\n\ndat');
    expect(body.endsWith('"retries":0}}\n\n')).toBe(true);
  });

  it('write the AI SDK stream as its clients expect it', async () => {
    expect(protocols['ai-sdk'].framing.headers).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
      'x-vercel-ai-ui-message-stream': 'v1',
    });
    const [, body] = await respond(protocols['ai-sdk']);
    expect(body.startsWith('data: {"type":"start","messageId":"run"')).toBe(true);
    expect(body.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  });

  it('write activity and events, also as lines of JSON', async () => {
    const linesOf = async (protocol: Protocol): Promise<unknown[]> => {
      const [type, body] = await respond({ ...protocol, framing: ndjsonFraming });
      expect(type).toBe('application/x-ndjson');
      const lines = body.trimEnd().split('\n');
      return lines.map(line => JSON.parse(line) as unknown);
    };
    expect(await linesOf(protocols.activity)).toMatchObject([{ type: 'read' }, { type: 'agent' }]);
    expect(await linesOf(protocols.events)).toEqual(log);
  });
});
