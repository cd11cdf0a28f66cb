// Client of the admin API, typed by the table of operations: method and path select the operation, and the types of its
// input and reply follow. Imports types only, so the dashboard bundles no operation.
// Tested by src/admin/client.test.ts
import type { z } from 'zod'
import { adminBase, isBodiless, pathNames } from './admin-route.ts'
import type { adminOperations } from './index.ts'

type Operation = (typeof adminOperations)[number]

type ByRoute = {
  readonly [One in Operation as `${One['method']} ${One['path']}`]: One
}

/** Method and path of an operation: `GET /accounts/{account}/keys`. */
export type AdminRoute = keyof ByRoute

/** Routes of operations whose reply has this form: JSON, a document to save, or server-sent events. */
type RouteOf<Form> = {
  readonly [Route in AdminRoute]: ByRoute[Route] extends { readonly form: infer Other }
    ? Other extends Form
      ? Route
      : never
    : 'json' extends Form
      ? Route
      : never
}[AdminRoute]

type JsonRoute = RouteOf<'json'>
type EventsRoute = RouteOf<'events'>
/** GET operations whose URL a browser can open: downloads and event streams. */
export type LinkRoute = Extract<AdminRoute, `GET ${string}`>

/** Path parameters, query and body as one object, before defaults are applied. */
export type AdminInput<Route extends AdminRoute> = z.input<ByRoute[Route]['input']>

export type AdminReply<Route extends JsonRoute> = z.output<ByRoute[Route]['output']>

/** The data of one event. */
export type AdminEvent<Route extends EventsRoute> = z.output<ByRoute[Route]['output']>

/** The input is optional if the operation requires none. */
type Arguments<Route extends AdminRoute> =
  Record<never, never> extends AdminInput<Route>
    ? [input?: AdminInput<Route>, signal?: AbortSignal]
    : [input: AdminInput<Route>, signal?: AbortSignal]

/** Runs an operation: `call('POST /accounts/{account}/keys', { account, name })`. Rejects with the operation's error. */
export type AdminCaller = <Route extends JsonRoute>(
  route: Route,
  ...sent: Arguments<Route>
) => Promise<AdminReply<Route>>

export type AdminRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `/api/v1`, encoded. */
  readonly path: string
  /** Not encoded. */
  readonly query: readonly [name: string, value: string][]
  /** JSON; null: the request has no body. */
  readonly body: string | null
}

/** A caller over `run`, which returns the parsed reply or throws the error. */
export function createAdminCaller(
  run: (
    route: AdminRoute,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ) => Promise<unknown>,
): AdminCaller {
  return async <Route extends JsonRoute>(route: Route, ...[input, signal]: Arguments<Route>) =>
    (await run(route, input ?? {}, signal)) as AdminReply<Route>
}

/** The URL of a download or an event stream, relative to the origin of the server. */
export function linkOf<Route extends LinkRoute>(route: Route, input: AdminInput<Route>): string {
  return addressOf(requestOf(route, input))
}

/** Path and query, encoded. */
export function addressOf({ path, query }: AdminRequest): string {
  const search = new URLSearchParams([...query]).toString()
  return query.length === 0 ? path : `${path}?${search}`
}

/**
 * Members that the path names go into the path; the others go into the query of GET and DELETE, else into the body. Undefined
 * members are omitted. Throws if a path parameter is missing.
 */
export function requestOf(
  route: AdminRoute,
  input: Readonly<Record<string, unknown>>,
): AdminRequest {
  const [method, pattern] = route.split(' ') as [AdminRequest['method'], string]
  const names = pathNames(pattern)
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = input[name]
    if (value === undefined) throw new Error(`${route} needs ${name}`)
    return encodeURIComponent(textOf(value))
  })
  const rest = Object.entries(input).filter(
    ([name, value]) => !names.includes(name) && value !== undefined,
  )
  const shared = { method, path: adminBase + path }
  if (isBodiless({ method })) {
    return { ...shared, query: rest.map(([name, value]) => [name, textOf(value)]), body: null }
  }
  return { ...shared, query: [], body: JSON.stringify(Object.fromEntries(rest)) }
}

/** Paths and queries contain strings, numbers and booleans. */
function textOf(value: unknown): string {
  return String(value as string | number | boolean)
}
