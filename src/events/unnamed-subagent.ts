/** The `agentId` of a subagent that its program does not name. */
export const unnamedSubagent = 'subagent';
