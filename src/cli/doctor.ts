import { access, constants, mkdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import type { Command } from 'commander';
import { defined } from '../base/defined.ts';
import { errorText } from '../base/error-text.ts';
import { listedCommand } from './command-list.ts';
import { addJsonOption, addStoreOptions } from './command-options.ts';
import { type JsonOption, printResult } from './print.ts';
import type { Settings } from './settings/settings.ts';
import { lead, type Line, span } from '../terminal/screen/styled-line.ts';
import type { StoreOptions } from './settings/store-options.ts';

/** The result of one check, with a fix for a problem. */
interface Finding {
  readonly state: 'ok' | 'note' | 'problem';
  readonly message: string;
  readonly fix?: string;
}

interface Check {
  readonly subject: string;
  readonly find: (options: StoreOptions) => Promise<readonly Finding[]>;
  /** The fix to suggest when the check itself fails. */
  readonly fix?: string;
}

/** Adds `singletree doctor`, which checks the requirements of Singletree and states how to fix problems. */
export function addDoctorCommand(program: Command): void {
  const command = addJsonOption(listedCommand(program, 'doctor'));
  addStoreOptions(command).action(async (options: StoreOptions & JsonOption) => {
    for (const { subject, find, fix } of checks)
      for (const finding of await find(options).catch((error: unknown) => [problem(errorText(error), fix)])) {
        if (finding.state === 'problem') process.exitCode = 1;
        await printResult(options, { subject, ...finding }, linesOf(subject, finding));
      }
  });
}

function linesOf(subject: string, { state, message, fix }: Finding): Line[] {
  const mark = { ok: '✓', note: '·', problem: '✗' }[state];
  const found = [lead(span(`${mark} ${subject.padEnd(8)} `)), span(message)];
  return fix === undefined ? [found] : [found, [lead(span('           → ')), span(fix)]];
}

const ok = (message: string): Finding => ({ state: 'ok', message });
const note = (message: string, fix?: string): Finding => ({ state: 'note', message, ...defined({ fix }) });
const problem = (message: string, fix?: string): Finding => ({ state: 'problem', message, ...defined({ fix }) });
const usualPort = 4747;

/** The checks in order; each loads its own modules, so that a broken one does not prevent the others. */
const checks: readonly Check[] = [
  {
    subject: 'node',
    find: async () => {
      const { node } = process.versions;
      const [major = 0, minor = 0] = node.split('.').map(Number);
      const isEnough = major > 20 || (major === 20 && minor >= 19);
      return [isEnough ? ok(node) : problem(`${node} is too old`, 'install Node 20.19 or newer')];
    },
  },
  {
    subject: 'home',
    fix: 'set SINGLETREE_HOME to a folder that you can write',
    find: async () => {
      const { singletreeHome } = await import('./settings/home.ts');
      const home = singletreeHome();
      await mkdir(home, { recursive: true, mode: 0o700 });
      await access(home, constants.R_OK | constants.W_OK);
      const isOpen = ((await stat(home)).mode & 0o022) !== 0;
      return [isOpen ? problem(`${home} can be changed by others`, `chmod 700 ${home}`) : ok(home)];
    },
  },
  {
    subject: 'config',
    fix: 'mend the file it names',
    find: async () => {
      const { loadConfig } = await import('../config/index.ts');
      const { singletreeHome } = await import('./settings/home.ts');
      const { files, untrusted } = await loadConfig({ cwd: process.cwd(), home: singletreeHome(), env: process.env });
      if (untrusted === undefined) return [ok(files.length === 0 ? 'no file: defaults' : files.join(', '))];
      return [
        note(
          `${untrusted.file} is not trusted and applies in part`,
          'singletree config shows what it would bring; singletree config trust',
        ),
      ];
    },
  },
  {
    subject: 'store',
    fix: 'choose another one with --store',
    find: async options => {
      const { config } = await loadSettingsHere();
      const { openStoreAt, storeUrls } = await import('./settings/store-options.ts');
      const { visibleUrl } = await import('../log/index.ts');
      const log = await openStoreAt(options, config);
      await log.listThreads({ limit: 1 });
      await log.close();
      return [ok(visibleUrl(storeUrls(options, process.env, config).store))];
    },
  },
  {
    subject: 'agents',
    find: async () => {
      const { cliAdapters } = await import('../agents/cli/adapters/cli-adapters.ts');
      const { findProgram } = await import('../agents/cli/agent/find-program.ts');
      const surroundings = { env: process.env, home: homedir(), timeoutMs: 5_000 };
      const found = await Promise.all(
        Object.values(cliAdapters).map(async adapter => {
          const { path, version = '', hasCredentials } = await findProgram(adapter, surroundings);
          const message = `${adapter.name} ${version}`.trim();
          if (path === undefined) return [];
          return [hasCredentials ? ok(message) : note(`${message}: no credentials found`, adapter.login)];
        }),
      );
      const installed = found.flat();
      if (installed.length > 0) return installed;
      return [note('no external coding agent is installed', 'singletree agents lists how to install them')];
    },
  },
  {
    subject: 'models',
    find: async () => {
      const { configuredRegistry, demoOffer, withoutModel } = await import('./coder.ts');
      const providers = configuredRegistry(await loadSettingsHere()).providers();
      const usable = providers.filter(({ configured }) => configured);
      return [usable.length > 0 ? ok(usable.map(({ name }) => name).join(', ')) : note(withoutModel, demoOffer)];
    },
  },
  {
    // The user's environment variables that agents, `bash` and setup commands get.
    subject: 'env',
    find: async () => {
      const { listEnvironment } = await import('../agents/process/environment.ts');
      const { environment: policy } = await loadSettingsHere();
      const { passed, withheld } = listEnvironment(process.env, { policy });
      const fix = 'env.pass in the configuration passes one; singletree debug env AGENT lists those of an agent';
      const others = withheld.length === 0 ? [] : [note(`withheld: ${withheld.join(', ')}`, fix)];
      return [ok(`programs get ${passed.join(', ')}`), ...others];
    },
  },
  {
    subject: 'port',
    find: async () => {
      const isFree = await new Promise<boolean>(resolve => {
        const server = createServer();
        server.once('error', () => resolve(false));
        server.listen(usualPort, '127.0.0.1', () => server.close(() => resolve(true)));
      });
      return [
        isFree ? ok(`${usualPort} is free`) : note(`${usualPort} is taken: singletree would use the next free one`),
      ];
    },
  },
];

async function loadSettingsHere(): Promise<Settings> {
  return (await import('./settings/settings.ts')).loadSettings('.');
}
