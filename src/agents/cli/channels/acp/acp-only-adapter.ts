import type { CliAdapter } from '../../contract/cli-adapter.ts';
import type { LiveAdapter } from '../../contract/live-channel.ts';
import { acpTranslator } from './acp-translator.ts';
import type { AcpProfile } from './profile.ts';

type Description = Omit<CliAdapter, 'live' | 'isLiveOnly' | 'command' | 'translator'>;

/** Returns the adapter of a program that is used only over the Agent Client Protocol. */
export function acpOnlyAdapter(about: Description, live: LiveAdapter, profile: AcpProfile): CliAdapter {
  return {
    ...about,
    live,
    isLiveOnly: true,
    // The prompt is a message of the protocol.
    command: ({ model, sessionId, yolo, extraArgs }) =>
      live.command({ cwd: '.', environment: {}, folder: 'SESSION', model, sessionId, yolo, extraArgs }),
    translator: options => acpTranslator(profile, options),
  };
}
