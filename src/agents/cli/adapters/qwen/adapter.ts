import { acpOnlyAdapter } from '../../channels/acp/acp-adapter.ts';
import { qwenLive, qwenProfile } from './live.ts';

/** Qwen Code. */
export const qwenAdapter = acpOnlyAdapter(
  {
    id: 'qwen',
    name: 'Qwen Code',
    executable: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    credentials: {
      variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
      files: ['.qwen/oauth_creds.json', '.qwen/settings.json'],
    },
    login: 'run `qwen` once, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL',
    environment: [/^(QWEN|OPENAI|DASHSCOPE)_/],
    versions: ['0.24.4'],
  },
  qwenProfile,
  qwenLive,
);
