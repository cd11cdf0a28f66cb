// Values as Go's strconv and time read them, because Kubo's clients write them that way. Pure; null = malformed.

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
  // An underscore may stand between digits or between the base prefix and a digit, never elsewhere.
  if (/__|_$/.test(digits)) return null
  const plain = digits.replaceAll('_', '').toLowerCase()
  const octal = /^0[0-7]+$/.test(plain)
  const size = BigInt(octal ? `0o${plain.slice(1)}` : plain)
  const value = sign === '-' ? -size : size
  const limit = 1n << BigInt(width.signed ? width.bits - 1 : width.bits)
  return value < limit && value >= (width.signed ? -limit : 0n) ? value : null
}

/** `1,t,true` and `0,f,false` in any case; empty is true. */
export function parseGoBool(text: string): boolean | null {
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
