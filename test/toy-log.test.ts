import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { logConformance } from '../src/testing/log-conformance.ts';
import { ToyLog } from './support/toy-log.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the store of the guide', () => {
  it('is the one that is tested here', () => {
    const code = read('./support/toy-log.ts').replace(/\.\.\/\.\.\/src\/(\w+)\/index\.ts/g, 'singletree/$1');
    expect(read('../docs/guides/write-a-store.md')).toContain(`\`\`\`ts\n// toy-log.ts\n${code}\`\`\``);
  });

  logConformance({ describe, it }, { open: async options => new ToyLog(options) });
});
