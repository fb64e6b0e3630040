import { join } from 'node:path';
import { Readable } from 'node:stream';
import { TrustedFolders } from '../../config/project-trust.ts';
import { ignoreDiagnostic } from '../../base/diagnostics.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import { printNotice, standardOutput } from '../../control/standard-output.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { listRunIds } from '../../server/run-standings.ts';
import { installedAgents } from '../agents/installed-agents.ts';
import { withoutModel } from '../coder.ts';
import { packageVersion } from '../package-version.ts';
import { removeRunFolders } from '../run/run-record.ts';
import { type DiagnosticsOptions, openSite } from '../settings/site.ts';
import { loadSettings } from '../settings/settings.ts';
import { type StoreOptions } from '../settings/store-options.ts';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { EditorAgent } from './editor-agent.ts';
import { EditorServers } from './editor-servers.ts';

export interface EditorOptions extends StoreOptions, DiagnosticsOptions {
  readonly cwd: string;
  readonly yolo?: boolean;
}

/** Serves an editor on standard input and output until it closes them; standard output carries only the protocol. */
export async function serveEditor(named: string | undefined, options: EditorOptions): Promise<void> {
  const settings = await loadSettings(options.cwd);
  const { config, cwd, home } = settings;
  const site = await openSite(settings, options, { sendsSpans: false });
  const { log, supervision } = site;
  const { onDiagnostic } = supervision;
  const installed = await installedAgents({ ...settings, yolo: options.yolo === true });
  for (const problem of installed.problems) printNotice(problem);
  const closing = new AbortController();
  const servers = new EditorServers(new TrustedFolders(home));
  const offered = {
    list: () => installed.list(),
    get: (id: string, threadId?: string) => {
      const found = installed.get(id);
      return found === undefined || threadId === undefined ? found : servers.withServers(found, threadId);
    },
  };
  try {
    const agentId = chooseAgent(named ?? config.defaultAgent, id => installed.get(id) !== undefined);
    const control = new Supervisor({
      ...supervision,
      agents: ({ agentId: id }, threadId) => offered.get(id, threadId),
    });
    const snapshots = join(home, 'snapshots');
    const { signal } = closing;
    const conversations = new Conversations({ log, control, agents: offered, snapshots, signal, onDiagnostic });
    conversations.deliver();
    const editor = new EditorAgent({
      log,
      control,
      conversations,
      agents: installed,
      agentId,
      servers,
      cwd,
      version: packageVersion(),
      onDiagnostic: onDiagnostic ?? ignoreDiagnostic,
      remove: async thread => {
        await removeRunFolders(home, await listRunIds(log, thread));
        await log.deleteThread(thread.id);
      },
    });
    await connect(editor);
    closing.abort();
    editor.close();
    await control.close();
  } finally {
    await servers.closeAll();
    await installed.close();
    await site.close();
  }
}

/** The agent of new sessions; undefined when it is the coding agent and no model is available. */
function chooseAgent(named: string | undefined, isOffered: (id: string) => boolean): string | undefined {
  if (isOffered(named ?? 'coder')) return named ?? 'coder';
  if (named === 'coder') return undefined;
  if (named !== undefined)
    throw new SingletreeError(
      'invalid_argument',
      `The agent "${named}" cannot be used here. "singletree agents" lists those that can.`,
    );
  printNotice(`${withoutModel} This is the demo, a scripted agent that needs no key.`);
  return 'demo';
}

/** Resolves when the editor has closed the connection, or a signal ends it. */
async function connect(editor: EditorAgent): Promise<void> {
  const decoder = new TextDecoder();
  const output = new WritableStream<Uint8Array>({
    write: async line => void (await standardOutput.writeJsonLines(decoder.decode(line))),
  });
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = editor.app().connect(ndJsonStream(output, input));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => connection.close());
  await connection.closed;
  process.stdin.destroy();
}
