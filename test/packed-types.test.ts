import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packedProject } from './support/packed-project.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const hover = fileURLToPath(new URL('support/hover.mjs', import.meta.url));
const cache = process.env['SINGLETREE_CLI_CACHE'] ?? join(homedir(), '.cache', 'singletree-test-programs');
const versions = ['5.4', '5.9'] as const;
const compilerOf = (version: string) => join(cache, `typescript-${version}`, 'node_modules/typescript');
const isReady = process.env['CI'] !== undefined || versions.every(version => existsSync(compilerOf(version)));
if (!isReady)
  console.warn('SKIPPED other versions of TypeScript: they are not installed. CI=true npm test installs them.');

/** A program whose types follow from its own schemas; `export` makes the compiler name the types in declarations. */
const program = `import { defineTool, isCallOf, isEndOf, loopAgent, type ToolCall } from 'singletree/agents';
import { type ContextOf, Supervisor } from 'singletree/control';
import type { AgentEvent } from 'singletree/events';
import { MemoryLog } from 'singletree/log';
import * as z from 'zod';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function check<Holds extends true>(): Holds | undefined {
  return undefined;
}

const tenant = z.object({ tenant: z.string() });
export const orders = defineTool({
  name: 'orders',
  description: 'Counts orders',
  input: z.object({ since: z.string() }),
  context: tenant,
  needsApproval: ({ since }) => since === '',
  execute: ({ since }, { context, by, threadId, resourceId }) => {
    check<Equal<typeof context, { tenant: string }>>();
    return { since, by, threadId, resourceId, count: context.tenant.length };
  },
});
export const annotated = defineTool({
  name: 'annotated',
  description: 'Reads a value',
  input: z.object({ key: z.string() }),
  execute: ({ key }, { context }: ToolCall<Map<string, number>>) => context.get(key) ?? 0,
});
export const agent = loopAgent({
  model: 'anthropic/claude-sonnet-4-5',
  context: tenant,
  instructions: ({ context }) => \`You serve \${context.tenant}.\`,
  tools: [orders, annotated],
  output: z.object({ total: z.number() }),
  permissions: 'ask',
});
export const byTenant = loopAgent({
  model: 'anthropic/claude-sonnet-4-5',
  context: tenant,
  tools: ({ context, resourceId }) => {
    check<Equal<typeof context, { tenant: string }>>();
    return resourceId === context.tenant ? [orders] : [];
  },
});
export const plain = loopAgent({ model: 'anthropic/claude-sonnet-4-5', permissions: 'allow' });
const contextOf: ContextOf = ({ thread, by }) => ({ tenant: thread.resourceId + (by ?? '') });

export async function main() {
  const log = new MemoryLog();
  const supervisor = new Supervisor({ log, agents: [agent], contextOf });
  const thread = await log.createThread({ resourceId: 'acme' });
  const run = await supervisor.start(thread.id, { agent, content: 'Count', context: { tenant: 'acme' } });
  const { text, output, usage, error } = await run.result;
  check<Equal<typeof output, { total: number } | undefined>>();
  check<Equal<typeof error, { readonly code: string; readonly message: string } | undefined>>();
  const script = await plain.run('Hello', { supervisor });
  check<Equal<typeof script.output, unknown>>();
  return { text, tokens: usage.outputTokens, total: output?.total, said: script.text };
}
export function read(event: AgentEvent) {
  if (isCallOf(event, orders)) return event.input.since;
  if (isEndOf(event, agent)) return event.output?.total;
  // @ts-expect-error a misspelt field
  if (event.type === 'text') return event.contents;
  return event.type === 'relay' && event.relayKind === 'permission' ? event.tool : undefined;
}
export function lastText(events: readonly AgentEvent[]) {
  return events.flatMap(event => (event.type === 'text' ? [event] : [])).at(-1);
}
`;

const strict = { target: 'es2022', lib: ['es2023'], strict: true, declaration: true, outDir: 'out', types: ['node'] };
/** Examples import each other with the extension of their files, and are not emitted. */
const emits = { allowImportingTsExtensions: true, noEmit: true, declaration: false };
const resolutions = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

describe('the types of the packed package', () => {
  let project: string;
  beforeAll(async () => {
    project = packedProject();
    writeFileSync(join(project, 'program.ts'), program);
    if (!isReady) return;
    for (const version of versions) {
      if (existsSync(compilerOf(version))) continue;
      const folder = join(cache, `typescript-${version}`);
      mkdirSync(folder, { recursive: true });
      const args = ['install', '--no-audit', '--no-fund', '--prefix', folder, `typescript@~${version}.0`];
      await promisify(execFile)('npm', args);
    }
  }, 300_000);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  /** What a compiler reports about the program. */
  function compile(compiler: string, options: object, files: readonly string[] = ['program.ts']): string {
    const compilerOptions = { ...strict, ...options };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    return spawnSync(process.execPath, [join(compiler, 'bin/tsc'), '-p', '.'], { cwd: project, encoding: 'utf8' })
      .stdout;
  }

  it.each(Object.entries(resolutions))('follow the schemas of the user, resolved as %s', (_, options) => {
    const checks = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true };
    expect(compile(join(root, 'node_modules/typescript'), { ...options, ...checks })).toBe('');
  });

  it.each(Object.entries(resolutions))('are those of the examples, resolved as %s', (_, options) => {
    cpSync(join(project, 'node_modules/singletree/examples'), join(project, 'examples'), { recursive: true });
    const files = readdirSync(join(project, 'examples'), { recursive: true, encoding: 'utf8' });
    const programs = files.filter(file => file.endsWith('.ts')).map(file => join('examples', file));
    expect(programs.length).toBeGreaterThan(18);
    const checks = { skipLibCheck: true, lib: ['es2023', 'dom', 'dom.iterable'], target: 'es2023', ...emits };
    // The vite config of a page is typed by Vite, which is not installed here.
    const own = programs.filter(file => !file.endsWith('vite.config.ts'));
    expect(compile(join(root, 'node_modules/typescript'), { ...options, ...checks }, own)).toBe('');
  });

  it.skipIf(!isReady)(
    'are strict in TypeScript 5.9, and compile in 5.4 with skipLibCheck',
    () => {
      expect(compile(compilerOf('5.9'), resolutions.nodenext)).toBe('');
      expect(compile(compilerOf('5.4'), { ...resolutions.bundler, skipLibCheck: true })).toBe('');
    },
    240_000,
  );

  it.skipIf(!isReady)('show an editor the name of an event, and each field with its documentation', () => {
    const file = join(project, 'hover.ts');
    const code = `import type { AgentEvent } from 'singletree/events';
export function read(event: AgentEvent) {
  if (event.type === 'text') return event.final;
  return event.type === 'relay' ? event.expiresAt : event.runId;
}
`;
    writeFileSync(file, code);
    const at = (text: string, offset: number) => String(code.indexOf(text) + offset);
    const positions = [at('event.final', 0), at('event.final', 6), at('event.expiresAt', 6), at('event.runId', 6)];
    const { stdout } = spawnSync(process.execPath, [hover, compilerOf('5.9'), file, ...positions], {
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject([
      { shown: expect.stringContaining('event: TextEvent') },
      { doc: expect.stringContaining('Whether the message is complete with this fragment') },
      { doc: 'When the request expires.' },
      { doc: 'The run this event belongs to.' },
    ]);
  });
});
