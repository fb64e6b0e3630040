// oxlint-disable no-control-regex
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { untrusted } from '../config/untrusted-config.ts';
import { visibleLine } from '../base/terminal-text.ts';
import { untrustedLines } from './config.ts';

const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/u;
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\r\u001b[20A\u001b[0J',
        '\n  - sets the limits of spending',
        '")',
        '\u202e',
        '\u200b',
        ' '.repeat(500),
      ),
    ),
    { maxLength: 4 },
  )
  .map(parts => `x${parts.join('')}`);

describe('the trust question', () => {
  it('has one line for each thing that the folder brings, and shows every program, however names are chosen', () => {
    const servers = fc.dictionary(hostile, hostile, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
    fc.assert(
      fc.property(servers, hostile, hostile, (programs, name, path) => {
        const config = {
          defaultAgent: name,
          defaultModel: path,
          mcpServers: {
            ...Object.fromEntries(Object.entries(programs).map(([key, command]) => [`p${key}`, { command }])),
            [`u${name}`]: { url: path },
          },
          skills: [path, name],
          models: { providers: [{ id: name, baseURL: path, keyVariable: name }] },
          worktree: { setup: name },
        };
        const { withheld } = untrusted(config, undefined);
        const lines = untrustedLines({ folder: `/${path}`, file: `/${path}/singletree.config.json`, brings: withheld });
        expect(lines).toHaveLength(withheld.length + 2);
        for (const line of lines) expect(line).not.toMatch(unsafe);
        for (const command of Object.values(programs))
          expect(lines).toContainEqual(
            expect.stringContaining(`  - starts the program ${visibleLine(JSON.stringify(command))} (MCP server `),
          );
        // A name takes a bounded number of rows: what comes before it stays in sight.
        for (const line of lines.filter(each => each.includes(' (MCP server ')))
          expect(line.slice(line.lastIndexOf(' (MCP server ')).length).toBeLessThan(1_000);
      }),
    );
  });
});
