import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliAgentOptions } from '../../../src/agents/cli/agent/cli-agent-options.ts';

/** How to run Qwen Code against a model server, with a home of its own. */
export function qwenSettings(home: string, url: string): CliAgentOptions {
  mkdirSync(join(home, '.qwen'));
  writeFileSync(
    join(home, '.qwen', 'settings.json'),
    JSON.stringify({ security: { auth: { selectedType: 'openai' } }, privacy: { usageStatisticsEnabled: false } }),
  );
  return {
    model: 'fake-model',
    env: { HOME: home, OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'fake-model' },
  };
}

/** How to run Copilot CLI against a model server, with a home of its own. */
export function copilotSettings(home: string, url: string): CliAgentOptions {
  return {
    model: 'fake-model',
    env: {
      HOME: home,
      COPILOT_HOME: join(home, '.copilot'),
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'k',
      COPILOT_MODEL: 'fake-model',
    },
  };
}

/** How to run Gemini CLI against a model server, with a home of its own. */
export function geminiSettings(home: string, url: string): CliAgentOptions {
  mkdirSync(join(home, '.gemini'));
  writeFileSync(
    join(home, '.gemini', 'settings.json'),
    JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
    }),
  );
  return {
    model: 'gemini-2.5-pro',
    env: { HOME: home, GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url },
  };
}
