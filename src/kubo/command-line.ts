// The command line of a file request: path and query in, command with typed options out, with the parser
// errors of go-ipfs-cmds. Pure; the body is not its business.
import { Fault } from '../base/fault.ts'
import type { CommandOption, OptionValues } from './command-options.ts'
import { parseGoBool, parseGoDuration, parseGoInteger } from './go-values.ts'
import type { CommandDeclaration } from './kubo-command.ts'
import { globalOptions, otherCommands } from './kubo-commands.ts'

export type CommandLine = {
  /** Long option name -> value, only those given. `timeout` is bigint milliseconds. */
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
 * Which command a path below `/api/v0/` means; one more segment is its first argument. Throws `no_command`,
 * and `command_not_offered` for what only Kubo has.
 */
export function routeCommand<Command extends CommandDeclaration>(
  commands: CommandTable<Command>,
  path: string,
): Route<Command> {
  const segments = path.split('/')
  const taken = commandSegments(commands, segments)
  if (taken === undefined) throw new Fault('no_command')
  const command = commands.get(segments.slice(0, taken).join('/'))
  if (command === undefined) throw new Fault('command_not_offered')
  const rest = segments[taken] ?? ''
  return { command, pathArgument: rest === '' ? null : decodeSegment(rest) }
}

/** The command of a path as `routeCommand` takes it; the path as it is when it names none. */
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
  const givenAs = new Map<string, string>()
  for (const declared of [...Object.values(globalOptions), ...route.command.options]) {
    for (const name of [declared.name, declared.alias]) {
      if (name === undefined) continue
      const values = query.getAll(name)
      if (values.length === 0) continue
      if (values.length > 1) {
        throw badArgument(
          `expected key ${name} to have only a single value, received [${values.join(' ')}]`,
        )
      }
      const other = givenAs.get(declared.name)
      if (other !== undefined) {
        throw badArgument(
          `duplicate command options were provided (${quote(other)} and ${quote(name)})`,
        )
      }
      givenAs.set(declared.name, name)
      options.set(declared.name, typedValue(declared, name, values[0] as string))
    }
  }
  settleGlobals(options)
  const args = query.getAll('arg')
  if (route.pathArgument !== null) args.unshift(route.pathArgument)
  if (args.length > argsMax) throw badArgument(`more than ${argsMax} arguments`)
  return { options, args: route.command.argument === null ? [] : args }
}

/** Checks what may also come from the body: call it with all arguments known. Throws `bad_argument`. */
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
      return text
    case 'bool':
      return parseGoBool(text)
    case 'int':
      return parseGoInteger(text, { bits: 32, signed: true })
    case 'uint':
      return parseGoInteger(text, { bits: 32, signed: false })
    case 'int64':
      return parseGoInteger(text, { bits: 64, signed: true })
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

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function quote(text: string): string {
  return JSON.stringify(text)
}

function badArgument(detail: string): Fault {
  return new Fault('bad_argument', { detail })
}
