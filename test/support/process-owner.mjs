// Owns a run that works in child processes until something ends it, or takes such a run over.
// usage: node process-owner.mjs start|take-over bash|subagent|cli|mcp <log file> <folder> [ms of the lease]
// The folder has `work.sh`, which notes the ids of its processes in `pids`. Whoever takes over prints, in the moment the
// run is resumed and when it has ended, which of them are alive.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentTool, cliAgent, connectMcp, loopAgent, workspaceTools } from '../../dist/agents/index.js';
import { Supervisor } from '../../dist/control/index.js';
import { SqliteLog } from '../../dist/log/index.js';
import { scriptByStep, scriptedModel } from '../../dist/testing/index.js';

const [what, kind, file, folder, leaseMs = '15000'] = process.argv.slice(2);

const permissions = { default: 'allow', rules: [] };
const loop = (id, call, tools) =>
  loopAgent({ id, model: scriptedModel(scriptByStep([[{ toolCall: call }], 'Done.'])), tools, permissions });
const command = { id: 'c1', name: 'bash', input: { command: './work.sh', timeout: 600_000 } };
const worker = loop('worker', command, workspaceTools(folder));
const subagent = { id: 'a1', name: 'agent', input: { task: 'Work.', agent: 'worker' } };
const agents = {
  bash: worker,
  mcp: worker,
  subagent: loop('boss', subagent, [agentTool({ agents: [{ agent: worker, description: 'works' }] })]),
  cli: cliAgent('codex', { executable: join(folder, 'work.sh'), cwd: folder, channel: 'print' }),
};

function report(moment) {
  const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n');
  const { stdout } = spawnSync('ps', ['-o', 'pid=,stat=', '-p', pids.join(',')], { encoding: 'utf8' });
  const alive = stdout.split('\n').filter(line => /^\s*\d+\s+[^Z\s]/.test(line));
  process.stdout.write(`${moment} ${alive.length}\n`);
}

const agent = agents[kind];
const observed = {
  ...agent,
  invoke: params => {
    if (params.run.resume !== undefined) report('resumed');
    return agent.invoke(params);
  },
};

const log = new SqliteLog(file);
const supervisor = new Supervisor({ log, agents: [observed], leaseMs: Number(leaseMs) });
const stayAlive = setInterval(() => {}, 1_000);
if (what === 'start') {
  if (kind === 'mcp') void connectMcp({ name: 'work', command: join(folder, 'work.sh'), cwd: folder }).catch(() => {});
  await log.createThread({ id: 'thread' });
  await supervisor.start('thread', { agent: observed, content: 'Work.' });
} else {
  await supervisor.recover();
  await supervisor.idle('thread');
  report('ended');
  clearInterval(stayAlive);
  await supervisor.close();
  await log.close();
}
