import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { permissionRule } from '../agents/permissions/rule.ts';
import type { PermissionRule } from '../agents/contract/permissions.ts';
import { once } from '../base/once.ts';
import { PrivateFile } from './private-file.ts';

const storedRule = () => z.strictObject({ rule: permissionRule, savedAt: z.string() });
const content = once(() => z.strictObject({ rules: z.array(storedRule()) }));

/** A rule that a person saved for all conversations, by an id that depends only on what it allows. */
export interface StoredRule {
  readonly id: string;
  readonly rule: PermissionRule;
  readonly savedAt: string;
}

/** The rules that a person saved for all conversations of all projects, in one file of the data folder. */
export class StoredRules {
  readonly #file: PrivateFile<z.infer<ReturnType<typeof content>>>;

  constructor(home: string) {
    this.#file = new PrivateFile({
      path: join(home, 'rules.json'),
      schema: content,
      empty: { rules: [] },
      has: 'rules',
      expected: '{ "rules": [ … ] }; remove the file to be asked again.',
    });
  }

  /** The newest first. */
  list(): readonly StoredRule[] {
    return this.#file.load().rules.map(stored => ({ id: ruleId(stored.rule), ...stored }));
  }

  /** Saves a rule; the same rule again has no effect. */
  add(rule: PermissionRule, now: Date = new Date()): StoredRule {
    const known = this.list().find(({ id }) => id === ruleId(rule));
    if (known !== undefined) return known;
    const savedAt = now.toISOString();
    this.#file.write({ rules: [{ rule, savedAt }, ...this.#file.load().rules] });
    return { id: ruleId(rule), rule, savedAt };
  }

  /** Returns whether there was one. */
  remove(id: string): boolean {
    const { rules } = this.#file.load();
    const others = rules.filter(({ rule }) => ruleId(rule) !== id);
    if (others.length < rules.length) this.#file.write({ rules: others });
    return others.length < rules.length;
  }
}

function ruleId(rule: PermissionRule): string {
  const fields = Object.entries(rule).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 16);
}
