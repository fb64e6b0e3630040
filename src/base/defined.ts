type OptionalKey<Fields> = { [Key in keyof Fields]: undefined extends Fields[Key] ? Key : never }[keyof Fields];

/** Fields with an undefined value are absent. */
export type Defined<Fields> = Omit<Fields, OptionalKey<Fields>> & {
  [Key in OptionalKey<Fields>]?: Exclude<Fields[Key], undefined>;
};

/** The fields of an object that have a value. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const result: Record<string, unknown> = {};
  for (const key in fields) if (fields[key] !== undefined) result[key] = fields[key];
  return result as Defined<Fields>;
}
