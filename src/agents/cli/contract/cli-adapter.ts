import type { CliCommand, CommandRequest } from './cli-command.ts';
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
  /** Variables, and files relative to the home folder, of which one tells that somebody is logged in. */
  readonly credentials: { readonly variables: readonly string[]; readonly files: readonly string[] };
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

/** What becomes of one kind of record that a program prints, for its page in the documentation. */
export interface RecordRule {
  readonly record: string;
  readonly becomes: string;
}

/** The keys of providers that several agents take from the environment. */
export const providerKeys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY'];
