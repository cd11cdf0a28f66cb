// Falsified replies: one field changed.

/** `at`: path of the changed field, as `.accountProof.0`. */
export type Mutation = { readonly at: string; readonly changed: unknown }

/**
 * Yields `value` with one change at a time: each of its leaves replaced by others of the same type, shortened or emptied; each list
 * without its first item, in reverse, or empty; each object without one of its members. Changes of a field follow one another.
 */
export function* mutated(value: unknown, at = ''): Generator<Mutation> {
  if (Array.isArray(value)) yield* otherLists(value as readonly unknown[], at)
  else if (typeof value === 'object' && value !== null) yield* otherObjects(value, at)
  else for (const changed of others(value)) yield { at, changed }
}

function* others(leaf: unknown): Generator<unknown> {
  if (typeof leaf === 'number') yield leaf + 1
  if (typeof leaf === 'boolean') yield !leaf
  if (typeof leaf !== 'string') return
  if (/^0x[0-9a-f]+$/i.test(leaf)) {
    yield `${leaf.slice(0, -1)}${leaf.endsWith('1') ? '2' : '1'}`
    if (leaf.length > 4) yield leaf.slice(0, -2)
  }
  if (leaf !== '0x') yield '0x'
}

function* otherLists(items: readonly unknown[], at: string): Generator<Mutation> {
  for (const [index, item] of items.entries()) {
    for (const { changed, ...one } of mutated(item, `${at}.${index}`)) {
      yield { ...one, changed: items.with(index, changed) }
    }
  }
  if (items.length > 0) yield { at, changed: items.slice(1) }
  if (items.length > 1) {
    yield { at, changed: items.toReversed() }
    yield { at, changed: [] }
  }
}

function* otherObjects(value: object, at: string): Generator<Mutation> {
  for (const [name, member] of Object.entries(value)) {
    const own = `${at}.${name}`
    for (const { changed, ...one } of mutated(member, own)) {
      yield { ...one, changed: { ...value, [name]: changed } }
    }
    const { [name]: _, ...rest } = value as Readonly<Record<string, unknown>>
    yield { at: own, changed: rest }
  }
}
