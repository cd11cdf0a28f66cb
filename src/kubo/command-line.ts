// Parses the command line of a request: path and query to a command with typed options, with the parser errors of go-ipfs-cmds and
// the number and duration syntax of Go. Pure; it does not read the body.
// Tested by src/kubo/command-line.test.ts
import { decodeOrSame } from '../base/decode-or-same.ts'
import { Fault } from '../base/fault.ts'
import type { CommandDeclaration, CommandOption, OptionValues } from './kubo-command.ts'
import { globalOptions, otherCommands } from './kubo-commands.ts'

/** Base 0 (`12`, `0x1f`, `0o17`, `017`, `0b1`, `_` between digits), with a sign when `signed`. */
export function parseGoInteger(
  text: string,
  width: { readonly bits: 32 | 64; readonly signed: boolean },
): bigint | null {
  const match = /^([+-]?)(0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|0[0-7_]*|[1-9][\d_]*)$/.exec(
    text,
  )
  if (match === null) return null
  const [, sign = '', digits = ''] = match
  if (sign !== '' && !width.signed) return null
  // An underscore is allowed only between digits, or between the base prefix and a digit.
  if (/__|_$/.test(digits)) return null
  const plain = digits.replaceAll('_', '').toLowerCase()
  const octal = /^0[0-7]+$/.test(plain)
  const size = BigInt(octal ? `0o${plain.slice(1)}` : plain)
  const value = sign === '-' ? -size : size
  const limit = 1n << BigInt(width.signed ? width.bits - 1 : width.bits)
  return value < limit && value >= (width.signed ? -limit : 0n) ? value : null
}

/** `1,t,true` and `0,f,false` in any case; empty is true. */
function parseGoBool(text: string): boolean | null {
  if (text === '' || /^(?:1|t|true)$/i.test(text)) return true
  return /^(?:0|f|false)$/i.test(text) ? false : null
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** A Go duration (`1h2m`, `1.5s`, `-3ms`, `0`) in whole milliseconds, rounded up; at most 292 years. */
export function parseGoDuration(text: string): bigint | null {
  const match = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text)
  if (match === null) return null
  let sum = 0
  for (const [, number = '', unit = ''] of text.matchAll(/([\d.]+)([a-zµμ]+)/g)) {
    sum += Number(number) * (unitMs[unit] ?? 0)
  }
  if (sum > 9_223_372_036_854) return null
  return BigInt(Math.ceil(sum)) * (match[1] === '-' ? -1n : 1n)
}

export type CommandLine = {
  /** Long option name -> value, only options that the request sets. `timeout` is bigint milliseconds. */
  readonly options: OptionValues
  readonly args: readonly string[]
}

/** The offered commands by name. */
type CommandTable<Command extends CommandDeclaration> = ReadonlyMap<string, Command>

export type Route<Command extends CommandDeclaration> = {
  readonly command: Command
  readonly pathArgument: string | null
}

const argsMax = 1000

/**
 * The command of a path below `/api/v0/`; one more segment is its first argument. Throws `no_command`, and
 * `command_not_offered` for a command that only Kubo has.
 */
export function routeCommand<Command extends CommandDeclaration>(
  commands: CommandTable<Command>,
  path: string,
): Route<Command> {
  const segments = path.split('/')
  const nameSegments = commandSegments(commands, segments)
  if (nameSegments === undefined) throw new Fault('no_command')
  const command = commands.get(segments.slice(0, nameSegments).join('/'))
  if (command === undefined) throw new Fault('command_not_offered')
  const argument = segments[nameSegments] ?? ''
  return { command, pathArgument: argument === '' ? null : decodeOrSame(argument) }
}

/** The name of the command at a path as `routeCommand` accepts it; the unchanged path if it is not a command. */
export function commandName(commands: CommandTable<CommandDeclaration>, path: string): string {
  const segments = path.split('/')
  return segments.slice(0, commandSegments(commands, segments)).join('/')
}

function commandSegments(
  commands: CommandTable<CommandDeclaration>,
  segments: readonly string[],
): number | undefined {
  return [segments.length, segments.length - 1].find((count) => {
    const name = segments.slice(0, count).join('/')
    return count > 0 && (commands.has(name) || otherCommands.has(name))
  })
}

/** Throws `bad_argument` with Kubo's text for the first option that cannot be read. */
export function parseCommandLine(
  route: Route<CommandDeclaration>,
  query: URLSearchParams,
): CommandLine {
  const options = new Map<string, boolean | bigint | string>()
  const sentAs = new Map<string, string>()
  for (const declared of [...Object.values(globalOptions), ...route.command.options]) {
    for (const name of [declared.name, declared.alias]) {
      if (name === undefined) continue
      const values = query.getAll(name)
      if (values.length === 0) continue
      if (values.length > 1 && declared.type !== 'array') {
        throw badArgument(
          `expected key ${name} to have only a single value, received [${values.join(' ')}]`,
        )
      }
      const other = sentAs.get(declared.name)
      if (other !== undefined) {
        throw badArgument(
          `duplicate command options were provided (${quote(other)} and ${quote(name)})`,
        )
      }
      sentAs.set(declared.name, name)
      options.set(declared.name, typedValue(declared, name, values.join(',')))
    }
  }
  settleGlobals(options)
  const args = query.getAll('arg')
  if (route.pathArgument !== null) args.unshift(route.pathArgument)
  if (args.length > argsMax) throw badArgument(`more than ${argsMax} arguments`)
  return { options, args: route.command.argument === null ? [] : args }
}

/** Checks the arguments, which may also come from the body, so call it when all are known. Throws `bad_argument`. */
export function requireArgument(command: CommandDeclaration, args: readonly string[]): void {
  if (command.argument?.required === true && args.length === 0) {
    throw badArgument(`argument ${quote(command.argument.name)} is required`)
  }
  if (command.second !== undefined && args.length < 2) {
    throw badArgument(`argument ${quote(command.second)} is required`)
  }
}

/** Arguments as lines of a body part, at most `argsMax` of at most 8 KiB each. Throws `bad_argument`. */
export function argumentLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  if (lines.length > argsMax) throw badArgument(`more than ${argsMax} arguments`)
  if (lines.some((line) => line.length > 8192)) throw badArgument('argument is over 8192 bytes')
  return lines
}

function typedValue(
  declared: CommandOption,
  name: string,
  text: string,
): boolean | bigint | string {
  const value = parseValue(declared.type, text)
  if (value !== null) return value
  const what = text === '' ? 'empty value' : `value ${quote(text)}`
  throw badArgument(
    `could not convert ${what} to type ${quote(declared.type)} (for option ${quote(`-${name}`)})`,
  )
}

function parseValue(type: CommandOption['type'], text: string): boolean | bigint | string | null {
  switch (type) {
    case 'string':
    case 'array':
      return text
    case 'bool':
      return parseGoBool(text)
    case 'int':
      return parseGoInteger(text, { bits: 32, signed: true })
    case 'uint':
      return parseGoInteger(text, { bits: 32, signed: false })
    case 'int64':
      return parseGoInteger(text, { bits: 64, signed: true })
    case 'uint64':
      return parseGoInteger(text, { bits: 64, signed: false })
  }
}

function settleGlobals(options: Map<string, boolean | bigint | string>): void {
  const encoding = options.get('encoding') ?? 'json'
  if (encoding !== 'json' && encoding !== 'text' && encoding !== '') {
    throw badArgument(`invalid encoding: ${encoding}`)
  }
  const timeout = options.get('timeout')
  if (typeof timeout === 'string') {
    const timeoutMs = parseGoDuration(timeout)
    if (timeoutMs === null) throw badArgument(`time: invalid duration ${quote(timeout)}`)
    options.set('timeout', timeoutMs)
  }
  if (options.get('local') === true) options.set('offline', true)
}

function quote(text: string): string {
  return JSON.stringify(text)
}

function badArgument(detail: string): Fault {
  return new Fault('bad_argument', { detail })
}
