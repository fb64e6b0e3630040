import type { OptionFields } from '../../base/options/check-options.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import { field, isObject, number, text } from '../../base/options/option-fields.ts';
import { type Limits, limitsField } from '../limits/limits.ts';
import { compactionOption, type CompactionOptions } from '../memory/compaction-options.ts';
import { memoryField, type Memory } from '../memory/memory.ts';
import { modelOptions, modelSource, type ModelSettings } from '../model/call/model-options.ts';
import type { RetryOptions, ModelSource, ModelRegistry } from '../contract/model.ts';
import type { PermissionRuleSet, Policy } from '../contract/permissions.ts';
import type { RunOrigin } from '../contract/run-params.ts';
import type { AgentTools } from '../tool-definition/ai-sdk-tool.ts';
import { contextSchema } from '../tool-definition/check-tool.ts';

export interface LoopAgentOptions<Output = unknown, Context = unknown> {
  /** Default: `loop`. */
  readonly id?: string;
  /** A model, or its `provider/model` id. */
  readonly model: ModelSource;
  /** The schema of the `context` that its runs require: a run without a context fails with `context_missing`. */
  readonly context?: StandardSchemaV1<unknown, Context>;
  /** The system instructions of the model; a function is called at the start of each run and after each compaction. */
  readonly instructions?: string | ((run: RunOrigin<Context>) => string);
  /**
   * The tools of the agent: a list, or tools by name, including AI SDK tools. A function is called at the start of each
   * run with the thread, resource, author and context of the run.
   */
  readonly tools?: AgentTools | ((run: RunOrigin<Context>) => AgentTools);
  /**
   * The folder its tools work in. The first event of a run carries it, and relative paths of its activity refer to it.
   */
  readonly cwd?: string;
  /**
   * The permission rules, or one policy for every call. Default: the rules of the caller; without any, the agent asks
   * about every call except questions, plans and tasks.
   */
  readonly permissions?: PermissionRuleSet | Policy;
  /** The number of model calls before the model has to conclude. Default: 50. */
  readonly maxIterations?: number;
  /** The number of tools that execute concurrently. Default: 8. */
  readonly parallel?: number;
  /** The time limit of a tool in milliseconds. Default: 10 minutes. */
  readonly toolTimeoutMs?: number;
  /** The number of characters above which a tool output is shortened for the model. Default: 30,000. */
  readonly maxOutputLength?: number;
  /**
   * The schema of the last answer: zod, a Standard Schema with a JSON Schema, a schema of the AI SDK, or a JSON Schema.
   * The value is the `output` of `harness_end`. After an answer that does not match, the model is asked again up to
   * twice, then the run fails with `invalid_output`.
   */
  readonly output?: StandardSchemaV1<unknown, Output> | { readonly _type: Output } | object;
  /** When to summarise the first part of a long conversation; `false` for never. */
  readonly compaction?: CompactionOptions | false;
  /** Observes the conversation in the background instead of compacting it; needs a supervisor, which runs the observer. */
  readonly memory?: Memory;
  /**
   * Limits of spending; reaching one ends the run with `limit_reached`. Thread and day limits count the usage that the
   * log of the supervisor records.
   */
  readonly limits?: Limits;
  /** The settings of model calls, such as temperature and provider options. */
  readonly settings?: ModelSettings;
  readonly retry?: RetryOptions;
  /** The registry that resolves model ids. Default: the one of the environment. */
  readonly registry?: ModelRegistry;
}

/** The options of an agent that runs in the loop. */
export const loopAgentFields = () =>
  ({
    id: text().optional(),
    model: modelSource(),
    ...modelOptions(),
    context: contextSchema().optional(),
    instructions: field(
      value => typeof value === 'string' || typeof value === 'function',
      'a text, or a function that returns one',
    ).optional(),
    tools: field(
      value => Array.isArray(value) || isObject(value) || typeof value === 'function',
      'an array of tools, an object of tools by name, or a function that returns one of them',
    ).optional(),
    cwd: text().optional(),
    // The rules are checked with their own error.
    permissions: z.unknown().optional(),
    maxIterations: number().optional(),
    parallel: field(value => typeof value === 'number' && value >= 1, 'a number of at least 1').optional(),
    toolTimeoutMs: number().optional(),
    maxOutputLength: number().optional(),
    output: field(
      value => isObject(value) || typeof value === 'function',
      'a zod schema, another Standard Schema, or a JSON Schema',
    ).optional(),
    compaction: compactionOption().optional(),
    memory: memoryField().optional(),
    limits: limitsField().optional(),
  }) satisfies OptionFields<LoopAgentOptions>;
