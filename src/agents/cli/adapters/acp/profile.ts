import type { AcpProfile } from '../../channels/acp/profile.ts';
import { readTokens } from '../../channels/acp/tokens.ts';
import { recordOf, textOf } from '../../shared/wire-value.ts';

/** A program of which nothing is known but that it speaks the Agent Client Protocol; `mode` is one in which it asks. */
export function anyProfile(name: string, mode: string | undefined): AcpProfile {
  return {
    name,
    modes: { ...(mode !== undefined && { ask: mode }), unsafe: [] },
    switchModel: 'offered',
    calls: {
      // Names of tools are not part of the protocol: its kinds stand for them.
      nameOf: ({ kind, title }) => (kind === undefined || kind === 'other' ? title : kind),
      commandOf: (input, tool) => (tool === 'execute' ? textOf(input['command']) : undefined),
      reasonOf: (_, input) => textOf(input['description']),
    },
    usageOf: result => readTokens(recordOf(result['usage'])),
    reportsRejected: true,
    steer: 'none',
    canFork: false,
  };
}
