// Falsified replies: one field changed.

/** Yields `value` with each of its leaves replaced by another value of the same type, and with each list without its first item. */
export function* mutated(value: unknown): Generator<unknown> {
  if (typeof value === 'string') {
    if (/^0x[0-9a-f]+$/i.test(value))
      yield `${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}`
    yield '0x'
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const changed of mutated(item)) yield value.with(index, changed)
    }
    if (value.length > 0) yield value.slice(1)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      for (const changed of mutated(member)) yield { ...value, [name]: changed }
    }
  }
}
