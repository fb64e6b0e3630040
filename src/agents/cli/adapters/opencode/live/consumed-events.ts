/** Families of events that describe the server, other sessions or interfaces. */
const families: ReadonlySet<string> = new Set([
  'background-process',
  'catalog',
  'command',
  'file',
  'global',
  'indexing',
  'installation',
  'integration',
  'lsp',
  'mcp',
  'models-dev',
  'plugin',
  'project',
  'pty',
  'reference',
  'sandbox',
  'server',
  'storage',
  'sync',
  'todo',
  'tui',
  'vcs',
  'workspace',
  'worktree',
]);

/** Events of a session that repeat what others say, or that are no part of a run. */
const ofSessions: ReadonlySet<string> = new Set([
  'message.part.removed',
  'message.removed',
  'session.compacted',
  'session.deleted',
  'session.diff',
  'session.drain.interrupted',
  'session.drained',
  'session.queue.changed',
  'session.turn.close',
  'session.turn.open',
  'session.updated',
  'session.viewed',
  'session.wakeup',
]);

/** Whether an event of the server carries nothing for a run. */
export function isConsumedEvent(type: string): boolean {
  const [family = ''] = type.split('.');
  return families.has(family) || ofSessions.has(type) || type.startsWith('session.next.');
}
