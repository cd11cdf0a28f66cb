// Suggests the known name that is most similar to a misspelt one.
// Tested by src/config/settings.test.ts

/** Edits (insert, delete, replace, swap of neighbours) between two names, ignoring case. */
export function distance(from: string, to: string): number {
  const a = from.toLowerCase()
  const b = to.toLowerCase()
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let best = Math.min(
        (previous[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (row > 1 && column > 1 && swapped)
        best = Math.min(best, (beforePrevious[column - 2] ?? 0) + 1)
      line.push(best)
    }
    beforePrevious = previous
    previous = line
  }
  return previous[b.length] ?? 0
}

/** Maximum share of differing letters; with more the names count as unrelated. */
const editsShareMax = 0.6

/**
 * The known name with the fewest edits to `name`, or null if none is similar. Names are truncated at 100 characters.
 */
export function findNearest(name: string, known: readonly string[]): string | null {
  const query = name.slice(0, 100)
  const ranked = known.map((candidate) => ({ candidate, edits: distance(query, candidate) }))
  const [best] = ranked.toSorted((a, b) => a.edits - b.edits)
  return best === undefined || best.edits > query.length * editsShareMax ? null : best.candidate
}
