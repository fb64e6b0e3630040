import { createRequire } from 'node:module';
import { Ajv } from '@modelcontextprotocol/client/validators/ajv';

interface PublishedSchema {
  readonly $defs: Readonly<Record<string, { readonly 'x-method'?: string }>>;
}

const { $defs } = createRequire(import.meta.url)('@agentclientprotocol/sdk/schema/v1/schema.json') as PublishedSchema;
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false });
const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

/** What the published schema of ACP says against a value of one of its types; undefined when it is valid. */
export function acpProblem(type: string, value: unknown): string | undefined {
  const validate = compiled.get(type) ?? ajv.compile({ $defs, $ref: `#/$defs/${type}` });
  compiled.set(type, validate);
  if (validate(value)) return undefined;
  return `${type}: ${JSON.stringify(value).slice(0, 2_000)}\n${ajv.errorsText(validate.errors)}`;
}

/** The type of what a method sends or answers, such as `PromptResponse` for `session/prompt`. */
function findType(method: string, ending: 'Request' | 'Response' | 'Notification'): string {
  const found = Object.entries($defs).find(([name, type]) => type['x-method'] === method && name.endsWith(ending));
  if (found === undefined) throw new Error(`The schema has no ${ending} of ${method}.`);
  return found[0];
}

/** Checks the lines that an agent writes: each must be a message of the protocol, valid for its method. */
export class AcpLines {
  /** The methods of the client's requests by id. */
  readonly #asked = new Map<unknown, string>();
  readonly problems: string[] = [];
  readonly lines: Record<string, unknown>[] = [];

  /** Notes a message of the client, whose answer will be checked. */
  sent(message: { readonly id?: unknown; readonly method?: unknown }): void {
    if (message.id !== undefined && typeof message.method === 'string') this.#asked.set(message.id, message.method);
  }

  received(line: string): void {
    if (line.trim() === '') return;
    let message: Record<string, unknown>;
    try {
      message = JSON.parse(line) as Record<string, unknown>;
    } catch {
      this.problems.push(`no JSON: ${line.slice(0, 200)}`);
      return;
    }
    this.lines.push(message);
    const problem = this.#problem(message);
    if (problem !== undefined) this.problems.push(problem);
  }

  #problem(message: Record<string, unknown>): string | undefined {
    if (message['jsonrpc'] !== '2.0') return `no message of JSON-RPC: ${JSON.stringify(message)}`;
    const { method, params, id, result, error } = message;
    if (typeof method === 'string') {
      if (method === '$/cancel_request') return undefined;
      return acpProblem(findType(method, id === undefined ? 'Notification' : 'Request'), params);
    }
    if (error !== undefined) return acpProblem('Error', error);
    const asked = this.#asked.get(id);
    if (asked === undefined) return `an answer to nothing: ${JSON.stringify(message)}`;
    return asked.startsWith('_') ? undefined : acpProblem(findType(asked, 'Response'), result);
  }
}
