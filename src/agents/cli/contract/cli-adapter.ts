import type { CliCommand, CommandRequest } from './cli-command.ts';
import type { LiveAdapter } from './live-channel.ts';
import type { SessionFormat } from '../sessions/session-format.ts';
import type { Translator, TranslatorOptions } from './translator.ts';

/** The definition of one external coding agent: how to start it and how to translate its output. */
export interface CliAdapter {
  readonly id: string;
  /** Its display name. */
  readonly name: string;
  /** The name of the program in the PATH. */
  readonly executable: string;
  /** The command that installs it. */
  readonly install: string;
  /** Environment variables, and files relative to the home folder; any one of them indicates a login. */
  readonly credentials: { readonly variables: readonly string[]; readonly files: readonly string[] };
  /** How a user logs in. */
  readonly login: string;
  /** The provider whose prices apply to its models, when it has a single one and reports no costs. */
  readonly prices?: string;
  /** The environment variables that it needs in addition to those that every program gets. */
  readonly environment: readonly RegExp[];
  /** The versions whose streams were recorded for the tests. */
  readonly versions: readonly string[];
  /** Matches a line of stderr that reports a denied call, for programs that report it only there. */
  readonly denial?: RegExp;
  /** Matches stderr lines that are irrelevant or already shown: they are stored, but do not become warnings. */
  readonly repeated?: RegExp;
  /** Whether plain text is one of its formats: its lines are `unknown` by rule. */
  readonly printsPlainText?: boolean;
  /** Its interactive channel, used when a user can answer. */
  readonly live?: LiveAdapter;
  /** Its own session files, to be imported. */
  readonly session?: SessionFormat;
  /** Whether it has no print mode: its interactive channel is always used. */
  readonly isLiveOnly?: boolean;
  command(request: CommandRequest): CliCommand;
  translator(options: TranslatorOptions): Translator;
}

/** The provider keys that several agents read from the environment. */
export const providerKeys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY'];
