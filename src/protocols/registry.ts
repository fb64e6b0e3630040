import { SingletreeError } from '../base/singletree-error.ts';
import { activityEncoder } from './activity-encoder.ts';
import { agUiFraming, agUiVersions } from './ag-ui/ag-ui-event.ts';
import { aiSdkFraming, aiSdkVersions } from './ai-sdk/chunk.ts';
import { flowEncoder } from './flow/flow-encoder.ts';
import { sseFraming } from './framing.ts';
import type { Protocol } from './protocol.ts';

/**
 * Every built-in protocol by its name; the first is served when a reader names none. The encoders of the AI SDK and of
 * AG-UI are loaded with their first reader.
 */
export const protocols = {
  events: {
    description: 'the log as it is',
    covers: 'thread',
    framing: sseFraming,
    encoder: () => ({ encode: event => [event], end: () => [] }),
    isVerbatim: true,
  },
  flow: {
    description: 'flow events of one request',
    covers: 'request',
    framing: sseFraming,
    encoder: ({ runId, priceOf, threadId, resourceId, currency } = {}) =>
      flowEncoder({ runId, priceOf, threadId, resourceId, currency }),
  },
  'ai-sdk': {
    description: 'the AI SDK UI message stream of one request',
    covers: 'request',
    framing: aiSdkFraming,
    encoder: async ({ version: asked, runId, priceOf, threadId, messageId, currency } = {}) => {
      const { aiSdkEncoder } = await import('./ai-sdk/ai-sdk-encoder.ts');
      const version = aiSdkVersions.find(each => String(each) === asked);
      return aiSdkEncoder({ version, runId, priceOf, threadId, messageId, currency });
    },
    versions: aiSdkVersions.map(String),
  },
  activity: {
    description: 'commands, reads, writes and searches of all runs',
    covers: 'thread',
    framing: sseFraming,
    encoder: ({ lineOf } = {}) => activityEncoder({ lineOf }),
    usesRawLines: true,
  },
  'ag-ui': {
    description: 'the AG-UI events of one request',
    covers: 'request',
    framing: agUiFraming,
    encoder: async ({ version: asked, runId, priceOf, threadId } = {}) => {
      const { agUiEncoder } = await import('./ag-ui/ag-ui-encoder.ts');
      return agUiEncoder({ version: agUiVersions.find(each => each === asked), runId, priceOf, threadId });
    },
    versions: agUiVersions,
  },
} as const satisfies Record<string, Protocol>;

/** Protocols by their names, in the order in which they are offered. */
export type ProtocolRegistry = ReadonlyMap<string, Protocol>;

const validName = /^[a-z][a-z0-9-]*$/;

/** Returns the built-in protocols and those that are added; throws `invalid_argument` for a name that is invalid or taken. */
export function protocolRegistry(added: Readonly<Record<string, Protocol>> = {}): ProtocolRegistry {
  const registry = new Map<string, Protocol>(Object.entries(protocols));
  for (const [name, protocol] of Object.entries(added)) {
    if (!validName.test(name))
      throw invalid(name, 'expected lower-case letters, digits and hyphens, as in "word-count"');
    if (registry.has(name)) throw invalid(name, 'a built-in protocol has this name. Choose another one');
    registry.set(name, protocol);
  }
  return registry;
}

function invalid(name: string, why: string): SingletreeError {
  return new SingletreeError('invalid_argument', `Cannot add the protocol "${name}": ${why}.`);
}
