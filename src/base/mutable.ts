/** A type while its values are being made. */
export type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
