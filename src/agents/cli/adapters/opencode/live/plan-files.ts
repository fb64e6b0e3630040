import { recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';

/** The files that a turn wrote, and the plan among them that the agent has finished. */
export class PlanFiles {
  readonly #written = new Map<string, string>();
  #path: string | undefined;

  /** The path of the plan that the agent has finished. */
  get path(): string | undefined {
    return this.#path;
  }

  /** Takes a call; returns true when it has finished a plan. */
  take(part: WireRecord, state: WireRecord): boolean {
    const input = recordOf(state['input']);
    const [path, content] = [textOf(input?.['filePath']), textOf(input?.['content'])];
    if (part['tool'] === 'write' && path?.endsWith('.md') === true && content !== undefined)
      this.#written.set(nameOf(path), content);
    if (part['tool'] !== 'plan_exit' || state['status'] !== 'completed') return false;
    this.#path = textOf(recordOf(state['metadata'])?.['plan']) ?? textOf(input?.['path']);
    return this.#path !== undefined;
  }

  /** The content of a plan that was written in this turn; undefined when it was not. */
  written(path: string): string | undefined {
    return this.#written.get(nameOf(path));
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
