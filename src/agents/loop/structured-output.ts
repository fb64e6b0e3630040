import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { type ReadSchema, readSchema } from '../tool-definition/read-schema.ts';
import { validate } from '../tool-definition/define-tool.ts';

/** How often the model is asked again when its answer does not match the schema. */
const corrections = 2;

/** The last answer of a run as a value of a schema: describes it to the model, and reads it. */
export class StructuredOutput {
  readonly #schema: ReadSchema;
  /** The text of the current step. */
  #text = '';
  #corrected = 0;

  /** Throws `invalid_argument` for a schema that cannot be read. */
  constructor(schema: object, agentId: string) {
    this.#schema = readOutput(schema, agentId);
  }

  /** The format of the answer, for a provider that can enforce it. */
  get responseFormat(): NonNullable<LanguageModelV3CallOptions['responseFormat']> {
    return { type: 'json', schema: this.#schema.json };
  }

  /** The instructions with a description of the answer, for a provider that cannot enforce it. */
  instructions(own: string | undefined): string {
    const format = `Your final answer is only JSON, without a fence, that matches this JSON Schema:\n${JSON.stringify(this.#schema.json)}`;
    return own ? `${own}\n\n${format}` : format;
  }

  /** Applies an event of the run. */
  take(event: AgentEvent): void {
    if (event.type === 'step_start') this.#text = '';
    else if (event.type === 'text') this.#text += event.content;
  }

  /** Returns the value of the last answer, or the problem with it; `again` is false after the last correction. */
  async read(): Promise<{ readonly value: unknown } | { readonly problem: string; readonly again: boolean }> {
    const parsed = parse(this.#text);
    const checked = 'value' in parsed ? await validate(this.#schema.standard, parsed.value) : parsed;
    if ('value' in checked) return checked;
    return { problem: checked.problem, again: this.#corrected++ < corrections };
  }
}

/** Throws `invalid_argument` for a schema that cannot be read. */
export function checkOutput(schema: object, agentId: string): void {
  readOutput(schema, agentId);
}

function readOutput(schema: object, agentId: string): ReadSchema {
  return readSchema(schema, `the output of the agent "${agentId}"`);
}

/** Returns the message that asks the model for another answer. */
export function buildCorrection(problem: string): string {
  return `Your answer does not match the schema: ${problem} Answer again with only the JSON.`;
}

function parse(text: string): { value: unknown } | { problem: string } {
  const json = /^\s*```(?:json)?\s*\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text;
  try {
    return { value: JSON.parse(json) };
  } catch (error) {
    return { problem: `It is not JSON: ${(error as Error).message}.` };
  }
}
