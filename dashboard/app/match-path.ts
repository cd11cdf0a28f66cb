// Matches a path with a pattern such as `/keys/:key`. Pure.

/** The decoded values of the names; null: no match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split('/')
  const actual = path.split('/')
  if (wanted.length !== actual.length) return null
  const names: [string, string][] = []
  for (const [at, part] of wanted.entries()) {
    const one = actual[at] ?? ''
    if (!part.startsWith(':')) {
      if (part !== one) return null
    } else if (one === '') return null
    else names.push([part.slice(1), decodeURIComponent(one)])
  }
  return Object.fromEntries(names)
}
