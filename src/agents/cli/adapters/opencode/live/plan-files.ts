import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';

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
    const input = toRecord(state['input']);
    const [path, content] = [toText(input?.['filePath']), toText(input?.['content'])];
    if (part['tool'] === 'write' && path?.endsWith('.md') === true && content !== undefined)
      this.#written.set(getName(path), content);
    if (part['tool'] !== 'plan_exit' || state['status'] !== 'completed') return false;
    this.#path = toText(toRecord(state['metadata'])?.['plan']) ?? toText(input?.['path']);
    return this.#path !== undefined;
  }

  /** The content of a plan that was written in this turn; undefined when it was not. */
  written(path: string): string | undefined {
    return this.#written.get(getName(path));
  }
}

function getName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
