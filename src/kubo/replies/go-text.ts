// Formats values as Go's standard library does. Pure.
// Tested by src/kubo/commands/names/names.test.ts

/** `time.Duration.String`: `5m0s`, `1.5s`, `250ms`. */
export function goDuration(ns: bigint): string {
  if (ns === 0n) return '0s'
  const fraction = (unit: bigint): string => {
    const rest = (ns % unit)
      .toString()
      .padStart(String(unit).length - 1, '0')
      .replace(/0+$/, '')
    return `${ns / unit}${rest === '' ? '' : `.${rest}`}`
  }
  if (ns < 1_000n) return `${ns}ns`
  if (ns < 1_000_000n) return `${fraction(1_000n)}µs`
  if (ns < 1_000_000_000n) return `${fraction(1_000_000n)}ms`
  const seconds = ns / 1_000_000_000n
  const hours = seconds / 3600n
  const minutes = (seconds / 60n) % 60n
  const below = (ns % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '')
  const last = `${seconds % 60n}${below === '' ? '' : `.${below}`}s`
  if (hours > 0n) return `${hours}h${minutes}m${last}`
  return minutes > 0n ? `${minutes}m${last}` : last
}

/** As `hex.Dump`: sixteen bytes per line, with their ASCII. */
export function hexDump(bytes: Uint8Array): string {
  let out = ''
  for (let at = 0; at < bytes.length; at += 16) {
    const line = Buffer.from(bytes.subarray(at, at + 16))
    const pairs = Array.from({ length: 16 }, (_, index) => {
      const gap = index === 7 || index === 15 ? '  ' : ' '
      return `${line
        .subarray(index, index + 1)
        .toString('hex')
        .padEnd(2)}${gap}`
    }).join('')
    const shown = line.toString('latin1').replaceAll(/[^ -~]/g, '.')
    out += `${at.toString(16).padStart(8, '0')}  ${pairs}|${shown}|\n`
  }
  return out
}
