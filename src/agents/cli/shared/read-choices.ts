import { defined } from '../../../base/defined.ts';
import { listOf, recordOf, textOf } from './wire-value.ts';

/** Reads the choices of a question: labels, or objects with a label and a description. */
export function readChoices(value: unknown): { label: string; description?: string }[] {
  return listOf(value).flatMap(each => {
    if (typeof each === 'string') return [{ label: each }];
    const choice = recordOf(each);
    const [label, description] = [textOf(choice?.['label']), textOf(choice?.['description'])];
    return label === undefined ? [] : [{ label, ...defined({ description }) }];
  });
}
