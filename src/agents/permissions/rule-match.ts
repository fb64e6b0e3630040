import { posix } from 'node:path';
import { type CommandPattern, parseCommandPattern } from './command-pattern.ts';
import { parseGlob, isWild, matchesGlob, matchesWithin } from './glob.ts';
import { isPathName } from './path-fields.ts';
import { allowsPaths, guardsPaths } from './path-match.ts';
import { isUnderstood } from './rule.ts';
import type { PermissionRule, ToolRequest } from '../contract/permissions.ts';
import { readShellLine } from '../../projections/shell/shell-line.ts';
import { allowsLine, type Guarding, guardsReach } from './shell-pattern.ts';
import { type Reach, getReach } from './shell-reach.ts';
import { readStrictly } from '../../projections/shell/strict-line.ts';
import { argumentsAt, commandArgument, getCommandLine, pathsAt, textOfArgument } from './tool-request.ts';

/** A request with everything its command line could run, computed once for all rules that deny or ask. */
interface Subject {
  readonly request: ToolRequest;
  readonly reach: () => Reach | undefined;
}

/** The result of matching rules against a request. */
export interface RuleMatches {
  /** The matching rules. Rules that allow commands do so together: each command of the line needs one of them. */
  readonly matching: readonly PermissionRule[];
  /** The strictest rule over commands or paths that denies or asks and may match. */
  readonly doubted: PermissionRule | undefined;
}

/** Finds the rules that match a request, and the strictest one that may match. */
export function matchRules(rules: readonly PermissionRule[], request: ToolRequest): RuleMatches {
  const text = getCommandLine(request);
  let reach: Reach | undefined;
  const subject: Subject = {
    request,
    reach: () => (reach ??= text === undefined ? undefined : getReach(readShellLine(text))),
  };
  const candidates = rules
    .map(rule => ({ rule, call: matchesCall(rule, request) }))
    .filter(({ call }) => call !== 'no');
  const together = candidates
    .map(({ rule }) => rule)
    .filter(({ policy, command }) => policy === 'allow' && command !== undefined);
  const allowed = commandArgument(request) !== undefined && allowTogether(together, text);
  const matching: PermissionRule[] = [];
  const doubted: PermissionRule[] = [];
  for (const { rule, call } of candidates) {
    const applying = applies(rule, subject, allowed);
    if (applying === 'no') continue;
    (applying === 'may' || call === 'may' ? doubted : matching).push(rule);
  }
  return { matching, doubted: doubted.find(rule => rule.policy === 'deny') ?? doubted[0] };
}

/** Whether all selectors of a rule but its command match; a rule that allows never only may. */
function matchesCall(rule: PermissionRule, request: ToolRequest): Guarding {
  // An invalid rule may guard too many calls, but never allows one.
  if (rule.policy === 'allow' && !isUnderstood(rule)) return 'no';
  if (rule.tool !== undefined && !matchesGlob(parseGlob(rule.tool), request.tool)) return 'no';
  if (rule.category !== undefined && rule.category !== request.category) return 'no';
  const inputs = Object.entries(rule.input ?? {}).map(([name, glob]) => matchesInput(rule, request, name, glob));
  if (inputs.includes('no')) return 'no';
  return inputs.includes('may') ? 'may' : 'matches';
}

function matchesInput(rule: PermissionRule, request: ToolRequest, name: string, glob: string): Guarding {
  const isAllowing = rule.policy === 'allow';
  if (isAllowing && isWild(parseGlob(glob)) && holdsCommand(name, request)) return 'no';
  const paths = pathsAt(request, name);
  const isUnclear = request.hasUnknownPaths === true && (paths !== undefined || isPathName(name));
  if (isAllowing && isUnclear) return 'no';
  if (isAllowing && paths !== undefined) return allowsPaths(glob, paths) ? 'matches' : 'no';
  if (paths === undefined && matchesArgument(rule, glob, argumentsAt(request.input, name))) return 'matches';
  const guarding = paths === undefined ? 'no' : guardsPaths(glob, paths);
  return guarding === 'no' && isUnclear ? 'may' : guarding;
}

/** A command line is allowed by its parsed commands, never by a wildcard over its text. */
function holdsCommand(path: string, request: ToolRequest): boolean {
  return commandArgument(request)?.concat('.').startsWith(`${path}.`) ?? false;
}

/** To allow, every reading of the argument must match and none may contain `..`; otherwise one match is enough. */
function matchesArgument(rule: PermissionRule, text: string, values: readonly unknown[]): boolean {
  const glob = parseGlob(text);
  const texts = values.map(textOfArgument);
  if (rule.policy === 'allow')
    return texts.length > 0 && texts.every(value => value !== undefined && matchesWithin(glob, value));
  return texts.some(
    value => value === undefined || matchesGlob(glob, value) || matchesGlob(glob, posix.normalize(value)),
  );
}

function applies(rule: PermissionRule, subject: Subject, allowed: boolean): Guarding {
  if (rule.command === undefined) return 'matches';
  if (rule.policy !== 'allow') return guards(rule.command, subject);
  return allowed && mentions(rule.command, subject) ? 'matches' : 'no';
}

function allowTogether(rules: readonly PermissionRule[], text: string | undefined): boolean {
  if (text === undefined || rules.length === 0) return false;
  return allowsLine(
    rules.flatMap(rule => readPattern(rule.command)),
    readStrictly(text),
  );
}

/** Whether an allowing rule matches a command of the line. */
function mentions(command: string, subject: Subject): boolean {
  const reach = subject.reach();
  return readPattern(command).some(
    pattern => !isWild(pattern.words[0].glob) && reach !== undefined && guardsReach(pattern, reach) === 'matches',
  );
}

/** Every command rule guards a shell call whose command cannot be read, and may guard a line that is not understood. */
function guards(command: string, subject: Subject): Guarding {
  if (commandArgument(subject.request) === undefined) return 'no';
  const reach = subject.reach();
  const [pattern] = readPattern(command);
  if (reach === undefined || pattern === undefined) return 'matches';
  const guarding = guardsReach(pattern, reach);
  return guarding === 'no' && !reach.understood ? 'may' : guarding;
}

const maxPatterns = 1000;
const patterns = new Map<string, readonly CommandPattern[]>();

/** Returns the parsed pattern of a rule, cached across calls; undefined when it is invalid. */
function readPattern(command: string | undefined): readonly CommandPattern[] {
  if (command === undefined) return [];
  const known = patterns.get(command);
  if (known !== undefined) return known;
  if (patterns.size >= maxPatterns) patterns.clear();
  let read: readonly CommandPattern[];
  try {
    read = [parseCommandPattern(command)];
  } catch {
    read = []; // A rule with a pattern that is none matches nothing; reading the rules reported it.
  }
  patterns.set(command, read);
  return read;
}
