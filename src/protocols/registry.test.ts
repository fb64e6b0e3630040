import { describe, expect, it } from 'vitest';
import { examples } from '../../test/support/request-examples.ts';
import { encodeAll } from './encoder.ts';
import { type ProtocolName, protocolNamed, protocols } from './registry.ts';

const log = examples['a tool with progress'];

/** A whole response body, and its content type. */
function respond(name: ProtocolName): [string, string] {
  const { encoder, framing } = protocols[name];
  const body = [...encodeAll<unknown>(encoder({ threadId: 'th' }), log).map(framing.frame), framing.last].join('');
  return [framing.headers['content-type'] as string, body];
}

describe('the protocols', () => {
  it('are found by name', () => {
    expect(protocolNamed('flow')).toBe(protocols.flow);
    expect(protocolNamed('toString')).toBeUndefined();
  });

  it('write flow as server-sent events', () => {
    const [type, body] = respond('flow');
    expect(type).toBe('text/event-stream');
    expect(body.slice(0, 32)).toBe('data: {"type":"step-start"}\n\ndat');
    expect(body.endsWith('"retries":0}}\n\n')).toBe(true);
  });

  it('write the AI SDK stream as its clients expect it', () => {
    expect(protocols['ai-sdk-7'].framing.headers).toEqual({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
      'x-vercel-ai-ui-message-stream': 'v1',
    });
    const [, body] = respond('ai-sdk-7');
    expect(body.startsWith('data: {"type":"start","messageId":"run"')).toBe(true);
    expect(body.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  });

  it('write activity and events as lines of JSON', () => {
    const [type, activity] = respond('activity');
    expect(type).toBe('application/x-ndjson');
    expect(
      activity
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).type),
    ).toEqual(['read', 'agent']);
    const [, events] = respond('events');
    expect(
      events
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual(log);
  });
});
