// Sends the events of a store until it is killed: node webhook-sender.mjs STORE HOST SECRET
import { Webhook } from '../../dist/control/index.js';
import { SqliteLog } from '../../dist/log/index.js';

const [, , file, host, secret] = process.argv;
const log = new SqliteLog(file);
new Webhook({
  log,
  name: 'killed',
  url: `http://${host}/hook`,
  secret,
  allowHosts: [host],
  since: '2020-01-01T00:00:00Z',
  everyMs: 20,
}).start();
setInterval(() => {}, 60_000);
console.log('started');
