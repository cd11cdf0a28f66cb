// Positional JSON-RPC arguments, judged left to right as go-ethereum does: each value, then too many,
// then missing ones. Pure; nothing is resolved here.
// Tested by src/rpc/params/params.test.ts
import { Fault } from '../../base/fault.ts'

/** One position of a method's signature. `absent` is taken for a missing or null optional argument. */
export type Parameter<T> = {
  parse(value: unknown, position: number): T
  readonly absent?: T
}

type Values<P extends readonly Parameter<unknown>[]> = {
  -readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never
}

export function required<T>(parse: (value: unknown, position: number) => T): Parameter<T> {
  return { parse }
}

export function optional<T>(
  parse: (value: unknown, position: number) => T,
  absent: T,
): Parameter<T> {
  return { parse, absent }
}

/**
 * The typed values of `params`, one for each of `parameters`. Throws `bad_params`:
 * `missing value for required argument <i>`, `too many arguments, want at most <n>`, or what the
 * first unacceptable argument's parser says.
 */
export function parseArguments<const P extends readonly Parameter<unknown>[]>(
  params: readonly unknown[],
  parameters: P,
): Values<P> {
  const values = parameters.map((parameter, position) => {
    const value = params[position]
    if (position < params.length && value !== null) return parameter.parse(value, position)
    if ('absent' in parameter) return parameter.absent
    if (position < params.length) return parameter.parse(value, position)
    throw new Fault('bad_params', { detail: `missing value for required argument ${position}` })
  })
  if (params.length > parameters.length) {
    throw tooManyArguments(parameters.length)
  }
  // The array was made position by position from `parameters`, which TypeScript cannot follow.
  return values as Values<P>
}

/** The fault of a call with more than `most` params. */
export function tooManyArguments(most: number): Fault {
  return new Fault('bad_params', { detail: `too many arguments, want at most ${most}` })
}
