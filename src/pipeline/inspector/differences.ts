// Differences between two JSON values, member by member, with limits.
// Tested by src/pipeline/inspector/differences.test.ts

/** `at`: a JSON pointer (RFC 6901). A missing member is undefined. */
export type Difference = {
  readonly at: string
  readonly before?: unknown
  readonly after?: unknown
}

/** Deeper values are compared as JSON text. */
const levelsMax = 24

/** In the order of the first value; `left`: number of further differences. */
export function differencesOf(
  before: unknown,
  after: unknown,
  most = 200,
): { readonly found: readonly Difference[]; readonly left: number } {
  const found: Difference[] = []
  let left = 0

  function compare(one: unknown, other: unknown, at: string, level: number): void {
    if (one === other) return
    if (
      !isContainer(one) ||
      !isContainer(other) ||
      level >= levelsMax ||
      kind(one) !== kind(other)
    ) {
      if (level >= levelsMax && JSON.stringify(one) === JSON.stringify(other)) return
      if (found.length >= most) left++
      else found.push({ at, ...member('before', one), ...member('after', other) })
      return
    }
    const names = new Set([...Object.keys(one), ...Object.keys(other)])
    for (const name of names) {
      compare(valueIn(one, name), valueIn(other, name), `${at}/${escaped(name)}`, level + 1)
    }
  }

  compare(before, after, '', 0)
  return { found, left }
}

type Container = Readonly<Record<string, unknown>>

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

function kind(value: Container): 'list' | 'object' {
  return Array.isArray(value) ? 'list' : 'object'
}

function valueIn(value: Container, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

function member(name: 'before' | 'after', value: unknown): Partial<Difference> {
  return value === undefined ? {} : { [name]: value }
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
