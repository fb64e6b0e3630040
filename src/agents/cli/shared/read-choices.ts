import { defined } from '../../../base/defined.ts';
import { toList, toRecord, toText } from './wire-value.ts';

/** Reads the choices of a question: labels, or objects with a label and a description. */
export function readChoices(value: unknown): { label: string; description?: string }[] {
  return toList(value).flatMap(each => {
    if (typeof each === 'string') return [{ label: each }];
    const choice = toRecord(each);
    const [label, description] = [toText(choice?.['label']), toText(choice?.['description'])];
    return label === undefined ? [] : [{ label, ...defined({ description }) }];
  });
}
