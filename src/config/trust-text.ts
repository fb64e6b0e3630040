import { visibleLine } from '../base/terminal-text.ts';
import type { UntrustedProject } from './load-config.ts';

/** The question about a folder that is not trusted yet, in every interface. */
export const trustQuestionText = 'Trust this folder?';

/** Describes the effects of a folder's configuration, one line each, for a person who decides whether to trust it. */
export function describeUntrusted({ file, brings }: Pick<UntrustedProject, 'file' | 'brings'>): string[] {
  return [`${visibleLine(file)} is not trusted yet. It`, ...brings.map(sentence => `  - ${visibleLine(sentence)}`)];
}
