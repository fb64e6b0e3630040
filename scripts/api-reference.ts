import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A public name: its contract and its declaration, from the declaration files of the build. */
interface PublicName {
  readonly name: string;
  readonly doc: string;
  readonly declaration: string;
}

/** The longest declaration that is printed whole, in lines. */
const mostLines = 250;

/** Returns the page of an entry point, derived from its declaration file. */
export function apiPage(subpath: string, file: string): string {
  const source = readFileSync(file, 'utf8');
  const about = docText(/^\/\*\*([\s\S]*?)\*\//.exec(source)?.[1] ?? '').replace(/\s*@module\s*/, '');
  const names = namesOf(file).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [
    `# \`singletree${subpath.slice(1)}\``,
    '',
    ...(about === '' ? [] : [about, '']),
    'This page is generated from the code (`npm run docs`).',
    '',
    names.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(' · '),
    ...names.flatMap(({ name, doc, declaration }) => [
      '',
      `## ${name}`,
      '',
      ...(doc === '' ? [] : [doc, '']),
      '```typescript',
      declaration,
      '```',
    ]),
    '',
  ].join('\n');
}

/** Returns the page that lists the entry points. */
export function apiIndex(pages: readonly { readonly subpath: string; readonly page: string }[]): string {
  const rows = pages.map(({ subpath, page }) => {
    const about = /^# .*\n\n([^\n]*)/.exec(page)?.[1] ?? '';
    return `| [\`singletree${subpath.slice(1)}\`](${pageName(subpath)}) | ${about.startsWith('This page') ? '' : about} |`;
  });
  return [
    '# Reference',
    '',
    'Everything that can be imported, one page for each entry point.',
    '',
    '| import | what it has |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Returns the file name of the page of an entry point. */
export function pageName(subpath: string): string {
  return subpath === '.' ? 'singletree.md' : `${subpath.slice(2)}.md`;
}

function namesOf(file: string, seen: Set<string> = new Set()): PublicName[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  const found = new Map<string, PublicName>();
  const add = (entry: PublicName | undefined) => entry !== undefined && found.set(entry.name, entry);
  for (const [, from = ''] of source.matchAll(/^export \* from '([^']+)';/gm))
    for (const entry of namesOf(fileOf(file, from), seen)) add(entry);
  for (const [, name = '', from = ''] of source.matchAll(/^export \* as (\w+) from '([^']+)';/gm)) {
    const members = namesOf(fileOf(file, from)).map(member => `  ${member.name},`);
    const doc = `A namespace; its members are in \`${from.replace(/^\.\//, '')}\`.`;
    add({ name, doc, declaration: [`namespace ${name} {`, ...members, '}'].join('\n') });
  }
  for (const [, list = '', from] of source.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?;/gm))
    for (const item of list.split(',')) {
      const [original = '', name = original] = item
        .replace(/^\s*type\s/, '')
        .trim()
        .split(/\s+as\s+/);
      if (original === '') continue;
      const entry = declared(from === undefined ? file : fileOf(file, from), original);
      add(entry && { ...entry, name });
    }
  for (const [, name = ''] of source.matchAll(
    /^export (?:declare )?(?:abstract )?(?:class|function|const|interface|type) (\w+)/gm,
  ))
    add(declared(file, name));
  return [...found.values()];
}

function fileOf(importer: string, specifier: string): string {
  return join(dirname(importer), specifier.replace(/\.(?:ts|js)$/, '.d.ts'));
}

/** Finds a declaration, also through further files that export it. */
function declared(file: string, name: string, depth = 0): PublicName | undefined {
  if (!existsSync(file) || depth > 5) return undefined;
  const source = readFileSync(file, 'utf8');
  const start = new RegExp(
    `^(?:export )?(?:declare )?(?:abstract )?(?:class|function|const|interface|type) ${name}\\b`,
    'm',
  );
  const at = start.exec(source)?.index;
  if (at === undefined) {
    for (const [, list = '', from = ''] of source.matchAll(
      /^(?:export|import) (?:type )?\{([^}]*)\} from '([^']+)';/gm,
    )) {
      const item = list
        .split(',')
        .map(each =>
          each
            .replace(/^\s*type\s/, '')
            .trim()
            .split(/\s+as\s+/),
        )
        .find(([a, b = a]) => b === name);
      if (item !== undefined && from.startsWith('.')) return declared(fileOf(file, from), item[0] ?? name, depth + 1);
    }
    for (const [, from = ''] of source.matchAll(/^export \* from '([^']+)';/gm)) {
      const entry = declared(fileOf(file, from), name, depth + 1);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
  const before = source.slice(0, at);
  const comment = before.endsWith('*/\n') ? before.slice(before.lastIndexOf('/**')) : '';
  return { name, doc: docText(comment.replace(/^\/\*\*|\*\/\s*$/g, '')), declaration: declarationAt(source, at) };
}

/** The text of a declaration: up to the semicolon or the brace that closes it. */
function declarationAt(source: string, at: number): string {
  const isBlock = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface) /.test(source.slice(at));
  const end = isBlock ? source.indexOf('\n}', at) + 2 : endOfStatement(source, at);
  const firstLine = source.indexOf('\n', at);
  const isOneLine = isBlock && source.slice(at, firstLine).endsWith('{}');
  const text = source
    .slice(at, isOneLine ? firstLine : end)
    .replace(/^export /, '')
    .replace(/^declare /, '');
  const lines = text.split('\n').filter(line => !/^\s*(?:#private;|private .*)$/.test(line));
  return lines.length > mostLines ? [...lines.slice(0, mostLines), '  // …'].join('\n') : lines.join('\n');
}

function endOfStatement(source: string, at: number): number {
  let depth = 0;
  for (let index = at; index < source.length; index++) {
    const character = source[index] ?? '';
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    else if (character === ';' && depth === 0) return index + 1;
  }
  return source.length;
}

function docText(comment: string): string {
  return comment
    .split('\n')
    .map(line => line.replace(/^\s*\*? ?/, ''))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
