import { acpOnlyAdapter } from '../../channels/acp/acp-adapter.ts';
import { copilotLive, copilotProfile } from './live.ts';

/** GitHub Copilot CLI. */
export const copilotAdapter = acpOnlyAdapter(
  {
    id: 'copilot',
    name: 'Copilot CLI',
    executable: 'copilot',
    install: 'npm install -g @github/copilot',
    credentials: {
      variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
      files: ['.copilot/config.json'],
    },
    login: 'run `copilot login`, or set COPILOT_GITHUB_TOKEN',
    environment: [/^COPILOT_/, /^(GH|GITHUB)_TOKEN$/],
    versions: ['1.0.102'],
  },
  copilotProfile,
  copilotLive,
);
