import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackages, programCache } from '../../support/package-cache.ts';
import type { CliAgentOptions } from '../../../src/agents/cli/agent/cli-agent-options.ts';
import { clineSettings } from './cline-settings.ts';
import { gooseSettings } from './goose-settings.ts';
import { copilotSettings, geminiSettings, qwenSettings } from './acp-settings.ts';
import { opencodeSettings } from './opencode-settings.ts';

interface Program {
  readonly package: string;
  /** Where it is below `node_modules`. */
  readonly path: string;
  /** Packages that are installed with it, for the programs among them that it needs in its PATH. */
  readonly with?: readonly string[];
  readonly settings: Settings;
}

type Settings = (home: string, url: string) => CliAgentOptions;

/** The programs that are asked for by name, or `all`; three by default: the others take long to install and to start. */
const wanted = (process.env['SINGLETREE_PROGRAMS'] ?? 'codex,claude,pi').split(',');

/** Whether a version of a program is tried in this test run. */
export function isTried(version: string): boolean {
  return wanted.includes('all') || wanted.includes(version) || wanted.includes(version.split('@')[0] as string);
}

/** The programs whose print mode is tried. */
export const programNames: readonly string[] = ['codex', 'claude', 'pi', 'opencode', 'kilo', 'cline', 'goose'].filter(
  isTried,
);

/** The versions of Claude Code whose interactive channel is tried. */
export const claudeVersions: readonly string[] = ['claude', 'claude@2.1.326'];

/** The versions of Codex whose interactive channel is tried. */
export const codexVersions: readonly string[] = ['codex', 'codex@0.169.0'];

/** The versions of Pi whose interactive channel is tried: the last one for Node 20, and one for Node 24. */
export const piVersions: readonly string[] = ['pi', 'pi@0.87.1'];

/** Whether the real programs are here, or may be installed; says in one line what is skipped when not. */
export function programsReady(skipped: string, names: readonly string[] = programNames): boolean {
  if (process.env['CI'] || names.every(name => existsSync(programPath(name)))) return true;
  const missing = names.map(name => programOf(name).package).join(', ');
  console.warn(`SKIPPED ${skipped}: ${missing} are not installed. CI=true npm test installs them.`);
  return false;
}

/** Installs the programs that are missing, each in a folder of its own. */
export async function installPrograms(names: readonly string[] = programNames): Promise<void> {
  for (const name of names) {
    const { package: main, with: others = [] } = programOf(name);
    await installPackages(folderOf(name), [main, ...others]);
  }
}

/** How to run a program against a model server, with a home and a folder of its own. */
export function realProgram(name: string, url: string): CliAgentOptions & { readonly cwd: string } {
  mkdirSync(join(programCache, 'homes'), { recursive: true });
  const home = mkdtempSync(join(programCache, 'homes', `${name.replace('@', '-')}-`));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'notes.txt'), 'line 1\nline 2\nline 3\n');
  const { env, ...options } = programOf(name).settings(home, url);
  const bin = join(folderOf(name), 'node_modules', '.bin');
  const path = programOf(name).with === undefined ? {} : { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  return {
    executable: programPath(name),
    cwd,
    yolo: true,
    settleMs: 3_000,
    env: { HOME: home, ...path, ...env },
    ...options,
  };
}

const settings: Readonly<Record<'codex' | 'claude' | 'pi', Settings>> = {
  codex: (home, url) => {
    const config = [
      'model = "gpt-5.5"',
      'model_provider = "scripted"',
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${url}/v1"`,
      'wire_api = "responses"',
      'env_key = "CODEX_SCRIPTED_KEY"',
      'request_max_retries = 0',
      'stream_max_retries = 0',
    ];
    writeFileSync(join(home, 'config.toml'), `${config.join('\n')}\n`);
    return { env: { CODEX_HOME: home, CODEX_SCRIPTED_KEY: 'k', TMPDIR: mkdtempSync(join(home, 'tmp-')) } };
  },
  claude: (home, url) => ({
    model: 'claude-sonnet-4-5',
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'k',
      CLAUDE_CONFIG_DIR: home,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    },
  }),
  pi: (home, url) => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const model = {
      id: 'fake-model',
      name: 'Fake',
      reasoning: false,
      input: ['text', 'image'],
      cost,
      contextWindow: 128_000,
      maxTokens: 4_096,
    };
    const provider = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'k', models: [model] };
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ retry: { enabled: false } }));
    writeFileSync(join(home, 'models.json'), JSON.stringify({ providers: { fake: provider } }));
    return {
      extraArgs: ['--provider', 'fake'],
      model: 'fake-model',
      env: { PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1' },
    };
  },
};

const programs: Readonly<Record<string, Program>> = {
  codex: { package: '@openai/codex@0.166.0', path: '.bin/codex', settings: settings.codex },
  'codex@0.169.0': {
    package: '@openai/codex@0.169.0',
    path: '.bin/codex',
    settings: settings.codex,
  },
  claude: { package: '@anthropic-ai/claude-code@2.1.197', path: '.bin/claude', settings: settings.claude },
  'claude@2.1.326': {
    package: '@anthropic-ai/claude-code@2.1.326',
    path: '.bin/claude',
    settings: settings.claude,
  },
  pi: { package: '@mariozechner/pi-coding-agent@0.73.1', path: '.bin/pi', settings: settings.pi },
  'pi@0.87.1': {
    package: '@earendil-works/pi-coding-agent@0.87.1',
    path: '.bin/pi',
    with: ['node@24'],
    settings: settings.pi,
  },
  opencode: { package: 'opencode-ai@1.18.33', path: '.bin/opencode', settings: opencodeSettings('opencode') },
  kilo: {
    package: '@kilocode/cli-linux-x64@7.7.9',
    path: '@kilocode/cli-linux-x64/bin/kilo',
    settings: opencodeSettings('kilo'),
  },
  cline: { package: 'cline@3.0.65', path: '.bin/cline', settings: clineSettings },
  goose: {
    package: '@aaif/goose-binary-linux-x64@1.52.0',
    path: '.bin/goose-binary-linux-x64',
    settings: gooseSettings,
  },
  qwen: {
    package: '@qwen-code/qwen-code@0.24.4',
    path: '.bin/qwen',
    with: ['node@24'],
    settings: qwenSettings,
  },
  gemini: {
    package: '@google/gemini-cli@0.61.0',
    path: '.bin/gemini',
    with: ['node@24'],
    settings: geminiSettings,
  },
  copilot: {
    package: '@github/copilot@1.0.102',
    path: '.bin/copilot',
    with: ['node@24'],
    settings: copilotSettings,
  },
};

function programOf(name: string): Program {
  return programs[name] as Program;
}

/** The package of a program, with its version. */
export function programPackage(name: string): string {
  return programOf(name).package;
}

function programPath(name: string): string {
  return join(folderOf(name), 'node_modules', programOf(name).path);
}

/** Named after the version, so that another one is installed beside it. */
function folderOf(name: string): string {
  return join(programCache, programOf(name).package.replaceAll('/', '-'));
}
