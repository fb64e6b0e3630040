import * as z from 'zod';
import { optionsCheck, type OptionFields } from '../../base/options/check-options.ts';
import { callback, field, having, milliseconds, text } from '../../base/options/option-fields.ts';
import { modelSource, retryField } from '../model/call/model-options.ts';
import type { RetryOptions } from '../model/call/retry.ts';
import type { ModelSource } from '../model/registry/model-source.ts';
import type { ModelRegistry } from '../model/registry/registry.ts';
import type { MemoryStatus } from './memory-status.ts';

export interface ObservationOptions {
  /** The model of the observer. Default: that of the memory, else that of the run. */
  readonly model?: ModelSource;
  /** The tokens of messages at which observations take their place. Default: 30,000. */
  readonly threshold?: number;
  /** The part of the threshold after which the next messages are observed in the background. Default: 0.2. */
  readonly bufferEvery?: number;
  /** The part of the threshold that is free after observations took effect. Default: 0.8. */
  readonly activation?: number;
  /** A run waits for the observer when its messages reach this multiple of the threshold. Default: 1.2. */
  readonly blockAfter?: number;
  /** The tokens of messages that one call of the observer receives. Default: 10,000. */
  readonly batchTokens?: number;
  /** Instructions beside those of the observer. */
  readonly instructions?: string;
}

export interface ReflectionOptions {
  /** The model of the reflector. Default: that of the memory, else that of the run. */
  readonly model?: ModelSource;
  /** The tokens of observations at which they are condensed. Default: 40,000. */
  readonly threshold?: number;
  /** The part of the threshold from which they are condensed in the background. Default: 0.8. */
  readonly bufferAt?: number;
  /** A run waits for the reflector when its observations reach this multiple of the threshold. Default: 1.2. */
  readonly blockAfter?: number;
  /** Instructions beside those of the reflector. */
  readonly instructions?: string;
}

/** The threads whose observations a model is sent. */
export type MemoryScope = 'thread' | 'resource';

export interface MemoryOptions {
  /** The model of the observer and the reflector. Default: that of the run. */
  readonly model?: ModelSource;
  /**
   * `resource`: a model is also sent the observations of other threads of the same resource, marked, as they were when
   * the request was made. Default: `thread`.
   */
  readonly scope?: MemoryScope;
  readonly observation?: ObservationOptions;
  readonly reflection?: ReflectionOptions;
  /** How long an observer or a reflector may take, in milliseconds. Default: 2 minutes. */
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions;
  /** The registry that resolves model ids. Default: that of the run. */
  readonly registry?: ModelRegistry;
  /** Is called after each step of a run. */
  readonly onStatus?: (status: MemoryStatus) => void;
}

const positive = () => field(value => typeof value === 'number' && value > 0, 'a number above 0');
const part = () => field(value => typeof value === 'number' && value > 0 && value <= 1, 'a number above 0, at most 1');
const multiple = () => field(value => typeof value === 'number' && value >= 1, 'a number of at least 1');

const checkOptions = optionsCheck<MemoryOptions>('new Memory')(() => ({
  model: modelSource().optional(),
  scope: field(value => value === 'thread' || value === 'resource', '`thread` or `resource`').optional(),
  observation: z
    .strictObject({
      model: modelSource().optional(),
      threshold: positive().optional(),
      bufferEvery: part().optional(),
      activation: part().optional(),
      blockAfter: multiple().optional(),
      batchTokens: positive().optional(),
      instructions: text().optional(),
    } satisfies OptionFields<ObservationOptions>)
    .optional(),
  reflection: z
    .strictObject({
      model: modelSource().optional(),
      threshold: positive().optional(),
      bufferAt: part().optional(),
      blockAfter: multiple().optional(),
      instructions: text().optional(),
    } satisfies OptionFields<ReflectionOptions>)
    .optional(),
  timeoutMs: milliseconds().optional(),
  retry: retryField().optional(),
  registry: having(['resolve'], 'what `createModelRegistry` returns').optional(),
  onStatus: callback().optional(),
}));

/**
 * Observational memory: an observer turns older messages into dated observations, a reflector condenses these. Its only
 * store is the log, so that one memory serves any number of threads and processes.
 */
export class Memory {
  readonly options: MemoryOptions;
  readonly scope: MemoryScope;
  readonly observation: Required<Omit<ObservationOptions, 'model' | 'instructions'>> & ObservationOptions;
  readonly reflection: Required<Omit<ReflectionOptions, 'model' | 'instructions'>> & ReflectionOptions;

  /** Throws `invalid_argument` for options that are unknown or invalid. */
  constructor(options: MemoryOptions = {}) {
    checkOptions(options);
    const { observation = {}, reflection = {} } = options;
    this.options = options;
    this.scope = options.scope ?? 'thread';
    this.observation = {
      threshold: 30_000,
      bufferEvery: 0.2,
      activation: 0.8,
      blockAfter: 1.2,
      batchTokens: 10_000,
      ...observation,
    };
    this.reflection = { threshold: 40_000, bufferAt: 0.8, blockAfter: 1.2, ...reflection };
  }

  /** Returns a memory with some options replaced. */
  with({ observation, reflection, ...others }: MemoryOptions): Memory {
    return new Memory({
      ...this.options,
      ...others,
      observation: { ...this.options.observation, ...observation },
      reflection: { ...this.options.reflection, ...reflection },
    });
  }
}

/** A memory, as an option. */
export const memoryField = () => having(['with'], 'a `new Memory()`');
