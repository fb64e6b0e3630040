import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type Rolldown } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { sandboxProgram } from '../scripts/sandbox-program.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The modules of each face, without the small ones that name its versions, frames and route. */
const faces = {
  ACP: /src\/(?:protocols|cli)\/acp\/|@agentclientprotocol/,
  'AG-UI': /src\/protocols\/ag-ui\/(?!ag-ui-(?:event|framing)\.ts)|src\/server\/ag-ui/,
  'AI SDK': /src\/protocols\/ai-sdk\/(?!chunk\.ts|ai-sdk-framing\.ts)/,
  MCP: /src\/server\/mcp\/(?!mcp-(?:http|access)\.ts)|@modelcontextprotocol/,
  OpenTelemetry: /src\/protocols\/otel\/|src\/telemetry\//,
};
type Face = keyof typeof faces;

const findFaces = (modules: readonly string[]) =>
  (Object.keys(faces) as Face[]).filter(face => modules.some(id => faces[face].test(id)));

/** Appends the address of each module that Node loads to the file of its argument. */
const hooks = `import { appendFileSync } from 'node:fs';
let file;
export const initialize = name => { file = name; };
export const load = (url, context, next) => { appendFileSync(file, url + '\\n'); return next(url, context); };`;

const program = `import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
const loaded = new URL('loaded.txt', import.meta.url);
const mark = name => appendFileSync(loaded, '# ' + name + '\\n');
register('./hooks.mjs', import.meta.url, { data: loaded.pathname });
mark('import the registry');
const { protocolRegistry } = await import('./registry.js');
protocolRegistry();
mark('start a server');
const { startServer } = await import('./server.js');
const { Supervisor } = await import('./control.js');
const { MemoryLog } = await import('./log.js');
const log = new MemoryLog();
const control = new Supervisor({ log, agents: [] });
const server = await startServer({ log, control, agents: { list: () => [{ id: 'a', name: 'a' }], get: () => ({ id: 'a' }) }, port: 0 });
const { id } = await log.createThread();
await fetch(server.url + '/api/openapi.json').then(answer => answer.text());
await fetch(server.url + '/api/threads/' + id).then(answer => answer.text());
mark('read with the AI SDK');
await fetch(server.url + '/api/chat/' + id + '/messages').then(answer => answer.text());
mark('connect with AG-UI');
const body = JSON.stringify({ threadId: id, runId: 'r', messages: [] });
const headers = { 'content-type': 'application/json' };
await fetch(server.url + '/api/ag-ui/agent/a/connect', { method: 'POST', headers, body }).then(answer => answer.text());
mark('call MCP');
await fetch(server.url + '/mcp', { method: 'POST', headers, body: '{}' }).then(answer => answer.text());
await server.close();
await control.close();`;

/** Which faces were loaded in each part of the program. */
const loadedIn = new Map<string, Face[]>();
/** The modules that a built entry imports, without those that it loads later. */
const importedBy = new Map<string, string[]>();

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unused-faces-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const names = {
    registry: 'protocols/registry',
    server: 'server/index',
    control: 'control/index',
    log: 'log/index',
    serve: 'cli/serve/serve-page',
  };
  const built = await build({
    root,
    configFile: false,
    plugins: [sandboxProgram()],
    logLevel: 'silent',
    ssr: { external: true },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(names).map(([name, path]) => [name, join(root, `src/${path}.ts`)])),
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  });
  const chunks = new Map(
    (built as Rolldown.RolldownOutput).output.flatMap(chunk =>
      chunk.type === 'chunk' ? [[chunk.fileName, chunk] as const] : [],
    ),
  );
  const readImports = (name: string, seen = new Set<string>()): string[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    const chunk = chunks.get(name);
    if (chunk === undefined) return [name];
    return [...Object.keys(chunk.modules), ...chunk.imports.flatMap(each => readImports(each, seen))];
  };
  for (const name of Object.keys(names)) importedBy.set(name, readImports(`${name}.js`));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'hooks.mjs'), hooks);
  writeFileSync(join(folder, 'program.mjs'), program);
  await promisify(execFile)(process.execPath, [join(folder, 'program.mjs')]);
  let part = '';
  for (const line of readFileSync(join(folder, 'loaded.txt'), 'utf8').trim().split('\n')) {
    if (line.startsWith('# ')) part = line.slice(2);
    const file = line.split(`${folder}/`)[1] ?? '';
    const modules = [line, ...Object.keys(chunks.get(file)?.modules ?? {})];
    loadedIn.set(part, [...new Set([...(loadedIn.get(part) ?? []), ...findFaces(modules)])]);
  }
});

describe('the faces of a server', () => {
  it('are not loaded by the registry of protocols, or when a server starts', () => {
    expect(loadedIn.get('import the registry')).toEqual([]);
    expect(loadedIn.get('start a server')).toEqual([]);
  });

  it('are loaded by the first request that uses them', () => {
    expect(loadedIn.get('read with the AI SDK')).toEqual(['AI SDK']);
    expect(loadedIn.get('connect with AG-UI')).toEqual(['AG-UI']);
    expect(loadedIn.get('call MCP')).toEqual(['MCP']);
  });

  it('are not imported by the command that serves the page', () => {
    expect(importedBy.get('serve')?.some(id => id.includes('src/server/app.ts'))).toBe(true);
    expect(findFaces(importedBy.get('serve') ?? [])).toEqual([]);
  });
});
