import { toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import type { AskedQuestion } from './profile.ts';

/** One field of a form that the program asks a user to fill in. */
interface FormField {
  readonly name: string;
  readonly question: AskedQuestion;
  /** Returns the value of an answer in the type of the field. */
  toValue(answer: string | readonly string[]): unknown;
}

/** Returns the fields of `elicitation/create` in form mode; undefined when it asks for anything else. */
export function formFields(params: WireRecord): readonly FormField[] | undefined {
  const properties = toRecord(toRecord(params['requestedSchema'])?.['properties']);
  const message = toText(params['message']);
  if (params['mode'] !== 'form' || properties === undefined || message === undefined) return undefined;
  const names = Object.keys(properties);
  if (names.length === 0) return undefined;
  return names.map(name =>
    toField(name, toRecord(properties[name]) ?? {}, names.length === 1 ? message : undefined, message),
  );
}

function toField(name: string, property: WireRecord, only: string | undefined, message: string): FormField {
  const items = toRecord(property['items']);
  const multiple = property['type'] === 'array';
  const values = readOptions(items ?? property);
  const label = toText(property['title']) ?? toText(property['description']) ?? name;
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
    toValue: answer => {
      const texts = typeof answer === 'string' ? [answer] : answer;
      return multiple ? texts.map(valueFor) : valueFor(texts.join(', '));
    },
  };
}

/** The values that a field offers: `enum`, or `oneOf` and `anyOf` with titles. */
function readOptions(property: WireRecord): { value: unknown; label: string }[] {
  const named = toList(property['enumNames']);
  const plain = toList(property['enum']).map((value, index) => ({
    value,
    label: toText(named[index]) ?? toLabel(value),
  }));
  const titled = [...toList(property['oneOf']), ...toList(property['anyOf'])].flatMap(entry => {
    const { const: value, title } = toRecord(entry) ?? {};
    return value === undefined ? [] : [{ value, label: toText(title) ?? toLabel(value) }];
  });
  return [...plain, ...titled];
}

function toLabel(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
