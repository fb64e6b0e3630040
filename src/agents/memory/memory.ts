import type { ObservationOptions, ReflectionOptions, MemoryScope, MemoryOptions } from '../contract/memory.ts';
import * as z from 'zod';
import { optionsCheck, type OptionFields } from '../../base/options/check-options.ts';
import { callback, field, having, milliseconds, text } from '../../base/options/option-fields.ts';
import { modelSource, retryField } from '../model/call/model-options.ts';

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
