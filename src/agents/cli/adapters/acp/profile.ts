import type { AcpProfile } from '../../channels/acp/profile.ts';
import { readTokens } from '../../channels/acp/tokens.ts';
import { recordOf, textOf } from '../../shared/wire-value.ts';
import { defined } from '../../../../events/defined.ts';

/** The kind of calls of which nothing is known. */
const otherKind = 'other';

/** A program of which nothing is known but that it speaks the Agent Client Protocol; `mode` is one in which it asks. */
export function anyProfile(name: string, mode: string | undefined): AcpProfile {
  return {
    name,
    modes: { ...defined({ ask: mode }), unsafe: [] },
    switchModel: 'offered',
    calls: {
      // Names of tools are not part of the protocol: its kinds stand for them. A title is free text of the program: as a
      // name it could match the rule for a tool by accident.
      nameOf: ({ kind }) => kind ?? otherKind,
      inputOf: ({ kind = otherKind, title, rawInput }) => ({
        ...(kind === otherKind && title !== undefined && { title }),
        ...recordOf(rawInput),
      }),
      commandOf: (input, tool) => (tool === 'execute' ? textOf(input['command']) : undefined),
      reasonOf: (_, input) => textOf(input['description']),
    },
    usageOf: result => readTokens(recordOf(result['usage'])),
    reportsRejected: true,
    steer: 'none',
    canFork: false,
  };
}
