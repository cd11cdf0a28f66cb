// The options of a command as it declares them: name, alias, type and default.
// Tested by src/kubo/command-line.test.ts

type OptionType = 'bool' | 'int' | 'int64' | 'uint' | 'string'

/** Values by long option name, only those that the request sets. */
export type OptionValues = ReadonlyMap<string, boolean | bigint | string>

export type CommandOption<Value = unknown> = {
  readonly name: string
  readonly alias?: string
  readonly type: OptionType
  /** The value if the request does not set the option. Null: the value depends on other options. */
  readonly default: Value
}

type Details<Default> = { readonly alias?: string; readonly default?: Default }
type IntegerDetails<Default> = Details<Default> & { readonly type?: 'int' | 'int64' | 'uint' }

/** False by default. */
export function flag(name: string, details?: Details<boolean>): CommandOption<boolean>
export function flag(
  name: string,
  details: Details<null> & { readonly default: null },
): CommandOption<boolean | null>
export function flag(
  name: string,
  details: Details<boolean | null> = {},
): CommandOption<boolean | null> {
  return { name, type: 'bool', default: false, ...details }
}

/** Empty by default. */
export function text(name: string, details: Details<string> = {}): CommandOption<string> {
  return { name, type: 'string', default: '', ...details }
}

/** `int` (32 bits, signed) and 0 by default. */
export function integer(name: string, details?: IntegerDetails<bigint>): CommandOption<bigint>
export function integer(
  name: string,
  details: IntegerDetails<null> & { readonly default: null },
): CommandOption<bigint | null>
export function integer(
  name: string,
  details: IntegerDetails<bigint | null> = {},
): CommandOption<bigint | null> {
  return { name, type: 'int', default: 0n, ...details }
}

/** The value of `option` in a request. The command line has checked the type. */
export function valueOf<Value>(values: OptionValues, option: CommandOption<Value>): Value {
  return (values.get(option.name) as Value | undefined) ?? option.default
}
