import { access, constants, mkdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import type { Command } from 'commander';
import { errorText } from '../events/index.ts';
import { addStoreOptions, type StoreOptions } from './settings/store-options.ts';
import { listedCommand } from './command-list.ts';
import { standardOutput } from '../control/standard-output.ts';

/** The result of one check; a problem comes with its fix. */
interface Finding {
  readonly subject: string;
  readonly state: 'ok' | 'note' | 'problem';
  readonly message: string;
  readonly fix?: string;
}

/** Adds `singletree doctor`, which checks what Singletree needs and states how to mend what is missing. */
export function addDoctorCommand(program: Command): void {
  const command = listedCommand(program, 'doctor').option('--json', 'print one JSON value per line');
  addStoreOptions(command).action(async (options: StoreOptions & { json?: boolean }) => {
    let hasProblem = false;
    for (const check of [
      checkNode,
      checkHome,
      checkSettings,
      checkStore,
      checkAgents,
      checkModels,
      checkEnvironment,
      checkPort,
    ])
      for (const finding of await check(options)) {
        hasProblem ||= finding.state === 'problem';
        await (options.json === true
          ? standardOutput.writeJson(finding)
          : standardOutput.write(`${lineOf(finding)}\n`));
      }
    if (hasProblem) process.exitCode = 1;
  });
}

function lineOf({ subject, state, message, fix }: Finding): string {
  const mark = { ok: '✓', note: '·', problem: '✗' }[state];
  return `${mark} ${subject.padEnd(8)} ${message}${fix === undefined ? '' : `\n           → ${fix}`}`;
}

async function checkNode(): Promise<Finding[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return [
    isEnough
      ? { subject: 'node', state: 'ok', message: process.versions.node }
      : {
          subject: 'node',
          state: 'problem',
          message: `${process.versions.node} is too old`,
          fix: 'install Node 20.19 or newer',
        },
  ];
}

async function checkHome(): Promise<Finding[]> {
  const { singletreeHome } = await import('./settings/home.ts');
  const home = singletreeHome();
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await access(home, constants.R_OK | constants.W_OK);
    const isOpen = ((await stat(home)).mode & 0o022) !== 0;
    return [
      isOpen
        ? { subject: 'home', state: 'problem', message: `${home} can be changed by others`, fix: `chmod 700 ${home}` }
        : { subject: 'home', state: 'ok', message: home },
    ];
  } catch (error) {
    const fix = 'set SINGLETREE_HOME to a folder that you can write';
    return [{ subject: 'home', state: 'problem', message: errorText(error), fix }];
  }
}

async function checkSettings(): Promise<Finding[]> {
  const [{ loadConfig }, { singletreeHome }] = await Promise.all([
    import('../config/index.ts'),
    import('./settings/home.ts'),
  ]);
  try {
    const { files, untrusted } = await loadConfig({ cwd: process.cwd(), home: singletreeHome(), env: process.env });
    if (untrusted !== undefined)
      return [
        {
          subject: 'config',
          state: 'note',
          message: `${untrusted.file} is not trusted and applies in part`,
          fix: 'singletree config shows what it would bring; singletree config trust',
        },
      ];
    return [{ subject: 'config', state: 'ok', message: files.length === 0 ? 'no file: defaults' : files.join(', ') }];
  } catch (error) {
    return [{ subject: 'config', state: 'problem', message: errorText(error), fix: 'mend the file it names' }];
  }
}

async function checkStore(options: StoreOptions): Promise<Finding[]> {
  const [{ loadSettings }, { openStoreOf, storeUrls }, { visibleUrl }] = await Promise.all([
    import('./settings/settings.ts'),
    import('./settings/store-options.ts'),
    import('../log/index.ts'),
  ]);
  try {
    const { config } = await loadSettings('.');
    const log = await openStoreOf(options, config);
    await log.listThreads({ limit: 1 });
    await log.close();
    return [{ subject: 'store', state: 'ok', message: visibleUrl(storeUrls(options, process.env, config).store) }];
  } catch (error) {
    return [{ subject: 'store', state: 'problem', message: errorText(error), fix: 'choose another one with --store' }];
  }
}

async function checkAgents(): Promise<Finding[]> {
  const [{ cliAdapters }, { findProgram }] = await Promise.all([
    import('../agents/cli/adapters/index.ts'),
    import('../agents/cli/agent/find-program.ts'),
  ]);
  const surroundings = { env: process.env, home: homedir(), timeoutMs: 5_000 };
  const found = await Promise.all(
    Object.values(cliAdapters).map(async adapter => ({ adapter, program: await findProgram(adapter, surroundings) })),
  );
  const installed = found.filter(({ program }) => program.path !== undefined);
  if (installed.length === 0)
    return [
      {
        subject: 'agents',
        state: 'note',
        message: 'no external coding agent is installed',
        fix: 'singletree agents lists how to install them',
      },
    ];
  return installed.map(({ adapter, program }) => {
    const message = `${adapter.name} ${program.version ?? ''}`.trim();
    return program.hasCredentials
      ? { subject: 'agents', state: 'ok', message }
      : { subject: 'agents', state: 'note', message: `${message}: no credentials found`, fix: adapter.login };
  });
}

async function checkModels(): Promise<Finding[]> {
  const [{ loadSettings }, { configuredRegistry, demoOffer, withoutModel }] = await Promise.all([
    import('./settings/settings.ts'),
    import('./coder.ts'),
  ]);
  try {
    const providers = configuredRegistry(await loadSettings('.')).providers();
    const usable = providers.filter(({ configured }) => configured);
    return [
      usable.length > 0
        ? { subject: 'models', state: 'ok', message: usable.map(({ name }) => name).join(', ') }
        : { subject: 'models', state: 'note', message: withoutModel, fix: demoOffer },
    ];
  } catch (error) {
    return [{ subject: 'models', state: 'problem', message: errorText(error) }];
  }
}

/** Lists the variables that agents, `bash` and setup commands get of the person's. */
async function checkEnvironment(): Promise<Finding[]> {
  const [{ loadSettings }, { listEnvironment }] = await Promise.all([
    import('./settings/settings.ts'),
    import('../agents/process/environment.ts'),
  ]);
  try {
    const { environment: policy } = await loadSettings('.');
    const { passed, withheld } = listEnvironment(process.env, { policy });
    return [
      { subject: 'env', state: 'ok', message: `programs get ${passed.join(', ')}` },
      ...(withheld.length === 0
        ? []
        : [
            {
              subject: 'env',
              state: 'note' as const,
              message: `withheld: ${withheld.join(', ')}`,
              fix: 'env.pass in the configuration passes one; singletree debug env AGENT lists those of an agent',
            },
          ]),
    ];
  } catch (error) {
    return [{ subject: 'env', state: 'problem', message: errorText(error) }];
  }
}

const usualPort = 4747;

async function checkPort(): Promise<Finding[]> {
  const isFree = await new Promise<boolean>(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(usualPort, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  const message = isFree ? `${usualPort} is free` : `${usualPort} is taken: singletree would use the next free one`;
  return [{ subject: 'port', state: isFree ? 'ok' : 'note', message }];
}
