import type { CliAdapter } from '../src/agents/cli/contract/cli-adapter.ts';
/** The page of one external agent in the documentation, in Markdown. */
export declare function agentPage(adapter: CliAdapter): string;
