import { describe, expect, it } from 'vitest';
import { type LogStyle, requestLog } from './request-log.ts';
import { createRedactor } from '../agents/redaction/redactor.ts';

describe('the log of requests', () => {
  const lines = (style: LogStyle) => {
    const written: string[] = [];
    const write = requestLog(style, createRedactor(['hidden-value']), line => void written.push(line));
    write({ method: 'GET', route: '/a/:id', path: '/a/hidden-value', status: 200, ms: 1.26 });
    write({ method: 'POST', route: '/b', path: '/b', status: 500, ms: 20 });
    return written;
  };

  it('is for programs, for people, or silent, and holds no secrets', () => {
    const request = { time: expect.any(String) as string, msg: 'request' };
    expect(lines('json').map(line => JSON.parse(line))).toEqual([
      { ...request, method: 'GET', route: '/a/:id', path: '/a/[redacted]', status: 200, ms: 1.26 },
      { ...request, method: 'POST', route: '/b', path: '/b', status: 500, ms: 20 },
    ]);
    expect(lines('pretty')).toEqual(['GET /a/[redacted] 200 1.3 ms', 'POST /b 500 20.0 ms']);
    expect(lines('errors')).toEqual(['POST /b 500 20.0 ms']);
    expect(lines('off')).toEqual([]);
  });
});
