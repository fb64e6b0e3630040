import { readdirSync, readFileSync } from 'node:fs';
import { build, loadConfigFromFile, type Plugin } from 'vite';

/** Where the published files contain code of a package: the folder, by the package's name. */
export type BundledPackages = ReadonlyMap<string, readonly string[]>;

/** Returns the packages whose code is in the published files, in order of name. */
export async function bundledPackages(): Promise<BundledPackages> {
  const [library, page] = [await packagesOfLibrary(), await packagesOfPage()];
  const places = (name: string) => [
    ...(library.has(name) ? ['dist/chunks'] : []),
    ...(page.has(name) ? ['dist/web'] : []),
  ];
  return new Map([...new Set([...library, ...page])].toSorted().map(name => [name, places(name)]));
}

/** Returns the notices of the packages, with the text of their licences; packages with the same one share it. */
export function thirdPartyNotices(packages: BundledPackages): string {
  const sections = new Map<string, string[]>();
  for (const [name, places] of packages) {
    const where = `In ${places.map(place => `\`${place}\``).join(' and ')}.${authorOf(name)}`;
    const rest = `\n${where}\n\n\`\`\`text\n${licenceOf(name)}\n\`\`\`\n`;
    sections.set(rest, [...(sections.get(rest) ?? []), name]);
  }
  const texts = [...sections].map(([rest, names]) => `## ${names.join(', ')}\n${rest}`);
  return ['# Third-party notices\n', 'The package contains code of these projects.\n', ...texts].join('\n');
}

/** Other packages are installed beside the library. */
async function packagesOfLibrary(): Promise<Set<string>> {
  const loaded = await loadConfigFromFile({ command: 'build', mode: 'production' }, 'vite.config.ts');
  return new Set(loaded?.config.ssr?.noExternal as string[]);
}

async function packagesOfPage(): Promise<Set<string>> {
  const found = new Set<string>();
  const collector = (): Plugin => ({
    name: 'bundled-packages',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        for (const module of file.type === 'chunk' ? file.moduleIds : []) {
          const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module) ?? [];
          if (name !== undefined) found.add(name);
        }
    },
  });
  await build({
    root: 'web',
    logLevel: 'error',
    build: { write: false, minify: false },
    plugins: [collector()],
    worker: { plugins: () => [collector()] },
  });
  return found;
}

function authorOf(name: string): string {
  const { author } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as {
    author?: string | { name: string };
  };
  const text = (typeof author === 'string' ? author : author?.name)?.replace(/\s*[<(].*$/, '');
  return text === undefined ? '' : ` Its author is ${text}.`;
}

function licenceOf(name: string): string {
  const file = readdirSync(`node_modules/${name}`).find(entry => /^licen[cs]e/i.test(entry));
  if (file === undefined)
    throw new Error(`${name} has no licence in its folder. Bundle another package, or add it here.`);
  return readFileSync(`node_modules/${name}/${file}`, 'utf8').replaceAll('\r\n', '\n').trimEnd();
}
