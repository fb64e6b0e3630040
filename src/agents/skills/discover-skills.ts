import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type FrontMatterValue, parseFrontMatter } from './front-matter.ts';

/** A skill: instructions in their own folder, loaded on demand. */
export interface Skill {
  readonly name: string;
  /** Its purpose in one line. */
  readonly description: string;
  /** Its SKILL.md. */
  readonly path: string;
  readonly folder: string;
  /** The tools it declares; the permission rules still apply to them. */
  readonly allowedTools: readonly string[];
}

/** A file that is not a usable skill, and the reason. */
export interface SkillProblem {
  readonly path: string;
  readonly problem: string;
}

export interface DiscoveredSkills {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** The size limit of a SKILL.md, in bytes. */
export const largestSkill = 256 * 1024;
const longestName = 64;
const longestDescription = 1_024;
const longestList = 4_096;
const mostFolders = 500;

/**
 * Finds the skills in folders: `<folder>/<name>/SKILL.md`, also one level deeper. A missing folder has none; of two
 * skills with the same name the first folder wins. Reports unusable files and continues.
 */
export async function discoverSkills(folders: readonly string[]): Promise<DiscoveredSkills> {
  const skills = new Map<string, Skill>();
  const problems: SkillProblem[] = [];
  const seen = new Set<string>();

  async function visit(folder: string, levels: number): Promise<void> {
    const real = await realpath(folder).catch(() => folder);
    if (seen.has(real)) return;
    seen.add(real);
    for (const inner of await innerFolders(folder, problems)) {
      const found = await readSkill(inner);
      if (found === undefined) {
        if (levels > 1) await visit(inner, levels - 1);
      } else if ('problem' in found) problems.push(found);
      else add(found);
    }
  }

  function add(skill: Skill): void {
    const first = skills.get(skill.name);
    if (first === undefined) skills.set(skill.name, skill);
    else if (first.path !== skill.path)
      problems.push({ path: skill.path, problem: `the skill "${skill.name}" is taken from ${first.path}` });
  }

  for (const folder of folders) await visit(resolve(folder), 2);
  return { skills: [...skills.values()], problems };
}

/** Returns the folders in a folder, ordered by name, including links to folders. */
async function innerFolders(folder: string, problems: SkillProblem[]): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const inner = entries
      .filter(entry => (entry.isDirectory() || entry.isSymbolicLink()) && !/^(\.|node_modules$)/.test(entry.name))
      .map(entry => join(folder, entry.name))
      .toSorted();
    if (inner.length > mostFolders)
      problems.push({
        path: folder,
        problem: `it holds ${inner.length} folders; only the first ${mostFolders} are read`,
      });
    return inner.slice(0, mostFolders);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') problems.push({ path: folder, problem: message });
    return [];
  }
}

/** Returns the skill in a folder, or the problem with it; undefined when the folder has no skill. */
async function readSkill(folder: string): Promise<Skill | SkillProblem | undefined> {
  const path = join(folder, 'SKILL.md');
  try {
    const { size } = await stat(path);
    if (size > largestSkill) return { path, problem: `it is larger than ${largestSkill} bytes` };
    return parseSkill(path, folder, await readFile(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' ? undefined : { path, problem: message };
  }
}

function parseSkill(path: string, folder: string, text: string): Skill | SkillProblem {
  const fields = parseFrontMatter(text)?.fields;
  if (fields === undefined) return { path, problem: 'it does not begin with a front matter between two lines of ---' };
  const name = oneLine(fields.get('name')) || basename(folder);
  const description = oneLine(fields.get('description'));
  if (name.length > longestName) return { path, problem: `its name is longer than ${longestName} characters` };
  if (description === '') return { path, problem: 'its front matter needs a "description" that says what it is for' };
  return {
    name,
    description: description.slice(0, longestDescription),
    path,
    folder,
    allowedTools: toList(fields.get('allowed-tools')),
  };
}

function oneLine(value: FrontMatterValue | undefined): string {
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() : '';
}

function toList(value: FrontMatterValue | undefined): readonly string[] {
  if (typeof value !== 'string') return Array.isArray(value) ? value : [];
  // Not inside parentheses, as in "Bash(git log:*, git diff:*), Read".
  return value
    .slice(0, longestList)
    .split(/[,\s]+(?![^(]*\))/)
    .filter(tool => tool !== '');
}
