// Starts a private PostgreSQL and a private Redis, prints their process ids and folders, and waits until it is ended.
import { readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const file = fileURLToPath(new URL('private-servers.ts', import.meta.url));
const { startPostgres, startRedis } = (await runnerImport(file, { logLevel: 'error', configFile: false })).module;
const pids = [(await startPostgres()).pid, (await startRedis()).pid];
const folders = pids.map(pid => readlinkSync(`/proc/${pid}/cwd`).replace(/\/data$/, ''));
process.stdout.write(JSON.stringify({ pids, folders }));
setInterval(() => {}, 1000);
