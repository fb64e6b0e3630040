import { describe, expect, it } from 'vitest';
import { type LogStyle, requestLog } from './request-log.ts';
import { createRedactor } from '../agents/redaction/redactor.ts';

describe('the log of requests', () => {
  const lines = (style: LogStyle) => {
    const written: string[] = [];
    const write = requestLog(style, createRedactor(['hidden-value']), line => void written.push(line));
    write({ method: 'GET', route: '/a/hidden-value', status: 200, ms: 1.26 });
    write({ method: 'POST', route: '/b', status: 500, ms: 20 });
    return written;
  };

  it('is for programs, for people, or silent, and holds no secrets', () => {
    expect(lines('json').map(line => JSON.parse(line))).toEqual([
      { time: expect.any(String), msg: 'request', method: 'GET', route: '/a/[redacted]', status: 200, ms: 1.26 },
      { time: expect.any(String), msg: 'request', method: 'POST', route: '/b', status: 500, ms: 20 },
    ]);
    expect(lines('pretty')).toEqual(['GET /a/[redacted] 200 1.3 ms', 'POST /b 500 20.0 ms']);
    expect(lines('errors')).toEqual(['POST /b 500 20.0 ms']);
    expect(lines('off')).toEqual([]);
  });
});
