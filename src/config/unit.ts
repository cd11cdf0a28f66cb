// Units of numeric settings, from the last word of their name. Converts a value with a unit, such as `24h` or `100MB`.
// Tested by src/config/unit.test.ts

const milliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

const bytes: Readonly<Record<string, number>> = {
  b: 1,
  k: 1e3,
  kb: 1e3,
  kib: 2 ** 10,
  m: 1e6,
  mb: 1e6,
  mib: 2 ** 20,
  g: 1e9,
  gb: 1e9,
  gib: 2 ** 30,
  t: 1e12,
  tb: 1e12,
  tib: 2 ** 40,
}

type Unit = { readonly name: string; readonly inName: RegExp; readonly factors: typeof bytes }

const scaled = (factors: typeof milliseconds, by: number) =>
  Object.fromEntries(Object.entries(factors).map(([unit, factor]) => [unit, factor / by]))

const units: readonly Unit[] = [
  { name: 'milliseconds', inName: /Ms(Max|Min)?$/, factors: milliseconds },
  { name: 'bytes', inName: /bytes(Max|Min|PerMonth)?$/i, factors: bytes },
  { name: 'seconds', inName: /Seconds$/, factors: scaled(milliseconds, 1000) },
  { name: 'days', inName: /Days(Max)?$/, factors: scaled(milliseconds, 86_400_000) },
]

/** The unit in a setting's name, such as `idleMs`; null: a count. */
export function unitNameOf(name: string): string | null {
  return unitOf(name)?.name ?? null
}

/** `24h` for `idleMs` is 86400000. Null: not a whole number of that unit, or no unit in the name. */
export function numberIn(name: string, written: string): number | null {
  const [, digits = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,6})?) ?([a-z]{1,3})$/i.exec(written) ?? []
  const factor = unitOf(name)?.factors[unit.toLowerCase()]
  if (factor === undefined) return null
  const value = Number(digits) * factor
  return Number.isSafeInteger(value) ? value : null
}

function unitOf(name: string): Unit | null {
  return units.find(({ inName }) => inName.test(name)) ?? null
}
