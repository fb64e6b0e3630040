import * as z from 'zod';
import { optionsCheck } from '../../base/options/check-options.ts';
import { field, number, text } from '../../base/options/option-fields.ts';
import type { InvokeParams, Tool } from '../contract/agent.ts';
import type { ModelRegistry, ModelSource, RetryOptions } from '../contract/model.ts';
import type { PermissionRuleSet, Policy } from '../contract/permissions.ts';
import { agentNamed, modelOptions, modelSource, type ModelSettings } from '../model/call/model-options.ts';
import { type RlmLimits, rlmLimitsField } from './rlm-limits.ts';

export interface RlmAgentOptions {
  /** Default: `rlm`. */
  readonly id?: string;
  /** A model, or its `provider/model` id. */
  readonly model: ModelSource;
  /** The model for `llm_query`. Default: the agent's model. */
  readonly subModel?: ModelSource;
  /** Instructions for the model, in addition to those about its REPL. */
  readonly instructions?: string;
  /** The long input: a string in the REPL; the model receives its size and first part. Default: empty. */
  readonly context?: string | ((params: InvokeParams) => Promise<string> | string);
  /**
   * The tools that code may call, each as a function of its name; a shell tool also accepts the command as a string.
   */
  readonly tools?: readonly Tool[];
  /** The calls that run without asking: rules, or one policy for every call. Default: every call is asked about. */
  readonly permissions?: PermissionRuleSet | Policy;
  /** The number of model calls before the model has to conclude. Default: 30. */
  readonly maxIterations?: number;
  readonly limits?: Partial<RlmLimits>;
  /** The settings of model calls. */
  readonly settings?: ModelSettings;
  readonly retry?: RetryOptions;
  /** The registry that resolves model ids. Default: the one of the environment. */
  readonly registry?: ModelRegistry;
}

/** Throws `invalid_argument` for options that are unknown or invalid. */
export const checkRlmOptions = optionsCheck<RlmAgentOptions>(
  'rlmAgent',
  agentNamed,
)(() => ({
  id: text().optional(),
  model: modelSource(),
  subModel: modelSource().optional(),
  ...modelOptions(),
  context: field(
    value => typeof value === 'string' || typeof value === 'function',
    'a string, or a function that returns one',
  ).optional(),
  tools: field(Array.isArray, 'an array of tools').optional(),
  // The rules are checked with their own error.
  permissions: z.unknown().optional(),
  maxIterations: number().optional(),
  limits: rlmLimitsField().optional(),
}));
