import { listOf, recordOf, textOf, type WireRecord } from '../../shared/wire-value.ts';
import type { AskedQuestion } from './profile.ts';

/** One field of a form that the program asks a person to fill in. */
interface FormField {
  readonly name: string;
  readonly question: AskedQuestion;
  /** Returns the value of an answer in the type of the field. */
  valueOf(answer: string | readonly string[]): unknown;
}

/** Returns the fields of `elicitation/create` in form mode; undefined when it asks for anything else. */
export function formFields(params: WireRecord): readonly FormField[] | undefined {
  const properties = recordOf(recordOf(params['requestedSchema'])?.['properties']);
  const message = textOf(params['message']);
  if (params['mode'] !== 'form' || properties === undefined || message === undefined) return undefined;
  const names = Object.keys(properties);
  if (names.length === 0) return undefined;
  return names.map(name =>
    fieldOf(name, recordOf(properties[name]) ?? {}, names.length === 1 ? message : undefined, message),
  );
}

function fieldOf(name: string, property: WireRecord, only: string | undefined, message: string): FormField {
  const items = recordOf(property['items']);
  const multiple = property['type'] === 'array';
  const values = optionsOf(items ?? property);
  const label = textOf(property['title']) ?? textOf(property['description']) ?? name;
  const options =
    property['type'] === 'boolean'
      ? [
          { value: true, label: 'Yes' },
          { value: false, label: 'No' },
        ]
      : values;
  const valueFor = (text: string): unknown => {
    const chosen = options.find(option => option.label === text || option.value === text);
    if (chosen !== undefined) return chosen.value;
    return property['type'] === 'number' || property['type'] === 'integer' ? Number(text) : text;
  };
  return {
    name,
    question: {
      question: only ?? `${message}\n${label}`,
      options: options.map(option => ({ label: option.label })),
      multiple,
    },
    valueOf: answer => {
      const texts = typeof answer === 'string' ? [answer] : answer;
      return multiple ? texts.map(valueFor) : valueFor(texts.join(', '));
    },
  };
}

/** The values that a field offers: `enum`, or `oneOf` and `anyOf` with titles. */
function optionsOf(property: WireRecord): { value: unknown; label: string }[] {
  const named = listOf(property['enumNames']);
  const plain = listOf(property['enum']).map((value, index) => ({
    value,
    label: textOf(named[index]) ?? labelOf(value),
  }));
  const titled = [...listOf(property['oneOf']), ...listOf(property['anyOf'])].flatMap(entry => {
    const { const: value, title } = recordOf(entry) ?? {};
    return value === undefined ? [] : [{ value, label: textOf(title) ?? labelOf(value) }];
  });
  return [...plain, ...titled];
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
