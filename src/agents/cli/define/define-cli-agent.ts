import * as z from 'zod';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { optionsCheck } from '../../../base/options/check-options.ts';
import { callback, field, name } from '../../../base/options/option-fields.ts';
import { acpAdapter } from '../adapters/acp/acp-agent.ts';
import { textsField } from '../agent/cli-agent-fields.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import type { CliCommand, CommandRequest } from '../contract/cli-command.ts';
import type { LineContext } from '../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../shared/line-translator.ts';
import type { WireRecord } from '../shared/wire-value.ts';
import { PrintedRun } from './printed-run.ts';

/** How a program is run once per request: it prints one JSON object per line, and nobody can be asked. */
export interface PrintMode {
  /** Returns the command line of a request. */
  command(request: CommandRequest): CliCommand;
  /** Returns a function that gets each record of one run in order and reports to `run` what it says. */
  read(run: PrintedRun): (record: WireRecord) => void;
}

/** How a program is used over the Agent Client Protocol: it keeps running, and asks. */
export interface AcpMode {
  /** The arguments that start it. */
  readonly args: readonly string[];
  /** The mode of the program in which it asks: set and verified before the first prompt. */
  readonly mode?: string;
}

/** The definition of an external agent; it has a print mode, the Agent Client Protocol, or both. */
export interface CliAgentDefinition {
  readonly id: string;
  /** Its display name. Default: the id. */
  readonly name?: string;
  /** The program: a name in the PATH, or a path. */
  readonly executable: string;
  /** The command that installs it, for messages. */
  readonly install: string;
  /** How a person logs in, for messages. */
  readonly login?: string;
  /** The environment variables that it gets beside those every program gets. */
  readonly environment?: readonly RegExp[];
  readonly print?: PrintMode;
  /** Used when somebody can answer; always when there is no print mode. */
  readonly acp?: AcpMode;
}

const patternsField = () =>
  field(
    value => Array.isArray(value) && value.every(item => item instanceof RegExp),
    'an array of regular expressions',
  );

const checkDefinition = optionsCheck<CliAgentDefinition>('defineCliAgent')(() => ({
  id: name(),
  name: name().optional(),
  executable: name(),
  install: name(),
  login: name().optional(),
  environment: patternsField().optional(),
  print: z.strictObject({ command: callback(), read: callback() }).optional(),
  acp: z.strictObject({ args: textsField(), mode: name().optional() }).optional(),
}));

/** Defines an external agent for `cliAgent` and `readSavedStream`. Throws `invalid_argument` for an invalid definition. */
export function defineCliAgent(definition: CliAgentDefinition): CliAdapter {
  checkDefinition(definition);
  const { id, executable, install, print, acp } = definition;
  const { name: title = id, login = `log in to ${title} as its documentation says`, environment = [] } = definition;
  if (print === undefined && acp === undefined)
    throw new SingletreeError(
      'invalid_argument',
      `The agent "${id}" has no way to be used. Give defineCliAgent \`print\`, \`acp\` or both.`,
    );
  const about = { id, name: title, executable, install, login, environment };
  const live = acp && acpAdapter({ command: executable, title, ...acp });
  if (print === undefined) return { ...(live as CliAdapter), ...about };
  return {
    ...about,
    credentials: { variables: [], files: [] },
    versions: [],
    ...(live?.live !== undefined && { live: live.live }),
    command: request => print.command(request),
    translator: options => lineTranslator(options, context => recordReader(print, context)),
  };
}

function recordReader(print: PrintMode, context: LineContext): RecordReader {
  let current: WireRecord = {};
  const read = print.read(new PrintedRun(context, () => current));
  return {
    take: record => {
      current = record;
      read(record);
    },
    flush: () => {},
  };
}
