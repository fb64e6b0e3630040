import { visibleLine } from '../base/terminal-text.ts';
import type { UntrustedProject } from './load-config.ts';

/** The question about a folder that is not trusted yet, in every interface. */
export const trustQuestionText = 'Trust this folder?';

/** Describes what the configuration of a folder would do, one line each: what a person reads before they trust it. */
export function describeUntrusted({ file, brings }: Pick<UntrustedProject, 'file' | 'brings'>): string[] {
  return [`${visibleLine(file)} is not trusted yet. It`, ...brings.map(sentence => `  - ${visibleLine(sentence)}`)];
}
