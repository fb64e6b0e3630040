import type { CliAgentOptions } from '../../../src/agents/cli/agent/cli-agent-options.ts';

/** How to run Goose against a model server, with a home of its own. */
export function gooseSettings(home: string, url: string): CliAgentOptions {
  return {
    model: 'fake-model',
    env: {
      HOME: home,
      GOOSE_PROVIDER: 'openai',
      OPENAI_HOST: url,
      OPENAI_API_KEY: 'k',
      GOOSE_DISABLE_KEYRING: '1',
    },
  };
}
