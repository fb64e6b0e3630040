import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Who may import whom: a layer sees only what stands beside it here. */
const mayImport: Record<string, readonly string[]> = {
  base: [],
  events: ['base'],
  graph: ['base', 'events'],
  projections: ['base', 'events', 'graph'],
  log: ['base', 'events', 'graph'],
  protocols: ['base', 'events', 'graph', 'projections'],
  client: ['base', 'events', 'graph', 'projections', 'protocols'],
  agents: ['base', 'events', 'graph', 'projections', 'log'],
  control: ['base', 'events', 'graph', 'projections', 'log', 'agents'],
  runtime: ['base', 'events', 'graph', 'projections', 'log', 'agents', 'control', 'protocols'],
  telemetry: ['base', 'events', 'graph', 'projections', 'log', 'agents', 'control', 'protocols'],
  server: ['base', 'events', 'graph', 'projections', 'log', 'agents', 'control', 'protocols', 'runtime', 'telemetry'],
  config: ['base', 'events', 'graph', 'projections', 'log', 'agents', 'control'],
  terminal: ['base', 'events', 'graph', 'projections', 'log', 'agents', 'control', 'config', 'client'],
  testing: ['base', 'events', 'log', 'agents'],
};

/**
 * The same inside `src/agents`: a folder sees only the folders beside it here. `shared` stands for the files that are
 * directly in `src/agents`; those that connect everything may import any folder.
 */
const shared = ['contract', 'run', 'shared'];
const agentFolders: Record<string, readonly string[]> = {
  contract: [],
  run: shared,
  shared,
  redaction: [],
  limits: ['contract'],
  permissions: ['contract'],
  tasks: [],
  process: ['shared', 'redaction'],
  git: ['process', 'workspace'],
  workspace: ['contract', 'shared', 'process', 'git'],
  'tool-definition': ['contract'],
  // A tool works in a workspace, and its calls are decided about by rules on paths.
  tools: [...shared, 'tool-definition', 'workspace', 'permissions', 'process', 'tasks'],
  skills: ['contract', 'tool-definition'],
  mcp: [...shared, 'process', 'redaction'],
  // A model is called within limits, is offered tools, and gets attachments that are loaded from public addresses.
  model: [...shared, 'tool-definition', 'limits', 'tools'],
  memory: [...shared, 'model', 'limits'],
  titles: ['contract', 'memory'],
  subagents: [...shared, 'tool-definition'],
  // The loop is where a model, tools, permissions, memory, limits and subagents meet.
  loop: [...shared, 'tool-definition', 'model', 'permissions', 'limits', 'memory', 'subagents', 'workspace'],
  rlm: [...shared, 'tool-definition', 'model', 'permissions', 'loop', 'subagents'],
  coder: [
    ...shared,
    'tool-definition',
    'model',
    'permissions',
    'limits',
    'memory',
    'titles',
    'subagents',
    'loop',
    'skills',
    'tasks',
    'tools',
    'process',
    'workspace',
  ],
  demo: ['contract', 'tool-definition', 'model', 'loop', 'rlm', 'subagents'],
  cli: [...shared, 'process', 'model', 'permissions', 'loop', 'memory', 'workspace', 'tools', 'mcp'],
};
const connecting = ['index.ts', 'orchestrator.ts'];
/** Who may import whom inside `src/control`: whole folders, or single files of one. */
const controlMayImport: Record<string, readonly string[]> = {
  threads: [],
  supervision: ['threads', 'standard-output.ts'],
  conversations: ['supervision', 'threads', 'rewind'],
  harness: ['conversations', 'supervision', 'threads', 'standard-output.ts'],
  rewind: ['conversations/conversation-reader.ts'],
  worktrees: ['conversations', 'supervision/run-control.ts', 'threads'],
  import: ['conversations/thread-titles.ts'],
  webhooks: ['supervision/leases.ts'],
};
const web = ['client', 'protocols', 'projections', 'graph', 'events', 'base'];
const browserSafe = ['base', 'events', 'graph', 'projections', 'protocols', 'client'];

/** Who may import whom inside a layer: a folder sees itself and what stands beside it here. */
const inside: Record<string, Record<string, readonly string[]>> = {
  terminal: {
    screen: [],
    keys: [],
    completion: [],
    rows: ['screen'],
    composer: ['keys', 'screen'],
    pickers: ['completion', 'keys', 'screen'],
    session: ['completion', 'composer', 'keys', 'pickers', 'rows', 'screen'],
  },
};

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const sources = (folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter(file => /\.tsx?$/.test(file) && !file.includes('.test.') && !file.includes('node_modules'))
        .map(file => join(folder, file))
    : [];

function importsOf(code: string): Import[] {
  const statements = code.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm);
  const dynamic = code.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g);
  return [
    ...[...statements].map(([, type, specifier]) => ({ specifier: specifier as string, typeOnly: type !== undefined })),
    ...[...dynamic].map(([, specifier]) => ({ specifier: specifier as string, typeOnly: false })),
  ];
}

/** The files whose values a file imports; imports that only name types, and lazy ones, are left out. */
function valueImportsOf(file: string): string[] {
  const statements = readFileSync(join(root, file), 'utf8').matchAll(
    /^(?:import|export)\s+(?!type\s)(?<names>[^'";]*?\sfrom\s+)?'(?<from>\.[^']+)'/gm,
  );
  return [...statements].flatMap(({ groups }) => {
    const names = /\{(?<list>[^}]*)\}/.exec(groups?.['names'] ?? '')?.groups?.['list'];
    const isOfTypes = names !== undefined && names.split(',').every(name => /^\s*(?:type\s|$)/.test(name));
    return isOfTypes ? [] : [relative(root, resolve(root, file, '..', groups?.['from'] ?? ''))];
  });
}

/** The files that a file imports statically, for values or types. */
function importedFiles(file: string): string[] {
  const statements = readFileSync(join(root, file), 'utf8').matchAll(
    /^(?:import|export)\s[^'";]*?\sfrom\s+'(\.[^']+)'/gm,
  );
  return [...statements].map(([, from = '']) => relative(root, resolve(root, file, '..', from)));
}

/** What is wrong with a file of a layer, one line each. */
function violations(file: string, code: string, allowed: readonly string[], layer: string): string[] {
  const found: string[] = [];
  for (const { specifier, typeOnly } of importsOf(code)) {
    if (specifier.startsWith('.')) {
      const target = relative(root, resolve(root, file, '..', specifier)).split('/')[1] as string;
      if (target !== layer && !allowed.includes(target)) found.push(`${file} imports ${target}`);
      if (layer === 'agents' && target === 'log' && !typeOnly) found.push(`${file} imports more than types of log`);
    } else {
      if (browserSafe.includes(layer) && specifier.startsWith('node:')) found.push(`${file} imports ${specifier}`);
      if ((layer === 'base' || layer === 'events') && specifier !== 'zod') found.push(`${file} imports ${specifier}`);
    }
  }
  if (browserSafe.includes(layer))
    for (const [name] of code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '').matchAll(/\b(?:process|Buffer)\./g))
      found.push(`${file} uses ${name}`);
  return found;
}

/** The imports of a file of `src/control` that its folder may not have, one line each. */
function controlViolations(file: string, code: string): string[] {
  const [folder = ''] = file.split('/').slice(2);
  const allowed = [folder, ...(controlMayImport[folder] ?? [])];
  return importsOf(code).flatMap(({ specifier }) => {
    const target = relative(join(root, 'src/control'), resolve(root, file, '..', specifier));
    const isAllowed = target.startsWith('..') || allowed.some(each => target === each || target.startsWith(`${each}/`));
    return specifier.startsWith('.') && !isAllowed ? [`${file} imports ${target}`] : [];
  });
}

/** The imports of a file from folders of its layer that its own folder may not see, one line each. */
function siblingViolations(file: string, code: string, folders: Record<string, readonly string[]>): string[] {
  const [, layer, folder = ''] = file.split('/');
  return importsOf(code).flatMap(({ specifier }) => {
    if (!specifier.startsWith('.')) return [];
    const [, other, sibling = ''] = relative(root, resolve(root, file, '..', specifier)).split('/');
    const isSeen = other !== layer || sibling === folder || folders[folder]?.includes(sibling) === true;
    return isSeen ? [] : [`${file} imports ${sibling}`];
  });
}

/** The folder of a file of `src/agents`, or `shared` for a file directly in it. */
const agentFolder = (file: string) => (file.split('/').length > 3 ? (file.split('/')[2] as string) : 'shared');

/** The imports of a file of `src/agents` that its folder may not have. */
function agentViolations(file: string, code: string): string[] {
  const folder = agentFolder(file);
  return importsOf(code).flatMap(({ specifier }) => {
    const target = specifier.startsWith('.') ? relative(root, resolve(root, file, '..', specifier)) : '';
    if (!target.startsWith('src/agents/')) return [];
    const to = agentFolder(target);
    const isAllowed = to === folder || agentFolders[folder]?.includes(to) === true;
    return isAllowed ? [] : [`${file} imports ${target}`];
  });
}

/** Whether code can write to standard output or error. */
function writesToStandardStreams(code: string): boolean {
  const bare = code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*/gm, '');
  const streams = /\bprocess\s*(?:\?\.|\.)\s*std(?:out|err)\b|\{[^{}]*\bstd(?:out|err)\b[^{}]*\}\s*=\s*process\b/;
  const others =
    /\bconsole\s*(?:\?\.|\.|\[)|\bprocess\s*\[|\bemitWarning\b|\bwriteSync\(\s*[12]\b|\/dev\/(?:tty|std|fd)/;
  return streams.test(bare) || others.test(bare);
}

/** The lines of code that leave an error without a comment near them that says why. */
function unexplained(code: string): number[] {
  const lines = code.split('\n');
  const leaves = /\bcatch \{|\.catch\(\(\) => (?:\{\}?|undefined|null|false|true|''|\[\])\)?/;
  const isComment = (line = '') => /^\s*(?:\/\/|\/?\*)|\/\/ /.test(line);
  return lines.flatMap((line, at) => {
    if (!leaves.test(line) || isComment(line)) return [];
    const isNamed = lines.slice(Math.max(0, at - 5), at + 2).some(isComment);
    return isNamed || /^\s*throw /.test(lines[at + 1] ?? '') ? [] : [at + 1];
  });
}

describe('the architecture', () => {
  it('says why wherever it leaves an error', () => {
    const found = [...sources('src'), ...sources('web/src')].flatMap(file =>
      unexplained(readFileSync(join(root, file), 'utf8')).map(line => `${file}:${line}`),
    );
    expect(found).toEqual([]);
  });

  it('starts git in one place', () => {
    const starts = /(?:startGuarded|spawn|execFile|exec|fork|programFor|runProgram|runProcess)\w*\([^;]*?['"`]git\b/s;
    const callers = sources('src').filter(file => starts.test(readFileSync(join(root, file), 'utf8')));
    expect(callers).toEqual(['src/agents/git/run-git.ts']);
    const importers = sources('src').filter(file => /\brunGit\b/.test(readFileSync(join(root, file), 'utf8')));
    expect(importers).toEqual(['src/agents/git/closed-repository.ts', 'src/agents/git/run-git.ts']);
  });

  it.each(Object.entries(mayImport))('%s imports only %j', (layer, allowed) => {
    expect(
      sources(`src/${layer}`).flatMap(file => violations(file, readFileSync(join(root, file), 'utf8'), allowed, layer)),
    ).toEqual([]);
  });

  it.each(Object.entries(controlMayImport))('control/%s imports of control only %j', folder => {
    const files = sources(`src/control/${folder}`);
    expect(files.flatMap(file => controlViolations(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  it('has no folder in control that the table of its folders does not know', () => {
    const folders = readdirSync(join(root, 'src/control'), { withFileTypes: true }).filter(each => each.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(Object.keys(controlMayImport).toSorted());
  });

  it('would notice an import against the order of the folders in control', () => {
    const code = [
      "import { Supervisor } from '../supervision/supervisor.ts';",
      "import { ThreadMemory } from '../threads/thread-memory.ts';",
      "import type { Webhook } from '../webhooks/webhook.ts';",
      "import { later } from './later.ts';",
      "import { newId } from '../../events/ids.ts';",
    ].join('\n');
    const found = (folder: string) =>
      controlViolations(`src/control/${folder}/bad.ts`, code).map(line => line.split(' imports ')[1]);
    expect(found('threads')).toEqual(['supervision/supervisor.ts', 'webhooks/webhook.ts']);
    expect(found('conversations')).toEqual(['webhooks/webhook.ts']);
    expect(found('worktrees')).toEqual(['supervision/supervisor.ts', 'webhooks/webhook.ts']);
  });

  it.each(Object.entries(inside))('%s imports inside only as its table says', (layer, folders) => {
    const files = sources(`src/${layer}`).filter(file => file.split('/').length > 3);
    expect(new Set(files.map(file => file.split('/')[2]))).toEqual(new Set(Object.keys(folders)));
    expect(files.flatMap(file => siblingViolations(file, readFileSync(join(root, file), 'utf8'), folders))).toEqual([]);
  });

  it('would notice a forbidden import inside a layer', () => {
    const code = [
      "import type { Row } from '../rows/row.ts';",
      "import { span } from './styled-line.ts';",
      "import { errorText } from '../../base/error-text.ts';",
      "const later = () => import('../session/chat.ts');",
    ].join('\n');
    expect(siblingViolations('src/terminal/screen/bad.ts', code, inside['terminal'] ?? {})).toEqual([
      'src/terminal/screen/bad.ts imports rows',
      'src/terminal/screen/bad.ts imports session',
    ]);
    expect(siblingViolations('src/terminal/session/good.ts', code, inside['terminal'] ?? {})).toEqual([]);
  });

  it('lets each folder of agents import only the contract and the folders listed for it', () => {
    const files = sources('src/agents').filter(file => !connecting.includes(file.slice('src/agents/'.length)));
    expect(files.flatMap(file => agentViolations(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  it('lists no import between folders of agents that no file has', () => {
    const used = new Set(
      sources('src/agents').flatMap(file =>
        importsOf(readFileSync(join(root, file), 'utf8')).map(({ specifier }) => {
          const target = relative(root, resolve(root, file, '..', specifier));
          return `${agentFolder(file)} ${target.startsWith('src/agents/') ? agentFolder(target) : ''}`;
        }),
      ),
    );
    const listed = Object.entries(agentFolders).flatMap(([folder, allowed]) =>
      allowed.filter(to => to !== folder).map(to => `${folder} ${to}`),
    );
    const isBasis = (pair: string) => shared.some(name => pair.endsWith(` ${name}`));
    expect(listed.filter(pair => !used.has(pair) && !isBasis(pair))).toEqual([]);
  });

  it('would notice an import of the contract from a sibling, and one that is not listed', () => {
    const code = "import type { Tool } from '../loop/loop.ts';\nexport { x } from '../clock.ts';";
    expect(agentViolations('src/agents/contract/bad.ts', code)).toEqual([
      'src/agents/contract/bad.ts imports src/agents/loop/loop.ts',
      'src/agents/contract/bad.ts imports src/agents/clock.ts',
    ]);
    expect(agentViolations('src/agents/tools/bad.ts', code)).toEqual([
      'src/agents/tools/bad.ts imports src/agents/loop/loop.ts',
    ]);
    expect(agentViolations('src/agents/new-folder/bad.ts', code)).toHaveLength(2);
  });

  it('names no program in the code that external agents share', () => {
    const programs = readdirSync(join(root, 'src/agents/cli/adapters'), { withFileTypes: true })
      .filter(entry => entry.isDirectory() && entry.name !== 'acp')
      .map(entry => entry.name);
    const named = new RegExp(String.raw`(?<![a-z])_?(?:${programs.join('|')})(?![a-z])`, 'i');
    const shared = sources('src/agents/cli').filter(file => !file.startsWith('src/agents/cli/adapters/'));
    const isVariable = (line: string) => /'\w+_API_KEY'/.test(line);
    const lines = shared.flatMap(file =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap(line => (named.test(line) && !isVariable(line) ? [`${file}: ${line.trim()}`] : [])),
    );
    expect(programs).toHaveLength(11);
    expect(lines).toEqual([]);
  });

  it('keeps the web app on the browser-safe layers', () => {
    const found = sources('web').flatMap(file =>
      importsOf(readFileSync(join(root, file), 'utf8'))
        .filter(
          ({ specifier }) => specifier.includes('src/') && !web.some(layer => specifier.includes(`src/${layer}/`)),
        )
        .map(({ specifier }) => `${file} imports ${specifier}`),
    );
    expect(found).toEqual([]);
  });

  it('imports a name from the file that defines it, not through an entry', () => {
    const found = [...sources('src'), ...sources('web/src')]
      .filter(file => !file.endsWith('/index.ts'))
      .flatMap(file =>
        valueImportsOf(file)
          .filter(target => target.endsWith('/index.ts'))
          .map(target => `${file} imports ${target}`),
      );
    expect(found).toEqual([]);
  });

  it('has no folder in src that the table does not know', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter(entry => entry.isDirectory());
    expect(folders.map(entry => entry.name).filter(name => name !== 'cli' && !(name in mayImport))).toEqual([]);
  });

  it('starts child processes only through the guard, but for the browser, which may outlive the command, the editor of the person, and a look at a process with ps', () => {
    const starters = sources('src').filter(file =>
      importsOf(readFileSync(join(root, file), 'utf8')).some(
        ({ specifier, typeOnly }) => /^(node:)?(child_process|cluster)$/.test(specifier) && !typeOnly,
      ),
    );
    expect(starters.toSorted()).toEqual([
      'src/agents/process/guarded-process.ts',
      'src/agents/process/process-guard.ts',
      'src/agents/process/process-state.ts',
      'src/cli/serve/serve-page.ts',
      'src/terminal/session/external-editor.ts',
    ]);
  });

  it('starts, steers, answers and aborts runs only in the core of conversations, but for forks and comparisons', () => {
    const verbs = 'start|retry|select|steer|answer|abort|abortAll';
    const calls = new RegExp(`\\b(?:supervisor|control)\\s*[?!]?\\.\\s*(?:${verbs})\\b`);
    const taken = new RegExp(`\\{[^{}]*\\b(?:${verbs})\\b[^{}]*\\}\\s*=\\s*[\\w.#]*(?:supervisor|control)\\b`);
    const outside = sources('src')
      .filter(file => !/^src\/control\/(?:conversations|supervision)\//.test(file))
      .map(file => ({ file, code: readFileSync(join(root, file), 'utf8') }));
    const callers = outside.flatMap(({ file, code }) => (calls.test(code) || taken.test(code) ? [file] : []));
    // The expressions above know a supervisor by its name.
    const names = outside.flatMap(({ code }) => [...code.matchAll(/([\w#]+)(?:: \w+)?\s*[=:]\s*new Supervisor\(/g)]);
    expect(new Set(names.map(([, name]) => name))).toEqual(new Set(['supervisor', '#supervisor', 'control']));
    expect(outside.filter(({ code }) => /\bparallel: true\b/.test(code)).map(({ file }) => file)).toEqual([]);
    expect(callers.toSorted()).toEqual([
      'src/control/harness/subagents/forks.ts',
      'src/control/worktrees/comparison.ts',
    ]);
  });

  it('writes to standard output and error only in one module of commands and in the screen of the terminal', () => {
    const writers = sources('src').filter(file => writesToStandardStreams(readFileSync(join(root, file), 'utf8')));
    expect(writers.toSorted()).toEqual([
      // These two are texts for the sandbox, which has a console of its own.
      'src/agents/demo/demo-archive.ts',
      'src/agents/rlm/instructions.ts',
      'src/control/standard-output.ts',
      'src/terminal/session/terminal-io.ts',
    ]);
  });

  it('would notice other ways to write to standard output', () => {
    for (const code of [
      'process.stdout.write(text)',
      'const { stdin, stdout } = process;',
      "console.log('x')",
      "process['stderr'].write(text)",
      'writeSync(1, text)',
      "openSync('/dev/tty', 'w')",
    ])
      expect(writesToStandardStreams(code), code).toBe(true);
    expect(writesToStandardStreams('// console.log\nchild.stdout.on(1)')).toBe(false);
  });

  it.each([
    ['value', valueImportsOf],
    ['type', importedFiles],
  ])('has no cycle of %s imports', (_kind, importedBy) => {
    const files = sources('src');
    const edges = new Map(files.map(file => [file, importedBy(file)]));
    const cycles: string[] = [];
    const finished = new Set<string>();
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' > '));
      else if (!finished.has(file)) for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
      finished.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('has no folder of more than 40 source files', () => {
    const sizes = new Map<string, number>();
    for (const file of [...sources('src'), ...sources('web/src')])
      sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
    expect([...sizes].filter(([, size]) => size > 40)).toEqual([]);
  });

  it('would notice a forbidden import, a node import and a Node global', () => {
    const code = [
      "import { createGraph } from '../graph/index.ts';",
      "import { readFileSync } from 'node:fs';",
      "export type { EventLog } from '../log/index.ts';",
      'const home = process.env;',
    ].join('\n');
    expect(violations('src/events/bad.ts', code, [], 'events')).toEqual([
      'src/events/bad.ts imports graph',
      'src/events/bad.ts imports node:fs',
      'src/events/bad.ts imports node:fs',
      'src/events/bad.ts imports log',
      'src/events/bad.ts uses process.',
    ]);
    expect(violations('src/agents/bad.ts', "import { MemoryLog } from '../log/index.ts';", ['log'], 'agents')).toEqual([
      'src/agents/bad.ts imports more than types of log',
    ]);
  });
});
