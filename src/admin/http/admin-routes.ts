// Matches method and path to an admin operation. Literal segments match exactly; parameters in braces match one segment.
// Tested by src/admin/http/admin-handler.test.ts
import type { AdminOperation } from '../admin-operation.ts'

type AdminMatch =
  | {
      readonly operation: AdminOperation
      /** URL-decoded. */
      readonly names: Readonly<Record<string, string>>
    }
  /** The path exists, but not for this method. `allowed`: the methods of the path. */
  | { readonly operation: null; readonly allowed: readonly string[] }

type Route = { readonly segments: readonly string[]; readonly operation: AdminOperation }

/** `path`: the part after the base, as sent. Null: no such path. */
export type MatchAdmin = (method: string, path: string) => AdminMatch | null

const segmentsMax = 12

export function createAdminRoutes(operations: readonly AdminOperation[]): MatchAdmin {
  const routes = operations.map((operation): Route => ({
    segments: operation.path.split('/').slice(1),
    operation,
  }))
  return (method, path) => {
    const sent = path.split('/').slice(1)
    if (sent.length > segmentsMax) return null
    const found = routes.filter(({ segments }) => fits(segments, sent))
    const [first] = found
    if (first === undefined) return null
    const literal = found.filter(({ segments }) => same(segments, closest(found).segments))
    const route = literal.find(({ operation }) => operation.method === method)
    if (route === undefined) {
      return { operation: null, allowed: literal.map(({ operation }) => operation.method) }
    }
    return { operation: route.operation, names: namesOf(route.segments, sent) }
  }
}

/** Literal segments take precedence over parameters: `/tokens/mine` over `/tokens/{token}`. */
function closest(found: readonly Route[]): Route {
  const names = ({ segments }: Route) => segments.filter((segment) => isName(segment)).length
  return found.reduce((best, route) => (names(route) < names(best) ? route : best))
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.every((segment, at) => segment === other[at] || (isName(segment) && isName(other[at])))
}

function fits(segments: readonly string[], sent: readonly string[]): boolean {
  if (segments.length !== sent.length) return false
  return segments.every((segment, at) =>
    isName(segment) ? decode(sent[at]) !== null : segment === sent[at],
  )
}

function namesOf(
  segments: readonly string[],
  sent: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    segments.flatMap((segment, at) =>
      isName(segment) ? [[segment.slice(1, -1), decode(sent[at]) ?? '']] : [],
    ),
  )
}

function isName(segment: string | undefined): boolean {
  return segment?.startsWith('{') === true
}

function decode(segment: string | undefined): string | null {
  if (segment === undefined || segment === '') return null
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
