import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { createActivityState, projectActivity } from '../../projections/activity/project-activity.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import { describeTool } from '../tool-definition/define-tool.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import { discoverSkills, type Skill } from './discover-skills.ts';
import { skillInstructions, skillTool } from './skill-tool.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skills-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const skillText = (name: string, description = `does ${name}`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# How to ${name}\n`;
const discover = async (...folders: string[]) => {
  const { skills, problems } = await discoverSkills(folders.map(folder => join(root, folder)));
  const place = (path: string) => path.replace(`${root}/`, '');
  return {
    skills: skills.map(({ name, path }) => `${name} in ${place(path)}`),
    problems: problems.map(({ path, problem }) => `${place(path)}: ${problem.replace(`${root}/`, '')}`),
  };
};

describe('skills', () => {
  it('are found in their folders, also one level deeper, and no deeper', async () => {
    write('s/pdf/SKILL.md', skillText('pdf'));
    write('s/office/word/SKILL.md', skillText('word'));
    write('s/a/b/c/SKILL.md', skillText('deep'));
    write('s/README.md', 'not a skill');
    expect(await discover('s', 'missing')).toEqual({
      skills: ['word in s/office/word/SKILL.md', 'pdf in s/pdf/SKILL.md'],
      problems: [],
    });
  });

  it('have what their front matter says, the name of their folder when it names none', async () => {
    write(
      's/git/SKILL.md',
      '---\ndescription: >\n  Works with\n  git.\nallowed-tools: Bash(git log:*, git diff:*), Read\n---\n',
    );
    expect(await discoverSkills([join(root, 's')])).toEqual({
      skills: [
        {
          name: 'git',
          description: 'Works with git.',
          path: join(root, 's/git/SKILL.md'),
          folder: join(root, 's/git'),
          allowedTools: ['Bash(git log:*, git diff:*)', 'Read'],
        },
      ],
      problems: [],
    });
  });

  it('that are unusable are reported, and the others are found', async () => {
    write('s/a/SKILL.md', '# no front matter');
    write('s/b/SKILL.md', '---\nname: b\n---\n');
    write('s/c/SKILL.md', `---\nname: ${'c'.repeat(65)}\ndescription: c\n---\n`);
    write('s/d/SKILL.md', `${skillText('d')}${'x'.repeat(300_000)}`);
    mkdirSync(join(root, 's/e/SKILL.md'), { recursive: true });
    write('s/good/SKILL.md', skillText('good'));
    expect(await discover('s')).toEqual({
      skills: ['good in s/good/SKILL.md'],
      problems: [
        's/a/SKILL.md: it does not begin with a front matter between two lines of ---',
        's/b/SKILL.md: its front matter needs a "description" that says what it is for',
        's/c/SKILL.md: its name is longer than 64 characters',
        's/d/SKILL.md: it is larger than 262144 bytes',
        expect.stringMatching(/^s\/e\/SKILL\.md: EISDIR/),
      ],
    });
  });

  it('of the first folder win, and the other is reported', async () => {
    write('mine/pdf/SKILL.md', skillText('pdf'));
    write('theirs/pdf/SKILL.md', skillText('pdf'));
    expect(await discover('mine', 'theirs')).toEqual({
      skills: ['pdf in mine/pdf/SKILL.md'],
      problems: ['theirs/pdf/SKILL.md: the skill "pdf" is taken from mine/pdf/SKILL.md'],
    });
  });

  it('are found behind links, and circular links are harmless', async () => {
    write('real/pdf/SKILL.md', skillText('pdf'));
    mkdirSync(join(root, 's/group'), { recursive: true });
    symlinkSync(join(root, 'real/pdf'), join(root, 's/linked'));
    symlinkSync(join(root, 's'), join(root, 's/group/circle'));
    symlinkSync(join(root, 's/itself'), join(root, 's/itself'));
    symlinkSync(join(root, 's'), join(root, 'same'));
    expect(await discover('s', 'same')).toEqual({ skills: ['pdf in s/linked/SKILL.md'], problems: [] });
  });
});

describe('the skill tool', () => {
  const found = async (): Promise<readonly Skill[]> => (await discoverSkills([join(root, 's')])).skills;

  it('lists the skills and their purposes', async () => {
    write('s/pdf/SKILL.md', skillText('pdf'));
    write('s/word/SKILL.md', skillText('word', 'w'.repeat(400)));
    const tool = skillTool(await found());
    expect(describeTool(tool)).toMatchObject({
      name: 'skill',
      description: expect.stringMatching(/\n- pdf: does pdf\n- word: w{300}…$/),
      inputSchema: { properties: { skill: { enum: ['pdf', 'word'] } }, required: ['skill'] },
    });
    expect(tool.category).toBe('read');
    expect(skillInstructions(await found())).toContain('- pdf: does pdf\n');
    expect(skillInstructions([])).toBe('');
    expect(() => skillTool([])).toThrow(/no skills/);
  });

  it('has a bounded description, however many skills there are', () => {
    const many = Array.from({ length: 200 }, (_, at) => ({
      name: `s${at}`,
      description: 'd'.repeat(300),
      path: '',
      folder: '',
      allowedTools: [],
    }));
    const { description } = skillTool(many);
    expect(description.length).toBeLessThan(11_000);
    expect(description).toMatch(/\n- s0: d+\n[\s\S]*\n- s199$/);
  });

  it('loads the current version of a skill in a run, and the run shows its file', async () => {
    write('s/pdf/SKILL.md', skillText('pdf'));
    write('s/pdf/scripts/fill.py', '');
    write('s/pdf/forms.md', '');
    const tool = skillTool(await found());
    write('s/pdf/SKILL.md', skillText('pdf').replace('# How', '# Changed: how'));
    const script = [[{ toolCall: { name: 'skill', input: { skill: 'pdf' } } }], 'Done.'];
    const agent = loopAgent({
      model: scriptedModel(script),
      tools: [tool],
      permissions: { rules: [{ category: 'read', policy: 'allow' }] },
    });
    const events: AgentEvent[] = [];
    const messages = [{ role: 'user' as const, content: 'Fill the form.' }];
    for await (const event of agent.invoke({
      run: { runId: 'run', signal: new AbortController().signal },
      conversation: { messages },
    }))
      events.push(event);

    const path = join(root, 's/pdf/SKILL.md');
    const result = events.find((event): event is EventOf<'tool_result'> => event.type === 'tool_result');
    expect(result?.output).toEqual({
      context: `The skill "pdf", from ${path}:\n\n# Changed: how to pdf\n\nFiles of this skill, in ${join(root, 's/pdf')}:\n- forms.md\n- scripts/fill.py`,
      result: { path, files: ['forms.md', 'scripts/fill.py'] },
    });
    const state = createActivityState();
    expect(events.flatMap(event => projectActivity(state, event))).toMatchObject([
      { type: 'skill', skillName: 'pdf', path, isSuccess: true },
      { type: 'agent' },
    ]);
  });

  it('reports a missing skill', async () => {
    write('s/pdf/SKILL.md', skillText('pdf'));
    const tool = skillTool(await found());
    rmSync(join(root, 's/pdf'), { recursive: true });
    await expect(tool.execute({ skill: 'pdf' }, {} as never)).rejects.toThrow(/^The skill "pdf" cannot be loaded/);
  });
});
