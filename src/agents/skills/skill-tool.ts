import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as z from 'zod';
import { SingletreeError } from '../../base/singletree-error.ts';
import { defineTool } from '../tool-definition/define-tool.ts';
import type { Tool } from '../contract/agent.ts';
import { largestSkill, type Skill } from './discover-skills.ts';
import { parseFrontMatter } from './front-matter.ts';

const longestList = 8_000;
const longestLine = 300;
const mostFiles = 100;
const deepest = 4;

/** Reads the SKILL.md of a skill; undefined when it is to be read as any other file. */
export type SkillReader = (skill: Skill) => Promise<string | undefined>;

/** Creates the tool `skill`, which loads the instructions of a skill on demand. */
export function skillTool(skills: readonly Skill[], read: SkillReader = readAnyFile): Tool {
  const byName = new Map(skills.map(skill => [skill.name, skill]));
  if (byName.size === 0)
    throw new SingletreeError('invalid_argument', 'There are no skills to load: omit the skill tool.');
  return defineTool({
    name: 'skill',
    description: `Loads the instructions of a skill. Use it when a task is what a skill is for, before you begin. The skills:\n${listed(skills)}`,
    input: z.object({ skill: z.enum([...byName.keys()]).describe('the name of the skill') }),
    category: 'read',
    execute: ({ skill }) => load(byName.get(skill) as Skill, read),
  });
}

/** Returns the part of a system prompt about skills; empty without skills. */
export function skillInstructions(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  return `Skills are instructions for tasks of a certain kind. When a task is what one of them is for, load it with the tool "skill" before you begin, and follow it.\n${listed(skills)}`;
}

/** Returns one line per skill up to a length limit; then only names. */
function listed(skills: readonly Skill[]): string {
  const lines: string[] = [];
  let room = longestList;
  for (const { name, description } of skills) {
    const line = `- ${name}: ${description.length > longestLine ? `${description.slice(0, longestLine)}…` : description}`;
    const fits = line.length < room;
    lines.push(fits ? line : `- ${name}`);
    room -= fits ? line.length : 0;
  }
  return lines.join('\n');
}

async function readAnyFile(): Promise<undefined> {}

async function load(skill: Skill, read: SkillReader) {
  const { name, path, folder } = skill;
  const text = (await read(skill)) ?? (await readSkillFile(skill));
  const files = await listFiles(folder);
  const others =
    files.length === 0 ? '' : `\n\nFiles of this skill, in ${folder}:\n${files.map(file => `- ${file}`).join('\n')}`;
  return {
    context: `The skill "${name}", from ${path}:\n\n${parseFrontMatter(text)?.body ?? text}${others}`,
    result: { path, files },
  };
}

async function readSkillFile({ name, path }: Skill): Promise<string> {
  const { size } = await stat(path).catch(() => ({ size: undefined }));
  if (size === undefined || size > largestSkill)
    throw new SingletreeError(
      'not_found',
      `The skill "${name}" cannot be loaded: ${path} is ${size === undefined ? 'missing' : 'too large'}.`,
    );
  return readFile(path, 'utf8');
}

/** Returns the files of a skill except its SKILL.md, up to a limit; follows no links. */
async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  async function visit(inner: string, depth: number): Promise<void> {
    const entries = await readdir(inner, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (files.length >= mostFiles) return;
      const path = join(inner, entry.name);
      if (/^(\.|node_modules$)/.test(entry.name)) continue;
      if (entry.isDirectory() && depth < deepest) await visit(path, depth + 1);
      else if (entry.isFile()) files.push(relative(folder, path));
    }
  }
  await visit(folder, 1);
  return files.filter(file => file !== 'SKILL.md');
}
