import { describe, expect, it } from 'vitest';
import { applyEffect, type EffectHandlers, placeRun, type StructuralEffect, structuralEffects } from './structure.ts';
import type { AgentEvent } from './vocabulary.ts';

describe('the place of a run', () => {
  const place = (type: 'harness_start' | 'text', cause?: 'call' | 'run' | 'user', isNewestRunning = true) =>
    placeRun({ type, parentId: cause && 'cause' }, cause, () => isNewestRunning);

  it('nests what a call started, and what a run started', () => {
    expect([place('harness_start', 'call'), place('text', 'call')]).toEqual(['nested', 'nested']);
    expect(place('harness_start', 'run')).toBe('nested');
  });

  it('gives what a run emits under another id to the message of that run', () => {
    expect(place('text', 'run')).toBe('inside cause');
    expect(place('text')).toBe('inside newest');
  });

  it('lets a run answer a person, or follow the newest message', () => {
    expect([place('harness_start', 'user'), place('text', 'user')]).toEqual(['answer', 'answer']);
    expect([place('harness_start'), place('text', undefined, false)]).toEqual(['next', 'next']);
    expect(placeRun({ type: 'text', parentId: 'unknown' }, undefined, () => true)).toBe('next');
  });
});

describe('the effect of an event', () => {
  const seen: StructuralEffect[] = [];
  const on = Object.fromEntries(
    Object.values(structuralEffects).map(effect => [effect, () => void seen.push(effect)]),
  ) as unknown as EffectHandlers<undefined>;

  it('selects the handler, and ignores types that are not known', () => {
    applyEffect(on, { type: 'steer_requested', runId: 'run', by: 'ann' } as AgentEvent, undefined);
    applyEffect(on, { type: 'from_a_later_version', runId: 'run' } as unknown as AgentEvent, undefined);
    applyEffect(on, { type: 'session', runId: 'run', sessionId: 's' }, undefined);
    expect(seen).toEqual(['none', 'run']);
  });
});
