import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { type OptionFields, optionsCheck } from '../../../base/options/check-options.ts';
import { callback, field, flag, name, object } from '../../../base/options/option-fields.ts';
import { acpAdapter } from '../adapters/acp/acp-agent.ts';
import { textsField } from '../agent/cli-agent-options.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import type { CliCommand, CommandRequest } from '../contract/cli-command.ts';
import type { TranslatorOptions } from '../contract/translator.ts';
import type { LineContext } from '../shared/line-context.ts';
import { eitherTranslator } from '../shared/channel-translator.ts';
import { lineTranslator, type RecordReader } from '../shared/line-translator.ts';
import type { WireRecord } from '../shared/wire-value.ts';
import { type LiveMode, ownLive, savedReader } from './own-channel.ts';
import { PrintedRun } from './printed-run.ts';

/** How to run a program once per request: it prints one JSON object per line and cannot ask a user. */
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

/** The definition of an external agent: a print mode, a way to keep it running (`acp` or `live`), or both. */
export interface CliAgentDefinition {
  readonly id: string;
  /** Its display name. Default: the id. */
  readonly name?: string;
  /** The program: a name in the PATH, or a path. */
  readonly executable: string;
  /** The command that installs it, for messages. */
  readonly install: string;
  /** How a user logs in, for messages. */
  readonly login?: string;
  /** The environment variables that it gets in addition to those that every program gets. */
  readonly environment?: readonly RegExp[];
  readonly print?: PrintMode;
  /** Used when a user can answer; always used without a print mode. */
  readonly acp?: AcpMode;
  /** Like `acp`, for a program with a custom protocol. */
  readonly live?: LiveMode;
}

const patternsField = () =>
  field(
    value => Array.isArray(value) && value.every(item => item instanceof RegExp),
    'an array of regular expressions',
  );

const liveFields = () =>
  ({
    args: callback(),
    resumes: flag().optional(),
    hello: object().optional(),
    opened: callback().optional(),
    prompt: callback(),
    stop: object(),
    read: callback(),
  }) satisfies OptionFields<LiveMode>;

const checkDefinition = optionsCheck<CliAgentDefinition>('defineCliAgent')(() => ({
  id: name(),
  name: name().optional(),
  executable: name(),
  install: name(),
  login: name().optional(),
  environment: patternsField().optional(),
  print: z.strictObject({ command: callback(), read: callback() }).optional(),
  acp: z.strictObject({ args: textsField(), mode: name().optional() }).optional(),
  live: z.strictObject(liveFields()).optional(),
}));

/** Defines an external agent for `cliAgent` and `readSavedStream`. Throws `invalid_argument` if it is invalid. */
export function defineCliAgent(definition: CliAgentDefinition): CliAdapter {
  checkDefinition(definition);
  const { id, executable, install, print, acp, live } = definition;
  const { name: title = id, login = `log in to ${title} as its documentation says`, environment = [] } = definition;
  if (print === undefined && acp === undefined && live === undefined)
    throw new SingletreeError(
      'invalid_argument',
      `The agent "${id}" has no way to be used. Give defineCliAgent \`print\`, \`acp\` or \`live\`.`,
    );
  if (acp !== undefined && live !== undefined)
    throw new SingletreeError(
      'invalid_argument',
      `The agent "${id}" has two ways to keep running. Give defineCliAgent \`acp\` or \`live\`, not both.`,
    );
  const about = { id, name: title, executable, install, login, environment };
  const acpOnly = acp && acpAdapter({ command: executable, title, ...acp });
  if (print === undefined && acpOnly !== undefined) return { ...acpOnly, ...about };
  const channel = live === undefined ? acpOnly?.live : ownLive(title, live);
  const liveTranslator = (options: TranslatorOptions) =>
    lineTranslator(options, context => savedReader(live as LiveMode, context), { isInteractive: true });
  const printTranslator = (options: TranslatorOptions) =>
    lineTranslator(options, context => recordReader(print as PrintMode, context));
  return {
    ...about,
    credentials: { variables: [], files: [] },
    versions: [],
    ...(channel !== undefined && { live: channel }),
    ...(print === undefined && { isLiveOnly: true }),
    command: request => print?.command(request) ?? { args: live?.args(defined(request)) ?? [] },
    translator: options => {
      if (live === undefined) return printTranslator(options);
      if (print === undefined) return liveTranslator(options);
      const isOpened = (record: WireRecord) => live.opened?.(record) !== undefined;
      return eitherTranslator(printTranslator(options), liveTranslator(options), isOpened);
    },
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
