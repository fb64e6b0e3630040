import { posix } from 'node:path';
import { parseCommandPattern } from './command-pattern.ts';
import { globOf, isWild, matchesGlob, matchesWithin } from './glob.ts';
import { isUnderstood, type PermissionRule } from './rule.ts';
import { readShellLine, type ShellLine } from './shell-line.ts';
import { allowsLine, type Guarding, guardsReach } from './shell-pattern.ts';
import { type Reach, reachOf } from './shell-reach.ts';
import { argumentsAt, commandArgument, commandLineOf, textOfArgument, type ToolRequest } from './tool-request.ts';

/** A request with its command line parsed once for all rules. */
interface Subject {
  readonly request: ToolRequest;
  readonly line: ShellLine | undefined;
  readonly reach: Reach | undefined;
}

/** What rules say about a request. */
export interface RuleMatches {
  /** The rules that match. Rules that allow commands do so together: each command of the line needs one of them. */
  readonly matching: readonly PermissionRule[];
  /** The strictest command rule that refuses or asks and may apply, though it is not certain that it does. */
  readonly doubted: PermissionRule | undefined;
}

/** Finds the rules that match a request, and the one that may. */
export function matchRules(rules: readonly PermissionRule[], request: ToolRequest): RuleMatches {
  const text = commandLineOf(request);
  const line = text === undefined ? undefined : readShellLine(text);
  const subject: Subject = { request, line, reach: line && reachOf(line) };
  const candidates = rules.filter(rule => matchesCall(rule, request));
  const together = candidates.filter(rule => rule.policy === 'allow' && rule.command !== undefined);
  const allowed = commandArgument(request) !== undefined && allowTogether(together, line);
  const matching: PermissionRule[] = [];
  const doubted: PermissionRule[] = [];
  for (const rule of candidates) {
    const applying = applies(rule, subject, allowed);
    if (applying === 'matches') matching.push(rule);
    if (applying === 'may') doubted.push(rule);
  }
  return { matching, doubted: doubted.find(rule => rule.policy === 'deny') ?? doubted[0] };
}

function matchesCall(rule: PermissionRule, request: ToolRequest): boolean {
  // One that is not understood may guard too much, and allows nothing.
  if (rule.policy === 'allow' && !isUnderstood(rule)) return false;
  if (rule.tool !== undefined && !matchesGlob(globOf(rule.tool), request.tool)) return false;
  if (rule.category !== undefined && rule.category !== request.category) return false;
  return Object.entries(rule.input ?? {}).every(([path, glob]) => {
    if (rule.policy === 'allow' && isWild(globOf(glob)) && holdsCommand(path, request)) return false;
    return matchesArgument(rule, glob, argumentsAt(request.input, path));
  });
}

/** A command line is allowed by its parsed commands, never by a wildcard over its text. */
function holdsCommand(path: string, request: ToolRequest): boolean {
  return commandArgument(request)?.concat('.').startsWith(`${path}.`) ?? false;
}

/** To allow, every reading of the argument must match and none may climb with `..`; otherwise one is enough. */
function matchesArgument(rule: PermissionRule, text: string, values: readonly unknown[]): boolean {
  const glob = globOf(text);
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

function allowTogether(rules: readonly PermissionRule[], line: ShellLine | undefined): boolean {
  if (line === undefined || rules.length === 0) return false;
  return allowsLine(
    rules.flatMap(rule => readPattern(rule.command)),
    line.strict,
  );
}

/** Whether a rule that allows speaks about a command of the line. */
function mentions(command: string, { reach }: Subject): boolean {
  return readPattern(command).some(
    pattern => !isWild(pattern.words[0].glob) && reach !== undefined && guardsReach(pattern, reach) === 'matches',
  );
}

/** A shell call whose command cannot be read is guarded by every command rule, a line that is not understood perhaps. */
function guards(command: string, { request, reach }: Subject): Guarding {
  if (commandArgument(request) === undefined) return 'no';
  const [pattern] = readPattern(command);
  if (reach === undefined || pattern === undefined) return 'matches';
  const guarding = guardsReach(pattern, reach);
  return guarding === 'no' && !reach.understood ? 'may' : guarding;
}

function readPattern(command: string | undefined) {
  try {
    return command === undefined ? [] : [parseCommandPattern(command)];
  } catch {
    return [];
  }
}
