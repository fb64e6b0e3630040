import { describe, expect, it } from 'vitest';
import { createModelRegistry } from '../../../agents/model/registry/registry.ts';
import { listModels, modelAuthStatus, modelName, modelOfMode, subagentModelId, switchModel } from './models.ts';

const registry = createModelRegistry({ env: { ANTHROPIC_API_KEY: 'x' } });

describe('the available models', () => {
  it('are listed with their provider, their availability, and their use count', async () => {
    const [first] = registry.models().filter(({ provider }) => provider === 'anthropic');
    const id = first?.id ?? '';
    const models = await listModels({ registry, useCounts: () => ({ [id]: 3 }) });
    expect(models.find(model => model.id === id)).toEqual({
      id,
      provider: 'anthropic',
      modelName: first?.model,
      hasApiKey: true,
      apiKeyEnvVar: 'ANTHROPIC_API_KEY',
      useCount: 3,
    });
    expect(models.find(({ provider }) => provider === 'openai')).toMatchObject({ hasApiKey: false, useCount: 0 });
  });

  it('include custom models, which replace those with the same id', async () => {
    const customModels = () => Promise.resolve([{ id: 'own/m', provider: 'own', modelName: 'm' }]);
    const models = await listModels({
      registry,
      customModels,
      authChecker: provider => (provider === 'own' ? true : undefined),
    });
    expect(models.at(-1)).toEqual({ id: 'own/m', provider: 'own', modelName: 'm', hasApiKey: true, useCount: 0 });
  });

  it('are usable when the checker says so, else when the environment does', async () => {
    expect(await modelAuthStatus({ registry }, 'anthropic/x')).toEqual({
      hasAuth: true,
      apiKeyEnvVar: 'ANTHROPIC_API_KEY',
    });
    expect((await modelAuthStatus({ registry, authChecker: () => false }, 'anthropic/x')).hasAuth).toBe(false);
    expect((await modelAuthStatus({ registry, authChecker: () => undefined }, 'openai/x')).hasAuth).toBe(false);
    expect(await modelAuthStatus({ registry }, 'nobody/x')).toEqual({ hasAuth: false });
    expect(await modelAuthStatus({ registry }, '')).toEqual({ hasAuth: false });
  });

  it('have short names', () => {
    expect(['anthropic/claude', 'a/b/c', 'alone', '', 'a/'].map(modelName)).toEqual([
      'claude',
      'c',
      'alone',
      'unknown',
      'unknown',
    ]);
  });
});

describe('the model of a mode', () => {
  const mode = { id: 'plan', defaultModelId: 'default' };
  it('is the stored one, that of the session, the default, or the last one of the thread', () => {
    const metadata = { modeModelId_plan: 'kept', currentModelId: 'last' };
    const session = { plan: 'chosen' };
    expect(modelOfMode(mode, { metadata, session })).toBe('kept');
    expect(modelOfMode(mode, { metadata: { currentModelId: 'last' }, session })).toBe('chosen');
    expect(modelOfMode(mode, { metadata: { currentModelId: 'last' } })).toBe('default');
    expect(modelOfMode({ id: 'plan' }, { metadata: { currentModelId: 'last' } })).toBe('last');
    expect(modelOfMode({ id: 'plan' }, { metadata: { modeModelId_plan: 5 } })).toBe('');
  });

  it('is chosen for the session, or stored in the thread', () => {
    expect(switchModel({}, 'plan', { modelId: 'm' })).toEqual({
      session: { plan: 'm' },
      isCurrent: true,
      event: { type: 'model_changed', modelId: 'm', modeId: 'plan' },
    });
    expect(switchModel({ plan: 'a' }, 'plan', { modelId: 'm', scope: 'thread' })).toMatchObject({
      session: { plan: 'a' },
      metadata: { modeModelId_plan: 'm', currentModelId: 'm' },
    });
    expect(switchModel({ plan: 'a' }, 'plan', { modelId: 'm', scope: 'global' })).not.toHaveProperty('metadata');
  });

  it('of another mode does not change the current model', () => {
    expect(switchModel({ plan: 'a' }, 'plan', { modelId: 'm', scope: 'thread', modeId: 'build' })).toEqual({
      session: { plan: 'a' },
      metadata: { modeModelId_build: 'm' },
      isCurrent: false,
      event: { type: 'model_changed', modelId: 'm', scope: 'thread', modeId: 'build' },
    });
  });
});

describe('the model of a subagent', () => {
  it('is that of its type, else that of all types', () => {
    const state = { subagentModelId: 'all', subagentModelId_explore: 'own' };
    expect([
      subagentModelId(state, 'explore'),
      subagentModelId(state, 'plan'),
      subagentModelId(state),
      subagentModelId({}),
    ]).toEqual(['own', 'all', 'all', null]);
  });
});
