import { posix } from 'node:path';
import { parseCommandPattern } from './command-pattern.ts';
import { globOf, isWild, matchesGlob, matchesWithin } from './glob.ts';
import { matchesPaths } from './path-match.ts';
import { isUnderstood, type PermissionRule } from './rule.ts';
import { readShellLine, type ShellLine } from './shell-line.ts';
import { allowsLine, guardsReach } from './shell-pattern.ts';
import { type Reach, reachOf } from './shell-reach.ts';
import {
  argumentsAt,
  commandArgument,
  commandLineOf,
  pathsAt,
  textOfArgument,
  type ToolRequest,
} from './tool-request.ts';

/** A request with its command line parsed once for all rules. */
interface Subject {
  readonly request: ToolRequest;
  readonly line: ShellLine | undefined;
  readonly reach: Reach | undefined;
}

/** The rules that match a request. Rules that allow commands do so together: each command of the line needs one of them. */
export function matchingRules(rules: readonly PermissionRule[], request: ToolRequest): PermissionRule[] {
  const text = commandLineOf(request);
  const line = text === undefined ? undefined : readShellLine(text);
  const subject: Subject = { request, line, reach: line && reachOf(line) };
  const candidates = rules.filter(rule => matchesCall(rule, request));
  const together = candidates.filter(rule => rule.policy === 'allow' && rule.command !== undefined);
  const allowed = commandArgument(request) !== undefined && allowTogether(together, line);
  return candidates.filter(rule => {
    if (rule.command === undefined) return true;
    return rule.policy === 'allow' ? allowed && mentions(rule, subject) : guards(rule.command, subject);
  });
}

function matchesCall(rule: PermissionRule, request: ToolRequest): boolean {
  // One that is not understood may guard too much, and allows nothing.
  if (rule.policy === 'allow' && !isUnderstood(rule)) return false;
  if (rule.tool !== undefined && !matchesGlob(globOf(rule.tool), request.tool)) return false;
  if (rule.category !== undefined && rule.category !== request.category) return false;
  return Object.entries(rule.input ?? {}).every(([path, glob]) => {
    if (rule.policy === 'allow' && isWild(globOf(glob)) && holdsCommand(path, request)) return false;
    const paths = pathsAt(request, path);
    if (paths !== undefined) return matchesPaths(rule.policy, glob, paths);
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

function allowTogether(rules: readonly PermissionRule[], line: ShellLine | undefined): boolean {
  if (line === undefined || rules.length === 0) return false;
  return allowsLine(
    rules.flatMap(rule => readPattern(rule.command)),
    line,
  );
}

function mentions(rule: PermissionRule, { reach }: Subject): boolean {
  return readPattern(rule.command).some(
    pattern => !isWild(pattern.words[0].glob) && guardsReach(pattern, reach ?? nothing),
  );
}

/** A shell call whose command cannot be read is guarded by every command rule. */
function guards(command: string, { request, reach }: Subject): boolean {
  if (commandArgument(request) === undefined) return false;
  const [pattern] = readPattern(command);
  return reach === undefined || pattern === undefined || guardsReach(pattern, reach);
}

const nothing: Reach = { commands: [], unsure: [] };

function readPattern(command: string | undefined) {
  try {
    return command === undefined ? [] : [parseCommandPattern(command)];
  } catch {
    return [];
  }
}
