import { consumed } from '../tool-rules.ts';
import type { ToolTable } from '../tool-table.ts';
import { geminiTools } from './gemini.ts';

/** The tools of Qwen Code, which is made from Gemini CLI. */
export const qwenTools: ToolTable = { ...geminiTools, rules: { ...geminiTools.rules, ask_user_question: consumed } };
