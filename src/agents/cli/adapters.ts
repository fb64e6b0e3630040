import { claudeTranslator } from './claude/translate.ts';
import { codexTranslator } from './codex/translate.ts';
import { piTranslator } from './pi/translate.ts';
import type { Translator, TranslatorOptions } from './translator.ts';

/** What is known about one external coding agent. */
export interface CliAdapter {
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  translator(options: TranslatorOptions): Translator;
}

/** The external agents that can be translated and run, by id. */
export const cliAdapters: Readonly<Record<string, CliAdapter>> = {
  codex: { id: 'codex', name: 'Codex', translator: codexTranslator },
  claude: { id: 'claude', name: 'Claude Code', translator: claudeTranslator },
  pi: { id: 'pi', name: 'Pi', translator: piTranslator },
};
