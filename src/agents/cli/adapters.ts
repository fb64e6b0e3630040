import { claudeCommand } from './claude/command.ts';
import { claudeRecords } from './claude/records.ts';
import { claudeTranslator } from './claude/translate.ts';
import type { CliCommand, CommandRequest } from './cli-command.ts';
import { codexCommand } from './codex/command.ts';
import { codexRecords } from './codex/records.ts';
import { codexTranslator } from './codex/translate.ts';
import { piCommand } from './pi/command.ts';
import { piRecords } from './pi/records.ts';
import { piTranslator } from './pi/translate.ts';
import type { RecordRule } from './record-rule.ts';
import type { Translator, TranslatorOptions } from './translator.ts';

/** What is known about one external coding agent: how to start it and what its output means. */
export interface CliAdapter {
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  /** The program, as it is found in the PATH. */
  readonly executable: string;
  /** The package that has it. */
  readonly install: string;
  /** How a person logs in. */
  readonly login: string;
  /** The provider whose prices apply to its models, when it has one and tells no costs. */
  readonly prices?: string;
  /** The variables of the environment that it needs beside those every program gets. */
  readonly environment: readonly RegExp[];
  /** The versions whose streams were recorded for the tests. */
  readonly versions: readonly string[];
  /** What becomes of its records, for its page. */
  readonly records: readonly RecordRule[];
  command(request: CommandRequest): CliCommand;
  translator(options: TranslatorOptions): Translator;
}

/** The external agents that can be run and translated, by id. */
export const cliAdapters: Readonly<Record<string, CliAdapter>> = {
  codex: {
    id: 'codex',
    name: 'Codex',
    executable: 'codex',
    install: 'npm install -g @openai/codex',
    login: 'run `codex login`, or set CODEX_API_KEY',
    prices: 'openai',
    environment: [/^(CODEX|OPENAI|AZURE_OPENAI)_/],
    versions: ['0.166.0', '0.125.0'],
    records: codexRecords,
    command: codexCommand,
    translator: codexTranslator,
  },
  claude: {
    id: 'claude',
    name: 'Claude Code',
    executable: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    login: 'run `claude` once and log in, or set ANTHROPIC_API_KEY',
    prices: 'anthropic',
    environment: [/^(ANTHROPIC|CLAUDE|DISABLE|AWS|VERTEX|GOOGLE|CLOUD_ML|BASH|MCP)_/, /^IS_SANDBOX$/],
    versions: ['2.1.325', '1.0.50'],
    records: claudeRecords,
    command: claudeCommand,
    translator: claudeTranslator,
  },
  pi: {
    id: 'pi',
    name: 'Pi',
    executable: 'pi',
    install: 'npm install -g @earendil-works/pi-coding-agent',
    login: 'run `pi` once and use /login, or set the key of a provider, such as ANTHROPIC_API_KEY',
    environment: [/^PI_/, /_(API_KEY|API_TOKEN|BASE_URL|OAUTH_TOKEN)$/, /^(AWS|GOOGLE|AZURE)_/],
    versions: ['0.87.1', '0.73.1'],
    records: piRecords,
    command: piCommand,
    translator: piTranslator,
  },
};
