import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverSegments, toolNames } from './mcp-tools.ts';

const anyName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 90 }),
  fc.string({ unit: fc.constantFrom('a', '_', '.', '-', '/'), minLength: 1, maxLength: 6 }),
);
const lists = fc.uniqueArray(anyName, { maxLength: 12 });

describe('the names of MCP tools', () => {
  it('are mcp__<server>__<tool>', () => {
    expect([...toolNames('github', ['search_issues', 'get-me'])]).toEqual([
      ['get-me', 'mcp__github__get-me'],
      ['search_issues', 'mcp__github__search_issues'],
    ]);
  });

  it('replace characters that no provider accepts', () => {
    expect([...toolNames('s', ['läs fil', 'a.b/c']).values()]).toEqual(['mcp__s__a_b_c', 'mcp__s__l_s_fil']);
  });

  it('keep the exact name, and mark a colliding one', () => {
    const names = toolNames('s', ['a.b', 'a_b']);
    expect(names.get('a_b')).toBe('mcp__s__a_b');
    expect(names.get('a.b')).toMatch(/^mcp__s__a_b_[0-9a-f]{8}$/);
  });

  it('are valid for every provider and unique, whatever the names of servers and tools', () => {
    fc.assert(
      fc.property(lists, lists, (servers, tools) => {
        const segments = [...serverSegments(servers).values()];
        const names = segments.flatMap(segment => [...toolNames(segment, tools).values()]);
        expect(new Set(names).size).toBe(servers.length * tools.length);
        for (const name of names) expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
      }),
    );
  });

  it('do not depend on the order in which a server lists its tools', () => {
    fc.assert(
      fc.property(lists, tools => {
        expect(toolNames('s', tools.toReversed())).toEqual(toolNames('s', tools));
      }),
    );
  });
});
