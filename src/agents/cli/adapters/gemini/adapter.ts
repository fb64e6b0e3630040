import { acpOnlyAdapter } from '../../channels/acp/acp-adapter.ts';
import { geminiLive, geminiProfile } from './live.ts';
import { geminiSession } from './session.ts';

/** Gemini CLI. */
export const geminiAdapter = acpOnlyAdapter(
  {
    id: 'gemini',
    name: 'Gemini CLI',
    executable: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    credentials: { variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], files: ['.gemini/oauth_creds.json'] },
    login: 'run `gemini` once, or set GEMINI_API_KEY',
    prices: 'google',
    environment: [/^(GEMINI|GOOGLE|CLOUDSDK)_/],
    versions: ['0.61.0'],
    session: geminiSession,
  },
  geminiProfile,
  geminiLive,
);
