// Completes package-lock.json after an install from a registry that does not carry the optional packages of other
// platforms: `npm ci` wants every one of them listed. Also removes what packages that only tests use require of Node when it
// is more than this package does: they are tested with it, and `npm ci` would warn. Run it as `node scripts/complete-lock.mjs`.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32', 'aix', 'netbsd', 'openbsd', 'sunos'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** What a package's name says about the platform it is for. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const os = systems.filter(system => words.includes(system));
  const cpu = processors.filter(processor => words.includes(processor)).slice(0, 1);
  return { ...(cpu.length > 0 && { cpu }), ...(os.length > 0 && { os }) };
}

let added = 0;
for (const [path, entry] of Object.entries(lock.packages))
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (lock.packages[`${path}/node_modules/${name}`] || lock.packages[`node_modules/${name}`]) continue;
    const platform = platformOf(name);
    if (Object.keys(platform).length === 0) throw new Error(`${name}: its name does not say which platform it is for`);
    lock.packages[`node_modules/${name}`] = { version, ...platform, ...(entry.dev && { dev: true }), optional: true };
    added++;
  }
const [oldest] = /\d+/.exec(lock.packages[''].engines.node);
for (const { engines, ...entry } of Object.values(lock.packages))
  if (entry.dev && Number(/^>= ?(\d+)[^|]*$/.exec(engines?.node)?.[1]) > Number(oldest)) delete engines.node;
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`${added} packages of other platforms added`);
