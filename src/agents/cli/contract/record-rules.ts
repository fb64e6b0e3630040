/** What each kind of record becomes, for the documentation page; any other becomes `unknown`. */
export type RecordRules = Readonly<Record<string, string>>;
