import { existsSync } from 'node:fs';
import * as z from 'zod';
import { createRedactor } from '../redaction/redactor.ts';

/** Selects the environment variables of this process that child processes inherit. */
export interface EnvironmentPolicy {
  /** `short`: the few that any program needs. `person`: all that are neither secret nor change how programs load. */
  readonly base: 'short' | 'person';
  /** Names that are always passed, regardless of their values; a trailing `*` matches any suffix. */
  readonly pass?: readonly string[] | undefined;
  /** Names that are never passed. */
  readonly drop?: readonly string[] | undefined;
  /** Variables to set. */
  readonly set?: Readonly<Record<string, string>> | undefined;
}

const names = () =>
  z.array(z.string().regex(/^[^=*]+\*?$/, 'expected the name of a variable, or its beginning and a *')).optional();

/** The fields of a policy that add variables and remove them. */
export const variableFields = () => ({
  pass: names().describe('variables that programs get although they look secret; a * at the end stands for any rest'),
  drop: names().describe('variables that programs do not get'),
  set: z
    .record(z.string().regex(/^[^=]+$/), z.string())
    .optional()
    .describe('variables to set'),
});

/** The schema of an option for a policy. */
export const environmentField = () => z.strictObject({ base: z.enum(['short', 'person']), ...variableFields() });

/** Returns the policy of a run: the conversation of an imported thread was written by others, so the short list applies. */
export function policyFor(
  policy: EnvironmentPolicy | undefined,
  { isImported }: { readonly isImported?: boolean },
): EnvironmentPolicy | undefined {
  return isImported === true && policy !== undefined ? { ...policy, base: 'short' } : policy;
}

export interface ProgramEnvironment {
  /** Default: the short list. */
  readonly policy?: EnvironmentPolicy | undefined;
  /** The variables that the program itself is known to read, secret or not. */
  readonly needed?: readonly RegExp[];
  /** Variables to set in any case. */
  readonly set?: Readonly<Record<string, string>> | undefined;
}

/** Names that programs need: passed regardless of their values, even a proxy URL with a password. */
const basic: readonly RegExp[] = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|LANG|TZ|TMPDIR|PWD|HOSTNAME|DISPLAY|SSH_AUTH_SOCK)$/,
  /^(https?|no|all)_proxy$/i,
];
const short: readonly RegExp[] = [...basic, /^(LC_|XDG_|SSL_CERT_|NODE_EXTRA_CA_CERTS|GIT_)/];

/** Variables that make a program load other code, and those by which we mark our own processes. */
const loader =
  /^(LD_.*|DYLD_.*|NODE_OPTIONS|BASH_ENV|BASH_FUNC_.*|ENV|PYTHONSTARTUP|SINGLETREE_.*|npm_.*|NPM_CONFIG_.*)$/;

/** Names with a secret word; the longer words also count at the end of another one, as in PGPASSWORD. */
const secretName =
  /(^|[^A-Z0-9])((KEY|AUTH|DSN|PAT|PASS|PWD)S?\d*|[A-Z0-9]*(SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|APIKEY)S?\d*)($|[^A-Z0-9])/i;

/** Variables of agents and model providers, which other programs inherit only when `pass` or `needed` names them. */
const agentName =
  /^(ANTHROPIC|CLAUDE|CODEX|OPENAI|AZURE_OPENAI|GEMINI|GOOGLE_GENAI|GOOGLE_GENERATIVE_AI|ANTIGRAVITY|AGY|COPILOT|QWEN|DASHSCOPE|GOOSE|CLINE|KILO|KILOCODE|OPENCODE|PI|OPENROUTER|MISTRAL|GROQ|XAI|DEEPSEEK|ZAI|MOONSHOT|CEREBRAS|TOGETHER|FIREWORKS)_|^CLAUDECODE$/;

/** Names that only look secret: git fails without the second one. */
const harmless: readonly RegExp[] = [...basic, /^(OLDPWD|GIT_CONFIG_KEY_\d+)$/];

/** A URL with a password, a PEM block, a JSON web token, and keys with the prefixes of well-known services. */
const secretValue =
  /[a-z][a-z\d+.-]*:\/\/[^\s/@:]*:[^\s/@]+@|-----BEGIN |\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.|\b(sk|pk|rk)[-_](?=[\w-]{16})|\b(gh[pousr]_|github_pat_|glpat-|xox[abposr]-|hf_|npm_)[\w-]{16}|\bA[KS]IA[A-Z\d]{16}|\bAIza[\w-]{30}|\bBearer \S{12}/i;

/** Returns the environment of a program: the variables that its policy passes, and those that are set. */
export function environmentFor(own: NodeJS.ProcessEnv, program: ProgramEnvironment = {}): Record<string, string> {
  const { passed } = listEnvironment(own, program);
  const kept = passed.map(name => [name, own[name] as string] as const);
  return { ...Object.fromEntries(kept), ...program.policy?.set, ...program.set };
}

/** The names of the variables that a program inherits, and of those that it does not. */
export interface ListedEnvironment {
  readonly passed: readonly string[];
  readonly withheld: readonly string[];
}

/** Lists the variables that a program inherits. */
export function listEnvironment(
  own: NodeJS.ProcessEnv,
  { policy = { base: 'short' }, needed = [] }: ProgramEnvironment = {},
): ListedEnvironment {
  const secrets = createRedactor(secretsIn(own));
  const isPassed = (name: string, value: string) => {
    if (isNamed(policy.drop, name)) return false;
    if (isNamed(policy.pass, name)) return true;
    if (loader.test(name)) return false;
    if (matches(needed, name)) return true;
    if (policy.base === 'short' && !matches(short, name)) return false;
    if (matches(harmless, name)) return true;
    if (secretName.test(name) || agentName.test(name)) return false;
    return !secretValue.test(value) && secrets.scan(value).found.length === 0;
  };
  const names = Object.keys(own).filter(name => own[name] !== undefined);
  const passed = names.filter(name => isPassed(name, own[name] as string));
  return { passed, withheld: names.filter(name => !passed.includes(name)) };
}

function matches(patterns: readonly RegExp[], name: string): boolean {
  return patterns.some(pattern => pattern.test(name));
}

function isNamed(names: readonly string[] = [], name: string): boolean {
  return names.some(each => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));
}

/** Returns the secret values of an environment; short values and paths of files would be found in harmless texts. */
export function secretsIn(own: NodeJS.ProcessEnv): string[] {
  return Object.entries(own).flatMap(([name, value = '']) =>
    secretName.test(name) && !matches(harmless, name) && value.length >= 12 && !existsSync(value) ? [value] : [],
  );
}
